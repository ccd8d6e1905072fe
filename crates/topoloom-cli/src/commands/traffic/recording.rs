//! What only recordings contain: the run, its hosts, incomplete ranks, communicators.

use topoloom::core::insight::{SizeClass, moved};
use topoloom::core::traffic::Group;
use topoloom::io::{FlowKind, RankState, RecordedCollective, Recording};

use super::short::{and_more, shortened};
use super::{seats, times};
use crate::output::numbers::{bytes, grouped, percent, plural};
use crate::output::plain_text::one_line;
use crate::output::table::numbers_table;

/// Texts of a run longer than this are cut on the screen.
const LONGEST: usize = 150;

/// The most notes on the screen.
const MOST_NOTES: usize = 3;

pub const KINDS: [(FlowKind, &str); 3] = [
    (FlowKind::PointToPoint, "point to point"),
    (FlowKind::OneSided, "one-sided"),
    (FlowKind::Neighbourhood, "neighbourhood"),
];

pub const STATES: [(RankState, &str); 3] = [
    (RankState::NeverFinalised, "never finalised"),
    (RankState::Missing, "nothing of it is there"),
    (RankState::CutShort, "recording stopped early"),
];

/// The words for a state.
pub fn state_in_words(state: RankState) -> &'static str {
    STATES.into_iter().find(|known| known.0 == state).map_or("", |known| known.1)
}

/// The recorded messages by size, all kinds together; `None` if none were counted.
pub fn size_classes(recording: &Recording) -> Option<Vec<SizeClass>> {
    let mut classes: Vec<SizeClass> = Vec::new();
    for size in &recording.sizes {
        let class = u32::from(size.class);
        let (messages, bytes) = (size.messages as f64, size.bytes as f64);
        match classes.iter_mut().find(|known| known.class == class) {
            Some(known) => {
                known.messages += messages;
                known.bytes += bytes;
            }
            None => classes.push(SizeClass { class, messages, bytes }),
        }
    }
    classes.retain(|class| class.messages > 0.0);
    classes.sort_by_key(|class| class.class);
    Some(classes).filter(|classes| !classes.is_empty())
}

/// Messages and bytes of each kind, in the order of [`KINDS`].
pub fn sums_by_kind(recording: &Recording) -> [(f64, f64); 3] {
    let mut sums = [(0.0, 0.0); 3];
    for flow in recording.flows.iter().flatten() {
        let place = KINDS.iter().position(|known| known.0 == flow.kind).unwrap_or(0);
        sums[place].0 += flow.messages;
        sums[place].1 += flow.bytes;
    }
    sums
}

/// How many ranks each host has.
pub fn ranks_of_hosts(recording: &Recording) -> Vec<usize> {
    let mut ranks = vec![0; recording.hosts.len()];
    for &host in &recording.host_of_rank {
        if let Some(count) = ranks.get_mut(host as usize) {
            *count += 1;
        }
    }
    ranks
}

pub fn facts(recording: &Recording) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let value =
        |key: &str| recording.info.iter().find(|known| known.0 == key).map(|known| &known.1);
    for (key, name) in [("command", "command"), ("library", "library")] {
        if let Some(text) = value(key) {
            facts.push((name, beginning(text)));
        }
    }
    if !recording.hosts.is_empty() {
        facts.push(("hosts", hosts_in_words(recording)));
    }
    if let Some(seats) = seats::in_words(recording) {
        facts.push(("seats", seats));
    }
    let moved = (0..).zip(&recording.launcher_ranks).filter(|(rank, given)| rank != *given);
    match moved.count() {
        0 => {}
        moved => facts
            .push(("order", format!("differs from the launcher's for {}", plural(moved, "rank")))),
    }
    if let Some(of_ranks) = &recording.times {
        facts.extend(times::facts(of_ranks));
    }
    if !recording.incomplete.is_empty() {
        facts.push(("incomplete", incomplete_in_words(recording)));
    }
    let sums = sums_by_kind(recording);
    let all: f64 = sums.iter().map(|sums| sums.1).sum();
    if sums[1].0 + sums[2].0 > 0.0 {
        let share = |part: f64| if all > 0.0 { percent(part / all) } else { "-".to_string() };
        let texts = KINDS.iter().zip(sums).filter(|(_, sums)| sums.0 > 0.0);
        let texts = texts.map(|(kind, sums)| format!("{} {}", kind.1, share(sums.1)));
        facts.push(("kinds", texts.collect::<Vec<_>>().join(", ") + " of bytes"));
    }
    for note in recording.notes.iter().take(MOST_NOTES) {
        facts.push(("note", beginning(note)));
    }
    if recording.notes.len() > MOST_NOTES {
        let more = recording.notes.len() - MOST_NOTES;
        facts.push(("", format!("and {} (all with --json)", plural(more, "more note"))));
    }
    facts
}

fn beginning(text: &str) -> String {
    // Before the text is cut: escaped characters are longer.
    let plain = one_line(text);
    match plain.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &plain[..end]),
        None => plain.into_owned(),
    }
}

fn hosts_in_words(recording: &Recording) -> String {
    let ranks = ranks_of_hosts(recording);
    let (fewest, most) = (ranks.iter().min().unwrap_or(&0), ranks.iter().max().unwrap_or(&0));
    let most_ranks = plural(*most, "rank");
    let each = if fewest == most { most_ranks } else { format!("{fewest} to {most_ranks}") };
    let names: Vec<String> =
        recording.hosts.iter().take(3).map(|name| shortened(&beginning(name), 24)).collect();
    let more = if recording.hosts.len() > 3 { ", ..." } else { "" };
    let hosts = grouped(recording.hosts.len() as f64);
    format!("{hosts} ({}{more}), {each} on each", names.join(", "))
}

fn incomplete_in_words(recording: &Recording) -> String {
    let mut texts = Vec::new();
    for (state, words) in STATES {
        let of_state = recording.incomplete.iter().filter(|known| known.1 == state);
        let ranks: Vec<u32> = of_state.map(|known| known.0).collect();
        if ranks.is_empty() {
            continue;
        }
        // JSON keeps its own word for this state.
        let words = if state == RankState::Missing { "no data" } else { words };
        texts.push(format!("{words}: {}", ranks_in_short(&ranks, 5)));
    }
    texts.join("; ")
}

/// Ascending ranks as ranges, at most `most` of them: `0-3, 7 and 12 more`.
fn ranks_in_short(ranks: &[u32], most: usize) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &rank in ranks {
        match ranges.last_mut() {
            Some(range) if range.1 + 1 == rank => range.1 = rank,
            _ => ranges.push((rank, rank)),
        }
    }
    let text = |&(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let shown: Vec<String> = ranges.iter().take(most).map(text).collect();
    let left: u32 = ranges.iter().skip(most).map(|(first, last)| last - first + 1).sum();
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    shown.join(", ") + &more
}

/// The members of a group in a few characters.
pub fn group_in_short(group: &Group) -> String {
    match group {
        Group::Strided { first, size: 1, .. } => first.to_string(),
        Group::Strided { first, stride: 1, size } => format!("{first}-{}", first + size - 1),
        Group::Strided { first, stride, size } => {
            let last = u64::from(*first) + u64::from(*stride) * u64::from(size.saturating_sub(1));
            format!("{first}-{last} by {stride}")
        }
        Group::List(ranks) => {
            let shown: Vec<String> = ranks.iter().take(3).map(u32::to_string).collect();
            let more = if ranks.len() > 3 { ",..." } else { "" };
            shown.join(",") + more
        }
    }
}

pub fn collectives_table(recording: &Recording, most: usize) -> String {
    // One for each, in the same order: each recorded one was called at least once.
    let traffic = recording.traffic();
    let mut rows: Vec<(f64, &RecordedCollective)> = recording
        .collectives
        .iter()
        .zip(traffic.collectives())
        .map(|(recorded, collective)| (moved(collective).bytes, recorded))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let row = |(moved, collective): &(f64, &RecordedCollective)| {
        let root = collective.root.map(|root| collective.group.member(root).to_string());
        let irregular = collective.call.is_irregular();
        vec![
            collective.call.name().to_string(),
            grouped(f64::from(collective.group.size())),
            group_in_short(&collective.group),
            root.unwrap_or("-".to_string()),
            grouped(collective.calls as f64),
            if irregular { "varies".to_string() } else { bytes(collective.bytes as f64) },
            bytes(*moved),
        ]
    };
    let shown: Vec<Vec<String>> = rows.iter().take(most).map(row).collect();
    let header = ["collective", "members", "ranks", "root", "calls", "per call", "sent directly"];
    format!("\n{}{}", numbers_table(&header, &shown), and_more(rows.len(), most))
}
