//! What is true of every recording that is read or written.

use std::collections::HashSet;

use topoloom_core::budget;
use topoloom_core::traffic::Collective;
use topoloom_core::words::counted;

use super::content::{RecordedCollective, Recording, SizeClass};
use super::events::Programs;
use super::groups::Groups;
use super::members::{check_group, no_rank};
use super::{collectives, nodes, seats, times};
use crate::traces::mpi_call::MpiCall;
use crate::traffic::ranks;

/// The highest class of sizes: messages of 2^63 bytes and more.
const LAST_CLASS: u8 = 64;

/// The most members of groups that are reordered with the root first, 4 bytes each. A file has only
/// a few bytes for each root.
const MOST_TURNED: u64 = 1 << 27;

/// Whether a recording with these events is consistent. The error names the section.
pub fn check(recording: &Recording, programs: Option<&dyn Programs>) -> Result<(), String> {
    let in_section = |section: &str| {
        let section = section.to_string();
        move |message: String| format!("{section}: {message}")
    };
    ranks::ranks(recording.ranks.into()).map_err(in_section("rank"))?;
    check_incomplete(recording).map_err(in_section("rank"))?;
    check_hosts(recording).map_err(in_section("host"))?;
    seats::check(&recording.seats, recording.ranks).map_err(in_section("seat"))?;
    nodes::check(&recording.nodes, recording.hosts.len()).map_err(in_section("node"))?;
    if let Some(of_ranks) = &recording.times {
        times::check(of_ranks, recording.ranks).map_err(in_section("time"))?;
    }
    check_rank_weights(recording).map_err(in_section("load"))?;
    let bytes = check_flows(recording).map_err(in_section("flow"))?;
    check_sizes(&recording.sizes).map_err(in_section("size"))?;
    check_collectives(&recording.collectives, bytes, recording.ranks, "coll")?;
    let Some(programs) = programs else { return Ok(()) };
    if programs.num_ranks() != recording.ranks {
        let (found, ranks) = (programs.num_ranks(), recording.ranks);
        return Err(format!(
            "evnt: expected events of {ranks}, found {found}",
            ranks = counted(ranks, "rank")
        ));
    }
    check_calls(programs.collectives(), recording.ranks)
}

/// Whether these can be the collectives that events of this many ranks name.
pub fn check_calls(collectives: &[Collective], ranks: u32) -> Result<(), String> {
    let calls: Vec<_> = collectives.iter().map(|one| collectives::to_recorded(one, 1)).collect();
    check_collectives(&calls, 0.0, ranks, "call")
}

/// Leaves out the impossible parts that damaged rank files cause. The rest of the recording can
/// then be read and written.
pub fn leave_out_damage(recording: &mut Recording) {
    let mut damage = Vec::new();
    let ranks = recording.ranks;
    if let Err(message) = seats::check(&recording.seats, ranks) {
        damage.push(format!("the seats of ranks are left out: {message}"));
        recording.seats.clear();
    }
    if let Err(message) = nodes::check(&recording.nodes, recording.hosts.len()) {
        damage.push(format!("the descriptions of hosts are left out: {message}"));
        recording.nodes.clear();
    }
    let times = recording.times.as_ref().map_or(Ok(()), |of_ranks| times::check(of_ranks, ranks));
    if let Err(message) = times {
        damage.push(format!("the times are left out: {message}"));
        recording.times = None;
    }
    if let Err(message) = check_sizes(&recording.sizes) {
        damage.push(format!("the sizes of messages are left out: {message}"));
        recording.sizes.clear();
    }
    let before = recording.collectives.len();
    let is_possible = |of: &RecordedCollective| {
        check_group(&of.group, ranks).is_ok() && check_collective(of).is_ok()
    };
    recording.collectives.retain(is_possible);
    // Each may be possible, but all of them together too much.
    if check_collectives(&recording.collectives, 0.0, ranks, "coll").is_err() {
        recording.collectives.clear();
    }
    let left_out = before - recording.collectives.len();
    if left_out > 0 {
        damage.push(format!(
            "{left_out} left out: their records are damaged",
            left_out = counted(left_out, "collective")
        ));
    }
    recording.notes.extend(damage);
}

/// The error for a class that does not exist.
pub fn no_class(class: u64) -> String {
    format!("there is no class {class}, only 0 to {LAST_CLASS}")
}

fn check_incomplete(recording: &Recording) -> Result<(), String> {
    if !recording.incomplete.is_sorted_by(|a, b| a.0 < b.0) {
        return Err("the exceptions are not in rising order of rank".to_string());
    }
    match recording.incomplete.last() {
        Some(&(rank, _)) if rank >= recording.ranks => Err(no_rank(rank, recording.ranks)),
        _ => Ok(()),
    }
}

fn check_hosts(recording: &Recording) -> Result<(), String> {
    let (hosts, of_rank) = (recording.hosts.len(), &recording.host_of_rank);
    if of_rank.is_empty() && hosts == 0 {
        return Ok(());
    }
    if of_rank.len() != recording.ranks as usize {
        let (found, ranks) = (of_rank.len(), recording.ranks);
        return Err(format!(
            "expected hosts of {ranks}, found {found}",
            ranks = counted(ranks, "rank")
        ));
    }
    match of_rank.iter().find(|&&host| host as usize >= hosts) {
        Some(host) => Err(format!("there is no host {host}, only {hosts} of them")),
        None => Ok(()),
    }
}

fn check_rank_weights(recording: &Recording) -> Result<(), String> {
    let Some(weights) = &recording.rank_weights else { return Ok(()) };
    if weights.len() != recording.ranks as usize {
        let (found, ranks) = (weights.len(), recording.ranks);
        return Err(format!(
            "expected {ranks}, found {found}",
            ranks = counted(ranks, "rank weight")
        ));
    }
    weights.iter().try_for_each(|&weight| check_value(weight))?;
    check_sum(weights.iter().sum())
}

fn check_value(value: f64) -> Result<(), String> {
    match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => Err(format!("expected a finite value that is not negative, found {value}")),
    }
}

fn check_sum(sum: f64) -> Result<(), String> {
    match sum.is_finite() {
        true => Ok(()),
        false => Err("the values add up to more than a number can hold".to_string()),
    }
}

/// Returns the bytes of all flows.
fn check_flows(recording: &Recording) -> Result<f64, String> {
    let Recording { ranks, flows, .. } = recording;
    if flows.len() > *ranks as usize {
        return Err(format!(
            "expected flows of {ranks}, found {}",
            flows.len(),
            ranks = counted(*ranks, "rank")
        ));
    }
    let (mut messages, mut bytes) = (0.0, 0.0);
    for (rank, row) in flows.iter().enumerate() {
        let of_rank = |message: String| format!("rank {rank}: {message}");
        if let Some(pair) =
            row.windows(2).find(|pair| (pair[0].to, pair[0].kind) >= (pair[1].to, pair[1].kind))
        {
            let to = pair[1].to;
            return Err(of_rank(format!("receiver {to} is not in order of receiver and kind")));
        }
        if let Some(last) = row.last().filter(|last| last.to >= *ranks) {
            return Err(of_rank(no_rank(last.to, *ranks)));
        }
        for flow in row {
            check_value(flow.messages).map_err(of_rank)?;
            check_value(flow.bytes).map_err(of_rank)?;
            messages += flow.messages;
            bytes += flow.bytes;
        }
    }
    check_sum(messages + bytes)?;
    Ok(bytes)
}

fn check_sizes(sizes: &[SizeClass]) -> Result<(), String> {
    let (mut messages, mut bytes) = (0u64, 0u64);
    let mut seen = HashSet::new();
    for size in sizes {
        if size.class > LAST_CLASS {
            return Err(no_class(size.class.into()));
        }
        if !seen.insert((size.kind, size.class)) {
            return Err(format!("class {} appears twice", size.class));
        }
        let sums = messages.checked_add(size.messages).zip(bytes.checked_add(size.bytes));
        (messages, bytes) = sums.ok_or("the values add up to more than 64 bits")?;
    }
    Ok(())
}

/// Checks collectives of this many ranks, given the bytes of the flows.
pub fn check_collectives(
    collectives: &[RecordedCollective],
    other_bytes: f64,
    ranks: u32,
    section: &str,
) -> Result<(), String> {
    let mut groups = Groups::default();
    let mut turned = HashSet::new();
    let (mut bytes, mut members) = (other_bytes, 0u64);
    for (number, collective) in collectives.iter().enumerate() {
        let in_section = |message| format!("{section}: {message}");
        let of_collective = |message| in_section(format!("collective {number}: {message}"));
        let known = groups.all().len();
        let group = groups.number(&collective.group);
        if groups.all().len() > known {
            let of_group = |message| format!("grps: group {group}: {message}");
            check_group(&collective.group, ranks).map_err(of_group)?;
        }
        check_collective(collective).map_err(of_collective)?;
        for &(_, _, of_pair) in &collective.sizes {
            bytes += of_pair;
        }
        check_sum(bytes).map_err(of_collective)?;
        let is_turned = collective.root.is_some_and(|root| root > 0);
        if is_turned && !collective.call.is_irregular() && turned.insert((group, collective.root)) {
            members += u64::from(collective.group.size());
        }
        if members > MOST_TURNED {
            return Err(in_section(format!(
                "the groups of all roots have more than {MOST_TURNED} members"
            )));
        }
        budget::memory()
            .check_items("the groups of all roots", members, size_of::<u32>() as u64)
            .map_err(|error| in_section(error.to_string()))?;
    }
    Ok(())
}

fn check_collective(collective: &RecordedCollective) -> Result<(), String> {
    let RecordedCollective { call, ref group, root, calls, bytes, ref sizes } = *collective;
    let (name, members) = (call.name(), group.size());
    if calls == 0 {
        return Err(format!("expected at least 1 call of {name}, found 0"));
    }
    match root {
        None if call.is_rooted() => return Err(format!("{name} needs a root")),
        Some(_) if !call.is_rooted() => return Err(format!("{name} has no root")),
        Some(root) if root >= members => {
            return Err(format!("the root is member {root}, but there are only {members}"));
        }
        _ => {}
    }
    if call.is_irregular() && bytes > 0 {
        return Err(format!("{name} has sizes instead of bytes of one call"));
    }
    if !call.is_irregular() && !sizes.is_empty() {
        return Err(format!("{name} has no sizes"));
    }
    for pair in sizes.windows(2) {
        let [(from, to, _), (next_from, next_to, _)] = [pair[0], pair[1]];
        if (from, to) == (next_from, next_to) {
            return Err(format!("the size from {from} to {to} appears twice"));
        }
        if (from, to) > (next_from, next_to) {
            return Err("the sizes are not in rising order of members".to_string());
        }
    }
    for &(from, to, bytes) in sizes {
        if from.max(to) >= members {
            let member = from.max(to);
            return Err(format!("there is no member {member}, only 0 to {}", members - 1));
        }
        let fits = match call {
            MpiCall::Gatherv => Some(to) == root,
            MpiCall::Scatterv => Some(from) == root,
            MpiCall::Allgatherv | MpiCall::ReduceScatter => from == to,
            _ => true,
        };
        if !fits {
            return Err(format!("{name} has no size from member {from} to {to}"));
        }
        check_value(bytes)?;
    }
    Ok(())
}
