//! Traffic derived from other traffic, one file per operation. Collectives stay as they are
//! wherever that makes sense.

mod coarsen;
mod filter;
mod merge;
mod scale;
mod symmetrize;

#[cfg(test)]
mod tests;

pub use filter::{Filter, Filtered};
pub use merge::MergeError;
pub use scale::{ScaleError, Scaled, Scaling};
pub use symmetrize::BothWays;

use std::sync::Arc;

use super::{Collective, Group, Operation, Traffic, TrafficBuilder, VariableSizes};

/// A builder with the ranks of `traffic`, and its rank weights.
fn builder_like(traffic: &Traffic) -> TrafficBuilder {
    let mut builder =
        TrafficBuilder::with_capacity(traffic.num_ranks() as u32, traffic.num_flows());
    if let Some(weights) = traffic.rank_weights() {
        builder.set_rank_weights(weights.to_vec());
    }
    builder
}

/// Whether everything goes to or from the first member.
fn is_rooted(operation: &Operation) -> bool {
    use Operation::{Broadcast, Gather, Reduce, Scatter};
    matches!(operation, Broadcast | Gather | Reduce | Scatter)
}

/// The collective whose ranks have other numbers. Members without a number no longer exist. `None`
/// if nothing of it is left: a single member, or members without the root.
fn renumbered(collective: &Collective, number: impl Fn(u32) -> Option<u32>) -> Option<Collective> {
    let members = collective.group.size();
    let mut new_member: Vec<Option<u32>> = Vec::with_capacity(members as usize);
    let mut ranks: Vec<u32> = Vec::new();
    for member in 0..members {
        let rank = number(collective.group.member(member));
        new_member.push(rank.map(|_| ranks.len() as u32));
        ranks.extend(rank);
    }
    let has_root = new_member.first().is_some_and(Option::is_some);
    let alone = ranks.is_empty() || (ranks.len() < 2 && members > 1);
    if alone || (is_rooted(&collective.operation) && !has_root) {
        return None;
    }
    let operation = match &collective.operation {
        // Unchanged, as long as all members are there.
        Operation::AllToAllVariable(sizes) if ranks.len() < members as usize => {
            let mut pairs = Vec::new();
            sizes.for_each(members, |from, to, bytes| {
                if let (Some(from), Some(to)) = (new_member[from as usize], new_member[to as usize])
                {
                    pairs.push((from, to, bytes));
                }
            });
            Operation::AllToAllVariable(VariableSizes::Pairs(pairs.into()))
        }
        same => same.clone(),
    };
    let group = Group::of_members(Arc::from(ranks));
    Some(Collective { operation, group, calls: collective.calls, bytes: collective.bytes })
}
