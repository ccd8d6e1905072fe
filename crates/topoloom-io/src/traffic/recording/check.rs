//! What is true of every recording that is read or written.

use std::collections::HashSet;

use topoloom_core::budget;
use topoloom_core::traffic::Collective;
use topoloom_core::words::counted;

use super::content::{RecordedCollective, Recording, SizeClass};
use super::events::Programs;
use super::groups::Groups;
use super::members::{check_group, no_rank};
use super::{collectives, launcher_ranks, nodes, seats, times};
use crate::text::fault::Fault;
use crate::traces::mpi_call::MpiCall;
use crate::traffic::ranks;

/// The highest class of sizes: messages of 2^63 bytes and more.
const LAST_CLASS: u8 = 64;

/// The most members of groups that are reordered with the root first, 4 bytes each. A file has only
/// a few bytes for each root.
const MOST_TURNED: u64 = 1 << 27;

/// Whether a recording with these events is consistent. The error names the section.
pub fn check(recording: &Recording, programs: Option<&dyn Programs>) -> Result<(), Fault> {
    let in_section = |section: &str| {
        let section = section.to_string();
        move |fault: Fault| fault.within(section)
    };
    ranks::ranks(recording.ranks.into()).map_err(in_section("rank"))?;
    check_incomplete(recording).map_err(in_section("rank"))?;
    check_hosts(recording).map_err(in_section("host"))?;
    seats::check(&recording.seats, recording.ranks).map_err(in_section("seat"))?;
    launcher_ranks::check(&recording.launcher_ranks, recording.ranks)
        .map_err(in_section("lnch"))?;
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
        return Err(Fault::expected(
            format!("events of {ranks}", ranks = counted(ranks, "rank")),
            found,
        )
        .within("evnt"));
    }
    check_calls(programs.collectives(), recording.ranks)
}

/// Whether these can be the collectives that events of this many ranks name.
pub fn check_calls(collectives: &[Collective], ranks: u32) -> Result<(), Fault> {
    let calls: Vec<_> = collectives.iter().map(|one| collectives::to_recorded(one, 1)).collect();
    check_collectives(&calls, 0.0, ranks, "call")
}

/// Leaves out the impossible parts that damaged rank files cause. The rest of the recording can
/// then be read and written.
pub fn leave_out_damage(recording: &mut Recording) {
    let mut damage = Vec::new();
    let ranks = recording.ranks;
    if let Err(fault) = launcher_ranks::check(&recording.launcher_ranks, ranks) {
        damage.push(format!("the launcher's numbers of ranks are left out: {fault}"));
        recording.launcher_ranks.clear();
    }
    if let Err(fault) = seats::check(&recording.seats, ranks) {
        damage.push(format!("the seats of ranks are left out: {fault}"));
        recording.seats.clear();
    }
    if let Err(fault) = nodes::check(&recording.nodes, recording.hosts.len()) {
        damage.push(format!("the descriptions of hosts are left out: {fault}"));
        recording.nodes.clear();
    }
    let times = recording.times.as_ref().map_or(Ok(()), |of_ranks| times::check(of_ranks, ranks));
    if let Err(fault) = times {
        damage.push(format!("the times are left out: {fault}"));
        recording.times = None;
    }
    if let Err(fault) = check_sizes(&recording.sizes) {
        damage.push(format!("the sizes of messages are left out: {fault}"));
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
pub fn no_class(class: u64) -> Fault {
    Fault::OutOfRange(format!("there is no class {class}, only 0 to {LAST_CLASS}"))
}

fn check_incomplete(recording: &Recording) -> Result<(), Fault> {
    if !recording.incomplete.is_sorted_by(|a, b| a.0 < b.0) {
        return Err(Fault::Malformed("the exceptions are not in rising order of rank".into()));
    }
    match recording.incomplete.last() {
        Some(&(rank, _)) if rank >= recording.ranks => Err(no_rank(rank, recording.ranks)),
        _ => Ok(()),
    }
}

fn check_hosts(recording: &Recording) -> Result<(), Fault> {
    let (hosts, of_rank) = (recording.hosts.len(), &recording.host_of_rank);
    if of_rank.is_empty() && hosts == 0 {
        return Ok(());
    }
    if of_rank.len() != recording.ranks as usize {
        let (found, ranks) = (of_rank.len(), recording.ranks);
        return Err(Fault::expected(
            format!("hosts of {ranks}", ranks = counted(ranks, "rank")),
            found,
        ));
    }
    match of_rank.iter().find(|&&host| host as usize >= hosts) {
        Some(host) => {
            Err(Fault::OutOfRange(format!("there is no host {host}, only {hosts} of them")))
        }
        None => Ok(()),
    }
}

fn check_rank_weights(recording: &Recording) -> Result<(), Fault> {
    let Some(weights) = &recording.rank_weights else { return Ok(()) };
    if weights.len() != recording.ranks as usize {
        let (found, ranks) = (weights.len(), recording.ranks);
        return Err(Fault::expected(counted(ranks, "rank weight"), found));
    }
    weights.iter().try_for_each(|&weight| check_value(weight))?;
    check_sum(weights.iter().sum())
}

fn check_value(value: f64) -> Result<(), Fault> {
    match value.is_finite() && value >= 0.0 {
        true => Ok(()),
        false => Err(Fault::expected("a finite value that is not negative", value)),
    }
}

fn check_sum(sum: f64) -> Result<(), Fault> {
    match sum.is_finite() {
        true => Ok(()),
        false => Err(Fault::TooLarge("the values add up to more than a number can hold".into())),
    }
}

/// Returns the bytes of all flows.
fn check_flows(recording: &Recording) -> Result<f64, Fault> {
    let Recording { ranks, flows, .. } = recording;
    if flows.len() > *ranks as usize {
        return Err(Fault::expected(
            format!("flows of {ranks}", ranks = counted(*ranks, "rank")),
            flows.len(),
        ));
    }
    let (mut messages, mut bytes) = (0.0, 0.0);
    for (rank, row) in flows.iter().enumerate() {
        let of_rank = |fault: Fault| fault.within(format!("rank {rank}"));
        if let Some(pair) =
            row.windows(2).find(|pair| (pair[0].to, pair[0].kind) >= (pair[1].to, pair[1].kind))
        {
            let to = pair[1].to;
            return Err(of_rank(Fault::Malformed(format!(
                "receiver {to} is not in order of receiver and kind"
            ))));
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

fn check_sizes(sizes: &[SizeClass]) -> Result<(), Fault> {
    let (mut messages, mut bytes) = (0u64, 0u64);
    let mut seen = HashSet::new();
    for size in sizes {
        if size.class > LAST_CLASS {
            return Err(no_class(size.class.into()));
        }
        if !seen.insert((size.kind, size.class)) {
            return Err(Fault::Repeated(format!("class {} appears twice", size.class)));
        }
        let sums = messages.checked_add(size.messages).zip(bytes.checked_add(size.bytes));
        (messages, bytes) =
            sums.ok_or_else(|| Fault::TooLarge("the values add up to more than 64 bits".into()))?;
    }
    Ok(())
}

/// Checks collectives of this many ranks, given the bytes of the flows.
pub fn check_collectives(
    collectives: &[RecordedCollective],
    other_bytes: f64,
    ranks: u32,
    section: &str,
) -> Result<(), Fault> {
    let mut groups = Groups::default();
    let mut turned = HashSet::new();
    let (mut bytes, mut members) = (other_bytes, 0u64);
    for (number, collective) in collectives.iter().enumerate() {
        let in_section = |fault: Fault| fault.within(section);
        let of_collective = |fault: Fault| in_section(fault.within(format!("collective {number}")));
        let known = groups.all().len();
        let group = groups.number(&collective.group);
        if groups.all().len() > known {
            let of_group = |fault: Fault| fault.within(format!("grps: group {group}"));
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
            return Err(in_section(Fault::TooLarge(format!(
                "the groups of all roots have more than {MOST_TURNED} members"
            ))));
        }
        budget::memory()
            .check_items("the groups of all roots", members, size_of::<u32>() as u64)
            .map_err(|error| in_section(error.into()))?;
    }
    Ok(())
}

fn check_collective(collective: &RecordedCollective) -> Result<(), Fault> {
    let RecordedCollective { call, ref group, root, calls, bytes, ref sizes } = *collective;
    let (name, members) = (call.name(), group.size());
    if calls == 0 {
        return Err(Fault::expected(format!("at least 1 call of {name}"), "0"));
    }
    match root {
        None if call.is_rooted() => return Err(Fault::Missing(format!("{name} needs a root"))),
        Some(_) if !call.is_rooted() => {
            return Err(Fault::Contradiction(format!("{name} has no root")));
        }
        Some(root) if root >= members => {
            return Err(Fault::OutOfRange(format!(
                "the root is member {root}, but there are only {members}"
            )));
        }
        _ => {}
    }
    if call.is_irregular() && bytes > 0 {
        return Err(Fault::Contradiction(format!("{name} has sizes instead of bytes of one call")));
    }
    if !call.is_irregular() && !sizes.is_empty() {
        return Err(Fault::Contradiction(format!("{name} has no sizes")));
    }
    for pair in sizes.windows(2) {
        let [(from, to, _), (next_from, next_to, _)] = [pair[0], pair[1]];
        if (from, to) == (next_from, next_to) {
            return Err(Fault::Repeated(format!("the size from {from} to {to} appears twice")));
        }
        if (from, to) > (next_from, next_to) {
            return Err(Fault::Malformed("the sizes are not in rising order of members".into()));
        }
    }
    for &(from, to, bytes) in sizes {
        if from.max(to) >= members {
            let member = from.max(to);
            return Err(Fault::OutOfRange(format!(
                "there is no member {member}, only 0 to {}",
                members - 1
            )));
        }
        let fits = match call {
            MpiCall::Gatherv => Some(to) == root,
            MpiCall::Scatterv => Some(from) == root,
            MpiCall::Allgatherv | MpiCall::ReduceScatter => from == to,
            _ => true,
        };
        if !fits {
            return Err(Fault::Contradiction(format!(
                "{name} has no size from member {from} to {to}"
            )));
        }
        check_value(bytes)?;
    }
    Ok(())
}
