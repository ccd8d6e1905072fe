//! Calls as PyTorch records them, in both kinds of its traces.

use std::sync::Arc;

use topoloom_core::training::Operation;

use super::elements;
use super::group_names::kind_of;
use super::operations::{self, Meaning};
use super::rank_trace::{Counted, GroupCall, Message, OwnGroup, RankTrace, check_members};
use super::scalar::Scalar;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::traffic::ranks::ranks;

/// What PyTorch writes about a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct RecordedCall {
    pub name: String,
    pub element: Scalar,
    pub input: Scalar,
    pub output: Scalar,
    pub group_name: Scalar,
    pub group_description: Scalar,
    pub group_size: Scalar,
    /// World ranks as text, `[0, 1]`; long lists end in `...`.
    pub group_ranks: Scalar,
    pub first: Scalar,
    pub stride: Scalar,
    /// The number in the group: of the partner for messages, of the root if there is one, else of
    /// the rank itself.
    pub number: Scalar,
    /// The world rank of a message's sender.
    pub source: Scalar,
    /// The world rank of a message's receiver.
    pub destination: Scalar,
    /// How the bytes of an all-to-all are shared out, as text.
    pub split: Scalar,
}

impl RecordedCall {
    /// What is wrong with it, if it cannot be counted. A reader knows the line.
    pub fn check(&self) -> Result<(), String> {
        if operations::meaning(&self.name) == Meaning::Nothing {
            return Ok(());
        }
        let counts = [("the elements sent", &self.input), ("the elements received", &self.output)];
        for (what, count) in counts {
            if count.count().is_none() {
                let found = count.shown();
                return Err(format!("{what}: expected a whole number, found {found}"));
            }
        }
        Ok(())
    }

    /// Members that the call itself names.
    fn members(&self) -> Option<Arc<[u32]>> {
        let size = self.group_size.count()?;
        let listed = self.group_ranks.text().and_then(|text| {
            let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?;
            inside.split(',').map(|rank| rank.trim().parse().ok()).collect::<Option<Vec<u32>>>()
        });
        if let Some(listed) = listed.filter(|listed| listed.len() as u64 == size) {
            return Some(listed.into());
        }
        let (first, stride) = (self.first.count()?, self.stride.count()?);
        let size = ranks(size).ok()?;
        let member = |number: u32| {
            let rank = stride.checked_mul(u64::from(number))?.checked_add(first)?;
            u32::try_from(rank).ok()
        };
        (stride > 0 || size == 1).then(|| (0..size).map(member).collect()).flatten()
    }
}

/// Adds calls to a trace whose groups are known so far as they are listed.
pub(super) fn add_all(trace: &mut RankTrace, calls: &Counted<RecordedCall>) -> Result<(), Fault> {
    for (call, _) in calls.iter() {
        find_rank(trace, call)?;
    }
    if trace.rank.is_none() {
        trace.rank = trace.rank_in_all_groups();
    }
    for (call, times) in calls.iter() {
        add(trace, call, *times)?;
    }
    Ok(())
}

/// The group of a call, which joins the groups of the trace if it is new.
fn group_of(trace: &mut RankTrace, call: &RecordedCall) -> Result<Option<usize>, Fault> {
    let name = match (&call.group_name, call.group_name.whole()) {
        (Scalar::Text(text), _) => text.clone(),
        (_, Some(number)) => number.to_string(),
        (_, None) => return Ok(None),
    };
    if let Some(known) = trace.groups.iter().position(|group| group.name == name) {
        return Ok(Some(known));
    }
    let before: u64 = trace.groups.iter().map(|group| group.members.len() as u64).sum();
    check_members(before.saturating_add(call.group_size.count().unwrap_or(0)))?;
    let Some(members) = call.members() else { return Ok(None) };
    let description = call.group_description.text().unwrap_or_default();
    trace.groups.push(OwnGroup { kind: kind_of(description, &members), name, members });
    Ok(Some(trace.groups.len() - 1))
}

/// Calls of everyone tell the number of the rank in its group.
fn find_rank(trace: &mut RankTrace, call: &RecordedCall) -> Result<(), Fault> {
    let together = match operations::meaning(&call.name) {
        Meaning::Together(operation) => operation != Operation::Broadcast,
        _ => false,
    };
    if !together {
        return Ok(());
    }
    let Some(group) = group_of(trace, call)? else { return Ok(()) };
    if trace.rank.is_none()
        && let Some(number) = call.number.count()
    {
        trace.rank = trace.groups[group].members.get(number as usize).copied();
    }
    Ok(())
}

fn add(trace: &mut RankTrace, call: &RecordedCall, times: u64) -> Result<(), Fault> {
    let meaning = operations::meaning(&call.name);
    if meaning == Meaning::Nothing {
        return Ok(());
    }
    let Some(group) = group_of(trace, call)? else {
        trace.leave_out("whose group is not in the trace", times);
        return Ok(());
    };
    let element = call.element.text().unwrap_or_default();
    let Some(size) = elements::bytes_of(element) else {
        let element = shown(element.as_bytes());
        trace.leave_out(format!("with elements of an unknown type, {element}"), times);
        return Ok(());
    };
    let of = |count: &Scalar| count.count().unwrap_or(0).saturating_mul(size);
    let (input, output) = (of(&call.input), of(&call.output));
    let members = trace.groups[group].members.len();
    match meaning {
        Meaning::Together(operation) => {
            if operation == Operation::AllToAll && !is_even(&call.split) {
                trace.note(
                    "all-to-alls with unequal shares count as if the shares were equal",
                    times,
                );
            }
            let bytes = operations::bytes(operation, input, output, members);
            trace.calls.add(GroupCall { group, operation, bytes }, times);
        }
        Meaning::Reduce => {
            trace.note(operations::REDUCTIONS, times);
            let operation = Operation::Broadcast;
            trace.calls.add(GroupCall { group, operation, bytes: input.max(output) }, times);
        }
        Meaning::Send | Meaning::Receive => {
            let sends = meaning == Meaning::Send;
            let bytes = if sends { input } else { output };
            match ends(trace, call, group, sends) {
                Some((from, to)) => {
                    trace.messages.add(Message { group: Some(group), from, to, bytes }, times);
                }
                None => {
                    trace.leave_out("between two ranks whose partner is not in the trace", times)
                }
            }
        }
        Meaning::Nothing => {}
        Meaning::Unknown => {
            let name = shown(call.name.as_bytes());
            trace.leave_out(format!("of {name}, which is not supported"), times);
        }
    }
    Ok(())
}

/// Whether shares are equal, or not written.
fn is_even(split: &Scalar) -> bool {
    let text = split.text().unwrap_or_default();
    let shares = text.trim().trim_start_matches('[').trim_end_matches(']').split(',');
    let mut shares = shares.map(str::trim).filter(|share| !share.is_empty() && *share != "...");
    let first = shares.next();
    shares.all(|share| Some(share) == first)
}

/// The sender and the receiver of a message.
fn ends(trace: &RankTrace, call: &RecordedCall, group: usize, sends: bool) -> Option<(u32, u32)> {
    let members = &trace.groups[group].members;
    let own = trace.rank?;
    let named = if sends { &call.destination } else { &call.source };
    let named = named.count().and_then(|rank| u32::try_from(rank).ok());
    let by_number = || members.get(usize::try_from(call.number.count()?).ok()?).copied();
    // In a group of two the partner is the other one.
    let other = || match members[..] {
        [a, b] if a == own => Some(b),
        [a, b] if b == own => Some(a),
        _ => None,
    };
    let partner = named.or_else(other).or_else(by_number).filter(|&partner| partner != own)?;
    Some(if sends { (own, partner) } else { (partner, own) })
}
