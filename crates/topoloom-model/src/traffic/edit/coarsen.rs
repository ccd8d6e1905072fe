//! Groups of ranks as one rank each.

use std::sync::Arc;

use super::super::{Collective, Group, Operation, Traffic, TrafficBuilder, VariableSizes};

/// The most groups of different sizes that have a table of what each pair exchanges. If there are
/// more, the mean counts.
const MOST_IN_TABLE: usize = 4096;

impl Traffic {
    /// The traffic of groups: rank r becomes `group_of[r]`, below `groups`. What ranks of a group
    /// send to each other becomes a self message, or is left out. Rank weights add up. If there are
    /// none, groups of different sizes weigh as much as they have ranks.
    ///
    /// A collective goes on among the groups of its members, each in the place of its first member.
    /// Inside one group nothing is left of it. Members that sent or got their own parts do so
    /// together: with `n` ranks in each group, an all-to-all of `b` bytes becomes one of `n * n *
    /// b`, and a gather one of `n * b`. If groups differ in size, every pair has its own size. A
    /// broadcast, a reduction and a barrier stay as they are.
    pub fn coarsened(&self, group_of: &[u32], groups: u32, drop_inside: bool) -> Traffic {
        let mut builder = TrafficBuilder::with_capacity(groups, self.num_flows());
        for flow in self.flows() {
            let (from, to) = (group_of[flow.from.index()], group_of[flow.to.index()]);
            if from != to || !drop_inside {
                builder.add(from, to, flow.messages, flow.bytes);
            }
        }
        let mut sizes = vec![0.0; groups as usize];
        group_of.iter().for_each(|&group| sizes[group as usize] += 1.0);
        if let Some(own) = self.rank_weights() {
            let mut weights = vec![0.0; groups as usize];
            group_of.iter().zip(own).for_each(|(&group, own)| weights[group as usize] += own);
            builder.set_rank_weights(weights);
        } else if sizes.iter().any(|&size| size != sizes[0]) {
            builder.set_rank_weights(sizes);
        }
        for collective in self.collectives() {
            if let Some(coarse) = coarsened(collective, group_of, groups) {
                builder.add_collective(coarse);
            }
        }
        builder.build()
    }
}

fn coarsened(collective: &Collective, group_of: &[u32], groups: u32) -> Option<Collective> {
    let members = collective.group.size();
    let mut place = vec![u32::MAX; groups as usize];
    let mut distinct: Vec<u32> = Vec::new();
    let mut counts: Vec<u64> = Vec::new();
    let mut place_of_member = Vec::with_capacity(members as usize);
    for member in 0..members {
        let group = group_of[collective.group.member(member) as usize];
        let place = &mut place[group as usize];
        if *place == u32::MAX {
            *place = distinct.len() as u32;
            distinct.push(group);
            counts.push(0);
        }
        counts[*place as usize] += 1;
        place_of_member.push(*place);
    }
    // A single rank has always been alone.
    if distinct.len() < 2 && members > 1 {
        return None;
    }
    let (operation, bytes) = match &collective.operation {
        Operation::AllToAllVariable(sizes) => {
            let sizes = added_up(sizes, members, &place_of_member, distinct.len());
            (Operation::AllToAllVariable(sizes), collective.bytes)
        }
        Operation::Barrier | Operation::Broadcast | Operation::Reduce | Operation::Allreduce => {
            (collective.operation.clone(), collective.bytes)
        }
        own_parts => of_own_parts(own_parts, collective, &counts),
    };
    let group = Group::of_members(Arc::from(distinct));
    Some(Collective { operation, group, calls: collective.calls, bytes })
}

/// Operations in which every member has its own part, for groups with this many members.
fn of_own_parts(operation: &Operation, whole: &Collective, counts: &[u64]) -> (Operation, u64) {
    let is_all_to_all = *operation == Operation::AllToAll;
    if counts.iter().all(|count| *count == counts[0]) || counts.len() > MOST_IN_TABLE {
        let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        let times = if is_all_to_all { mean * mean } else { mean };
        return (operation.clone(), (whole.bytes as f64 * times).round() as u64);
    }
    let all = whole.bytes as f64 * whole.calls as f64;
    let mut pairs = Vec::new();
    for from in 0..counts.len() {
        for to in (0..counts.len()).filter(|&to| to != from) {
            let (of_sender, of_receiver) = (counts[from] as f64, counts[to] as f64);
            let parts = match operation {
                Operation::AllToAll => of_sender * of_receiver,
                Operation::Allgather => of_sender,
                Operation::Gather if to == 0 => of_sender,
                Operation::ReduceScatter => of_receiver,
                Operation::Scatter if from == 0 => of_receiver,
                _ => 0.0,
            };
            if parts * all > 0.0 {
                pairs.push((from as u32, to as u32, parts * all));
            }
        }
    }
    (Operation::AllToAllVariable(VariableSizes::Pairs(pairs.into())), 0)
}

/// Sizes of pairs of members added up to sizes of pairs of groups.
fn added_up(
    sizes: &VariableSizes,
    members: u32,
    place_of_member: &[u32],
    groups: usize,
) -> VariableSizes {
    if groups == members as usize {
        return sizes.clone();
    }
    let mut pairs: Vec<(u32, u32, f64)> = Vec::new();
    sizes.for_each(members, |from, to, bytes| {
        pairs.push((place_of_member[from as usize], place_of_member[to as usize], bytes));
    });
    pairs.sort_by_key(|&(from, to, _)| (from, to));
    pairs.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 += next.2;
        }
        same
    });
    VariableSizes::Pairs(pairs.into())
}
