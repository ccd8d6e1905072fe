//! The totals of all ranks as one recording.

use std::collections::BTreeMap;
use std::path::PathBuf;

use topoloom_core::traffic::Group;
use topoloom_core::words::counted;
use topoloom_recorder::layout::CLASSES;

use super::events::EventFiles;
use super::groups::{Identity, groups};
use super::joined::JoinedRecording;
use super::part::{Part, flow_kind};
use super::times;
use crate::text::error::ReadError;
use crate::traces::mpi_call::MpiCall;
use crate::traffic::ranks;
use crate::traffic::recording::{
    MOST_BYTES_OF_NODES, MOST_CPUS_OF_ALL, RankState, RecordedCollective, RecordedFlow,
    RecordedSeat, Recording, SizeClass, leave_out_damage,
};

/// The recording of a job from the parts of its ranks, which are sorted by rank, and from the
/// hosts' own descriptions.
pub fn merge(
    mut parts: Vec<(Part, PathBuf)>,
    descriptions: &BTreeMap<String, String>,
) -> Result<JoinedRecording, ReadError> {
    let ranks = parts.iter().map(|(part, _)| part.size).max().unwrap_or(0);
    if let Err(fault) = ranks::ranks(ranks.into()) {
        let file = parts[0].1.display().to_string();
        return Err(ReadError::new(file, fault));
    }
    let files = parts.len();
    // A job has one file per rank, unless one is damaged.
    parts.dedup_by_key(|(part, _)| part.rank);
    let groups = groups(parts.iter().map(|(part, _)| part));
    let mut notes = notes(&parts, &groups);
    if parts.len() < files {
        let more = files - parts.len();
        notes.push(format!(
            "{more} left out: other files are of the same ranks",
            more = counted(more, "file")
        ));
    }
    let events = match parts.iter().any(|(part, _)| part.has_events) {
        true => EventFiles::survey(ranks, &mut parts, &groups, &mut notes)?,
        false => None,
    };
    let parts = &parts[..];
    let (hosts, host_of_rank) = hosts(ranks, parts);
    let seats = seats(ranks, parts, &mut notes);
    let nodes = nodes(&hosts, descriptions, &mut notes);
    let times = times::times(ranks, parts, &host_of_rank, &mut notes);
    let mut recording = Recording {
        ranks,
        info: info(parts),
        notes,
        incomplete: incomplete(ranks, parts),
        hosts,
        host_of_rank,
        seats,
        launcher_ranks: launcher_ranks(ranks, parts),
        nodes,
        times,
        rank_weights: None,
        flows: flows(ranks, parts),
        sizes: sizes(parts),
        collectives: collectives(parts, &groups),
        trace: None,
    };
    leave_out_damage(&mut recording);
    Ok(JoinedRecording { recording, events })
}

fn info(parts: &[(Part, PathBuf)]) -> Vec<(String, String)> {
    let first = &parts[0].0;
    let mut info = vec![("library".to_string(), first.library.clone())];
    if parts.iter().any(|(part, _)| part.threads) {
        info.push(("threads".to_string(), "several threads may call MPI at once".to_string()));
    }
    info.push(("recorder".to_string(), env!("CARGO_PKG_VERSION").to_string()));
    info
}

fn incomplete(ranks: u32, parts: &[(Part, PathBuf)]) -> Vec<(u32, RankState)> {
    let mut states: Vec<Option<RankState>> = vec![Some(RankState::Missing); ranks as usize];
    for (part, _) in parts {
        states[part.rank as usize] = part.state;
    }
    (0..).zip(states).filter_map(|(rank, state)| Some((rank, state?))).collect()
}

/// The hosts in the order of their first ranks. Ranks that left nothing belong to the host before.
fn hosts(ranks: u32, parts: &[(Part, PathBuf)]) -> (Vec<String>, Vec<u32>) {
    let mut hosts: Vec<String> = Vec::new();
    let mut numbers = BTreeMap::new();
    let mut of_rank = Vec::with_capacity(ranks as usize);
    for (part, _) in parts {
        let number = *numbers.entry(&part.host).or_insert_with(|| {
            hosts.push(part.host.clone());
            hosts.len() as u32 - 1
        });
        let before = of_rank.last().copied().unwrap_or(number);
        of_rank.resize(part.rank as usize, before);
        of_rank.push(number);
    }
    let last = of_rank.last().copied().unwrap_or(0);
    of_rank.resize(ranks as usize, last);
    (hosts, of_rank)
}

/// The launcher's ranks; empty if they are the same, or not known of all.
fn launcher_ranks(ranks: u32, parts: &[(Part, PathBuf)]) -> Vec<u32> {
    let given: Option<Vec<u32>> = parts.iter().map(|(part, _)| part.launcher_rank).collect();
    given.filter(|given| given.len() == ranks as usize).unwrap_or_default()
}

/// The seats of all ranks; an unknown seat for ranks that left nothing.
fn seats(ranks: u32, parts: &[(Part, PathBuf)], notes: &mut Vec<String>) -> Vec<RecordedSeat> {
    let cpus: usize = parts.iter().map(|(part, _)| part.seat.cpus.len()).sum();
    if cpus == 0 {
        return Vec::new();
    }
    if cpus > MOST_CPUS_OF_ALL {
        notes.push("the CPUs of ranks are left out: there are too many".to_string());
        return Vec::new();
    }
    let mut seats = vec![RecordedSeat::default(); ranks as usize];
    for (part, _) in parts {
        seats[part.rank as usize] = part.seat.clone();
    }
    seats
}

/// The hosts' own descriptions; empty if no host has one.
fn nodes(
    hosts: &[String],
    descriptions: &BTreeMap<String, String>,
    notes: &mut Vec<String>,
) -> Vec<String> {
    let of_host = |host: &String| descriptions.get(host).map_or("", String::as_str);
    let bytes: usize = hosts.iter().map(|host| of_host(host).len()).sum();
    if bytes > MOST_BYTES_OF_NODES {
        notes.push("the descriptions of hosts are left out: they are too long".to_string());
    }
    if bytes == 0 || bytes > MOST_BYTES_OF_NODES {
        return Vec::new();
    }
    hosts.iter().map(|host| of_host(host).to_string()).collect()
}

fn flows(ranks: u32, parts: &[(Part, PathBuf)]) -> Vec<Vec<RecordedFlow>> {
    let mut rows: Vec<Vec<RecordedFlow>> = vec![Vec::new(); ranks as usize];
    for (part, _) in parts {
        for flow in part.flows.iter().filter(|flow| flow.peer < ranks && flow.messages > 0) {
            let (from, to) = match flow.from_peer {
                true => (flow.peer, part.rank),
                false => (part.rank, flow.peer),
            };
            let (messages, bytes) = (flow.messages as f64, flow.bytes as f64);
            rows[from as usize].push(RecordedFlow { to, kind: flow.kind, messages, bytes });
        }
    }
    for row in &mut rows {
        row.sort_by_key(|flow| (flow.to, flow.kind));
        // Bytes read by the receiver and bytes written by the sender.
        row.dedup_by(|flow, before| {
            let same = (flow.to, flow.kind) == (before.to, before.kind);
            if same {
                before.messages += flow.messages;
                before.bytes += flow.bytes;
            }
            same
        });
    }
    rows
}

fn sizes(parts: &[(Part, PathBuf)]) -> Vec<SizeClass> {
    let places = parts.first().map_or(0, |(part, _)| part.sizes.len());
    let total = |place: usize| {
        parts.iter().fold((0_u64, 0_u64), |(messages, bytes), (part, _)| {
            let (more, more_bytes) = part.sizes[place];
            (messages.saturating_add(more), bytes.saturating_add(more_bytes))
        })
    };
    let class = |place: usize| {
        let (messages, bytes) = total(place);
        let (kind, class) = (flow_kind(place / CLASSES), (place % CLASSES) as u8);
        (messages > 0).then_some(SizeClass { kind, class, messages, bytes })
    };
    (0..places).filter_map(class).collect()
}

/// What makes calls the same collective.
type Key = (Identity, MpiCall, Option<u32>, u64);

#[derive(Default)]
struct Calls {
    calls: u64,
    sizes: BTreeMap<(u32, u32), f64>,
}

/// All members count the same calls; a member that died has counted fewer.
fn collectives(
    parts: &[(Part, PathBuf)],
    groups: &BTreeMap<Identity, Group>,
) -> Vec<RecordedCollective> {
    let mut found: BTreeMap<Key, Calls> = BTreeMap::new();
    for (part, _) in parts {
        for of in &part.collectives {
            let group = &part.groups[of.group];
            // A rank alone in its group sends nothing.
            if group.identity.1 < 2 || !groups.contains_key(&group.identity) {
                continue;
            }
            let calls = found.entry((group.identity, of.call, of.root, of.bytes)).or_default();
            calls.calls = calls.calls.max(of.calls);
            for &(other, from_other, bytes) in &of.parts {
                if other < group.identity.1 {
                    let pair = if from_other { (other, group.own) } else { (group.own, other) };
                    *calls.sizes.entry(pair).or_default() += bytes as f64;
                }
            }
        }
    }
    let mut all: Vec<RecordedCollective> = found
        .into_iter()
        .filter(|(_, of)| of.calls > 0)
        .map(|((identity, call, root, bytes), of)| RecordedCollective {
            call,
            group: groups[&identity].clone(),
            root,
            calls: of.calls,
            bytes,
            sizes: of.sizes.into_iter().map(|((from, to), bytes)| (from, to, bytes)).collect(),
        })
        .collect();
    all.sort_by_cached_key(|of| (order_of(&of.group), of.call, of.root, of.bytes));
    all
}

/// Large groups first, then by their members.
fn order_of(group: &Group) -> (std::cmp::Reverse<u32>, Vec<u32>) {
    let members = (0..group.size().min(16)).map(|number| group.member(number));
    (std::cmp::Reverse(group.size()), members.collect())
}

fn notes(parts: &[(Part, PathBuf)], groups: &BTreeMap<Identity, Group>) -> Vec<String> {
    // A damaged file may contain any number.
    let sum = |of: fn(&Part) -> u64| {
        parts.iter().fold(0u64, |sum, (part, _)| sum.saturating_add(of(part)))
    };
    let mut notes = Vec::new();
    let outside = sum(|part| part.outside);
    if outside > 0 {
        notes.push(format!(
            "{outside} to processes outside the job's MPI_COMM_WORLD left out",
            outside = counted(outside, "message")
        ));
    }
    let inter = sum(|part| part.intercommunicator);
    if inter > 0 {
        notes.push(format!(
            "{inter} on intercommunicators left out",
            inter = counted(inter, "collective call")
        ));
    }
    let has_events = parts.iter().any(|(part, _)| part.has_events);
    let one_sided = sum(|part| part.one_sided);
    if has_events && one_sided > 0 {
        let calls = counted(one_sided, "one-sided call");
        notes.push(format!("{calls} counted in the totals, but not in the events"));
    }
    if has_events && parts.iter().any(|(part, _)| part.threads) {
        notes.push(
            "several threads may have called MPI at once: their events are in one sequence, which \
             may not replay"
                .to_string(),
        );
    }
    let unknown = parts
        .iter()
        .flat_map(|(part, _)| part.collectives.iter().map(|of| part.groups[of.group].identity));
    let mut unknown: Vec<Identity> =
        unknown.filter(|identity| identity.1 > 1 && !groups.contains_key(identity)).collect();
    unknown.sort_unstable();
    unknown.dedup();
    if !unknown.is_empty() {
        notes.push(format!(
            "collectives of {} left out: the ranks that knew the members left no data",
            counted(unknown.len(), "communicator")
        ));
    }
    notes
}
