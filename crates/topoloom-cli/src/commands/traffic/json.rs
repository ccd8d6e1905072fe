//! The shown values as JSON: exact and complete.

use serde_json::{Value, json};
use topoloom::core::Rank;
use topoloom::core::insight::{
    Diagonals, Finding, Insight, RankOrder, Structure, by_operation, moved,
};
use topoloom::core::traffic::Group;
use topoloom::io::{RecordedCollective, Recording};

use super::recording::{KINDS, ranks_of_hosts, state_in_words, sums_by_kind};
use super::shown::Shown;
use super::{groups, seats, times};

pub fn record(shown: &Shown<'_>) -> Value {
    let insight = &shown.insight;
    let totals = &insight.totals;
    let mut record = json!({
        "traffic": shown.name,
        "weight": insight.weight.to_string(),
        "collective_mode": shown.mode.to_string(),
        "ranks": totals.ranks,
        "send_nothing": totals.send_nothing,
        "receive_nothing": totals.receive_nothing,
        "ordered_pairs": totals.pairs,
        "bytes": totals.bytes,
        "messages": totals.messages,
        "self": {
            "ranks": totals.self_senders,
            "bytes": totals.self_bytes,
            "messages": totals.self_messages,
        },
        "partners": {
            "fewest": insight.degree.fewest,
            "mean": insight.degree.mean,
            "most": insight.degree.most,
        },
        "symmetry": {
            "exact": insight.symmetry.exact,
            "returned": insight.symmetry.returned,
            "balanced": insight.symmetry.balanced,
        },
        "structure": structure(insight),
        "message_sizes": sizes(insight),
        "collectives": collectives(shown),
        "balance": balance(insight),
    });
    if let Some(step) = &shown.step {
        record["groups"] = groups::kinds(step);
    }
    if let Some(recording) = &shown.recording {
        record["recording"] = of_recording(recording);
    }
    record
}

fn structure(insight: &Insight) -> Value {
    let found = &insight.structure;
    json!({
        "name": found.to_string(),
        "found": found.findings.iter().map(finding).collect::<Value>(),
        "outside": found.outside,
        "parts": found.parts,
    })
}

fn finding(finding: &Finding) -> Value {
    let mut record = json!({
        "kind": kind(&finding.structure),
        "name": finding.to_string(),
        "ranks": finding.ranks,
        "share": finding.share,
        "pairs_present": finding.present,
        "rank_order": match finding.order {
            RankOrder::Natural => "natural",
            RankOrder::Other => "other",
        },
        "silent_ranks_counted": !finding.talkers_only,
    });
    match &finding.structure {
        Structure::Grid(grid) => {
            record["lengths"] = json!(grid.lengths);
            record["periodic"] = json!(grid.periodic);
            record["one_way"] = json!(grid.one_way);
            record["axis_shares"] = json!(grid.axis_shares);
            record["neighbours"] = json!(match grid.diagonals {
                Diagonals::None => "von-neumann",
                Diagonals::Some(..) => "some-diagonals",
                Diagonals::All => "moore",
            });
        }
        Structure::Star { master } => record["master"] = json!(master),
        Structure::Hypercube { bits } => record["bits"] = json!(bits),
        Structure::Tree { root, .. } => record["root"] = json!(root),
        Structure::Transpose { rows, columns } | Structure::Lines { rows, columns, .. } => {
            record["rows"] = json!(rows);
            record["columns"] = json!(columns);
        }
        Structure::Parts(parts) => {
            let part = parts.iter().map(|part| {
                let name = part.structure.as_ref().map_or("irregular", kind);
                json!({"count": part.count, "ranks": part.ranks, "kind": name})
            });
            record["parts"] = part.collect();
        }
        Structure::AllToAll | Structure::Steps => {}
    }
    record
}

fn kind(structure: &Structure) -> &'static str {
    match structure {
        Structure::Grid(grid) => match (&grid.lengths[..], &grid.periodic[..]) {
            ([_], [true]) => "ring",
            ([_], _) => "chain",
            _ => "grid",
        },
        Structure::AllToAll => "all-to-all",
        Structure::Star { .. } => "star",
        Structure::Hypercube { .. } => "hypercube",
        Structure::Steps => "dissemination",
        Structure::Tree { .. } => "tree",
        Structure::Transpose { .. } => "transpose",
        Structure::Lines { .. } => "blocks",
        Structure::Parts(_) => "parts",
    }
}

fn sizes(insight: &Insight) -> Value {
    let classes = insight.sizes.classes.iter().map(|class| {
        let (from, to) = class.bounds();
        json!({"from": from, "to": to, "messages": class.messages, "bytes": class.bytes})
    });
    json!({
        "exact": insight.sizes.is_exact,
        "mean": insight.sizes.mean(),
        "classes": classes.collect::<Value>(),
    })
}

fn collectives(shown: &Shown<'_>) -> Value {
    let operations = shown.operations.iter().map(|operation| {
        json!({
            "call": operation.name,
            "calls": operation.calls,
            "fewest_members": operation.members.0,
            "most_members": operation.members.1,
            "direct_messages": operation.moved.messages,
            "direct_bytes": operation.moved.bytes,
            "exact": operation.moved.is_exact,
        })
    });
    json!({
        "direct_bytes": shown.moved().bytes,
        "point_to_point_bytes": shown.point_to_point_bytes,
        "share": shown.share_of_collectives(),
        "operations": operations.collect::<Value>(),
    })
}

fn balance(insight: &Insight) -> Value {
    let ranks = insight.balance.ranks.iter().map(|rank| {
        json!({"rank": rank.rank, "sent": rank.sent, "received": rank.received, "share": rank.share})
    });
    let pairs = insight.balance.pairs.iter().map(|pair| {
        let (Rank(from), Rank(to)) = (pair.from, pair.to);
        json!({"from": from, "to": to, "bytes": pair.bytes, "messages": pair.messages})
    });
    json!({
        "imbalance": insight.balance.imbalance,
        "busiest_ranks": ranks.collect::<Value>(),
        "heaviest_pairs": pairs.collect::<Value>(),
    })
}

fn of_recording(recording: &Recording) -> Value {
    let info: serde_json::Map<String, Value> =
        recording.info.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
    let incomplete = recording
        .incomplete
        .iter()
        .map(|&(rank, state)| json!({"rank": rank, "state": state_in_words(state)}));
    let ranks = ranks_of_hosts(recording);
    let hosts = recording.hosts.iter().zip(ranks);
    let described = |number: usize| recording.nodes.get(number).is_some_and(|it| !it.is_empty());
    let hosts = hosts.enumerate().map(|(number, (name, ranks))| {
        json!({"name": name, "ranks": ranks, "described": described(number)})
    });
    let kinds = KINDS
        .iter()
        .zip(sums_by_kind(recording))
        .map(|(kind, sums)| json!({"kind": kind.1, "messages": sums.0, "bytes": sums.1}));
    let traffic = recording.traffic();
    let collectives = recording.collectives.iter().zip(traffic.collectives());
    let collectives = collectives.map(|(recorded, collective)| {
        let mut record = collective_record(recorded);
        record["direct_bytes"] = json!(moved(collective).bytes);
        record["operation"] = json!(by_operation(std::slice::from_ref(collective))[0].name);
        record
    });
    json!({
        "info": info,
        "notes": recording.notes,
        "incomplete": incomplete.collect::<Value>(),
        "hosts": hosts.collect::<Value>(),
        "host_of_rank": recording.host_of_rank,
        "seats": seats::record(recording),
        "launcher_ranks": match recording.launcher_ranks.is_empty() {
            true => Value::Null,
            false => json!(recording.launcher_ranks),
        },
        "times": recording.times.as_ref().map(times::record),
        "kinds": kinds.collect::<Value>(),
        "has_events": recording.trace.is_some(),
        "collectives": collectives.collect::<Value>(),
    })
}

fn collective_record(collective: &RecordedCollective) -> Value {
    let members = match &collective.group {
        Group::Strided { first, stride, size } => {
            json!({"first": first, "stride": stride, "size": size})
        }
        Group::List(ranks) => json!(ranks[..]),
    };
    json!({
        "call": collective.call.name(),
        "members": members,
        "root": collective.root.map(|root| collective.group.member(root)),
        "calls": collective.calls,
        "bytes": collective.bytes,
        "sizes": collective.sizes,
    })
}
