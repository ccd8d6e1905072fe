//! Groups and the collectives on them, read and written.

use std::collections::HashMap;
use std::sync::Arc;

use topoloom_core::traffic::{Collective, Group, Operation, VariableSizes};

use super::content::RecordedCollective;
use super::encoding::{Payload, PayloadWriter};
use super::groups::Groups;
use super::members::check_group;
use crate::text::fault::Fault;
use crate::traces::mpi_call::MpiCall;

/// The form of a group that is three numbers.
const STRIDED: u64 = 0;
/// The form of a group that lists its members.
const LIST: u64 = 1;

/// Reads the groups; their members are among this many ranks, each once.
pub fn read_groups(payload: &mut Payload<'_>, ranks: u32) -> Result<Vec<Group>, Fault> {
    let count = payload.count(3, "groups")?;
    let mut groups = Vec::with_capacity(count);
    for number in 0..count {
        let group = read_group(payload, number)?;
        check_group(&group, ranks)
            .map_err(|fault| payload.error(fault.within(format!("group {number}"))))?;
        groups.push(group);
    }
    Ok(groups)
}

fn read_group(payload: &mut Payload<'_>, number: usize) -> Result<Group, Fault> {
    let of_group = |fault: Fault| fault.within(format!("group {number}"));
    match payload.number()? {
        STRIDED => Ok(Group::Strided {
            first: payload.small("rank")?,
            stride: payload.small("stride")?,
            size: payload.small("size")?,
        }),
        LIST => {
            let size = payload.count(1, "members")?;
            let mut members = Vec::with_capacity(size);
            let mut rank = 0i64;
            for _ in 0..size {
                rank = rank.saturating_add(payload.signed()?);
                members.push(u32::try_from(rank).map_err(|_| {
                    payload.error(of_group(Fault::OutOfRange(format!("there is no rank {rank}"))))
                })?);
            }
            Ok(Group::List(Arc::from(members)))
        }
        other => Err(payload.error(of_group(Fault::expected("a form 0 or 1", other)))),
    }
}

/// Writes groups, preceded by their number.
pub fn write_groups(groups: &Groups<'_>) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    payload.count(groups.all().len());
    for group in groups.all() {
        match group {
            Group::Strided { first, stride, size } => {
                payload.number(STRIDED);
                for number in [*first, *stride, *size] {
                    payload.number(number);
                }
            }
            Group::List(ranks) => {
                payload.number(LIST);
                payload.count(ranks.len());
                let mut before = 0;
                for &rank in ranks.iter() {
                    payload.signed(i64::from(rank) - before);
                    before = i64::from(rank);
                }
            }
        }
    }
    payload
}

/// Reads collectives on these groups.
pub fn read(payload: &mut Payload<'_>, groups: &[Group]) -> Result<Vec<RecordedCollective>, Fault> {
    let count = payload.count(6, "collectives")?;
    let mut collectives = Vec::new();
    for _ in 0..count {
        let number = payload.number()?;
        let group = usize::try_from(number).ok().and_then(|number| groups.get(number));
        let group = group.cloned().ok_or_else(|| {
            payload.error(Fault::OutOfRange(format!(
                "there is no group {number}, only {} of them",
                groups.len()
            )))
        })?;
        let number = payload.number()?;
        let call = MpiCall::from_number(number).ok_or_else(|| {
            payload.error(Fault::OutOfRange(format!("there is no call {number}, only 0 to 16")))
        })?;
        let root = match payload.number()? {
            0 => None,
            more => Some(u32::try_from(more - 1).unwrap_or(u32::MAX)),
        };
        let calls = payload.number()?;
        let bytes = payload.whole_value("bytes of a call")?;
        let sizes = read_sizes(payload)?;
        collectives.push(RecordedCollective { call, group, root, calls, bytes, sizes });
    }
    Ok(collectives)
}

fn read_sizes(payload: &mut Payload<'_>) -> Result<Vec<(u32, u32, f64)>, Fault> {
    let count = payload.count(3, "sizes")?;
    let mut sizes = Vec::with_capacity(count);
    for _ in 0..count {
        sizes.push((payload.small("member")?, payload.small("member")?, payload.value()?));
    }
    if !sizes.is_sorted_by_key(|&(from, to, _)| (from, to)) {
        sizes.sort_by_key(|&(from, to, _)| (from, to));
    }
    Ok(sizes)
}

/// Writes collectives whose groups have numbers.
pub fn write<'a>(collectives: &'a [RecordedCollective], groups: &mut Groups<'a>) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    payload.count(collectives.len());
    for collective in collectives {
        payload.number(groups.number(&collective.group));
        payload.number(collective.call.number());
        payload.number(collective.root.map_or(0, |root| u64::from(root) + 1));
        payload.number(collective.calls);
        payload.whole_value(collective.bytes);
        payload.count(collective.sizes.len());
        for &(from, to, bytes) in &collective.sizes {
            payload.number(from);
            payload.number(to);
            payload.value(bytes);
        }
    }
    payload
}

/// Checks that each is a single call, as events require.
pub fn check_single_calls(collectives: &[RecordedCollective]) -> Result<(), Fault> {
    match collectives.iter().position(|collective| collective.calls != 1) {
        None => Ok(()),
        Some(number) => Err(Fault::expected("1 call", collectives[number].calls)
            .within(format!("collective {number}"))),
    }
}

/// The model's collectives for recorded ones. Groups with the same root stay shared.
pub fn of_recorded(recorded: &[RecordedCollective]) -> Vec<Collective> {
    let mut groups = Groups::default();
    let mut from_root: HashMap<(u32, u32), Group> = HashMap::new();
    let mut collectives = Vec::with_capacity(recorded.len());
    for RecordedCollective { call, group, root, calls, bytes, sizes } in recorded {
        let (operation, group, bytes) = match call.operation() {
            Some(operation) => {
                let (number, root) = (groups.number(group), root.unwrap_or(0));
                let entry = from_root.entry((number, root));
                let turned = entry.or_insert_with(|| group.from_root(root)).clone();
                let bytes = match call.is_irregular() {
                    true => mean(sizes, group.size(), *calls),
                    false => *bytes,
                };
                (operation, turned, bytes)
            }
            None => {
                let pairs = sizes.iter().copied().filter(|&(_, _, bytes)| bytes > 0.0);
                let pairs = VariableSizes::Pairs(pairs.collect());
                (Operation::AllToAllVariable(pairs), group.clone(), 0)
            }
        };
        collectives.push(Collective { operation, group, calls: *calls, bytes });
    }
    collectives
}

/// The rounded mean per member and call.
fn mean(sizes: &[(u32, u32, f64)], members: u32, calls: u64) -> u64 {
    let all: f64 = sizes.iter().map(|&(_, _, bytes)| bytes).sum();
    (all / f64::from(members) / calls as f64).round() as u64
}

/// The recorded form of a collective of the model.
pub fn to_recorded(collective: &Collective, calls: u64) -> RecordedCollective {
    let call = MpiCall::of(&collective.operation);
    let mut sizes = Vec::new();
    if let Operation::AllToAllVariable(of_pairs) = &collective.operation {
        let members = collective.group.size();
        of_pairs.for_each(members, |from, to, bytes| sizes.push((from, to, bytes)));
    }
    RecordedCollective {
        call,
        group: collective.group.clone(),
        root: call.is_rooted().then_some(0),
        calls,
        bytes: if call.is_irregular() { 0 } else { collective.bytes },
        sizes,
    }
}
