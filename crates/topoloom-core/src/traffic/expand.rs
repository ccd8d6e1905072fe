//! Turns collective operations into messages.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{Collective, Group, Operation, Traffic, TrafficBuilder};

/// What becomes of collective operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CollectiveMode {
    /// They are left out.
    #[default]
    None,
    /// An all-to-all is one message a pair; rooted ones go to or from the root; an allreduce is
    /// a reduce to member 0 and a broadcast from it, and so is a barrier, with empty messages.
    Direct,
    /// As MPI libraries do them: binomial trees, recursive doubling, pairwise exchange,
    /// dissemination.
    Algorithm,
}

impl fmt::Display for CollectiveMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CollectiveMode::None => "none",
            CollectiveMode::Direct => "direct",
            CollectiveMode::Algorithm => "algorithm",
        })
    }
}

impl FromStr for CollectiveMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(CollectiveMode::None),
            "direct" => Ok(CollectiveMode::Direct),
            "algorithm" => Ok(CollectiveMode::Algorithm),
            _ => Err(format!("unknown collective mode \"{text}\"; known: none, direct, algorithm")),
        }
    }
}

impl Traffic {
    /// The same traffic with its collectives turned into messages, or dropped. Refuses what would
    /// be more flows than memory holds.
    pub fn with_collectives(&self, mode: CollectiveMode) -> Result<Traffic, TooManyFlows> {
        let flows: u64 = match mode {
            CollectiveMode::None => 0,
            _ => self.collectives().iter().map(most_flows).fold(0, u64::saturating_add),
        };
        if flows > MOST_FLOWS {
            return Err(TooManyFlows(flows));
        }
        let mut builder = TrafficBuilder::with_capacity(self.num_ranks() as u32, self.num_flows());
        for flow in self.flows() {
            builder.add(flow.from.0, flow.to.0, flow.messages, flow.bytes);
        }
        if let Some(weights) = self.rank_weights() {
            builder.set_rank_weights(weights.to_vec());
        }
        for collective in self.collectives() {
            match mode {
                CollectiveMode::None => {}
                CollectiveMode::Direct => direct(collective, &mut builder),
                CollectiveMode::Algorithm => algorithm(collective, &mut builder),
            }
        }
        Ok(builder.build())
    }
}

/// What collectives may become: 24 bytes a flow while they are collected, and as many after.
const MOST_FLOWS: u64 = 1 << 28;

/// Collectives that would be more messages than memory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the collectives are up to {0} flows between pairs; at most {MOST_FLOWS} are possible")]
pub struct TooManyFlows(pub u64);

/// No expansion of a collective has more flows than this.
fn most_flows(collective: &Collective) -> u64 {
    let members = u64::from(collective.group.size());
    match collective.operation {
        Operation::AllToAll | Operation::AllToAllVariable(_) => members * members,
        _ => members * u64::from(members.max(1).ilog2() + 2),
    }
}

/// Adds one message from member to member for each call.
struct Sender<'a> {
    builder: &'a mut TrafficBuilder,
    group: &'a Group,
    calls: f64,
}

impl Sender<'_> {
    fn send(&mut self, from: u32, to: u32, bytes: f64) {
        let (from, to) = (self.group.member(from), self.group.member(to));
        self.builder.add(from, to, self.calls, self.calls * bytes);
    }
}

fn direct(collective: &Collective, builder: &mut TrafficBuilder) {
    let members = collective.group.size();
    let bytes = collective.bytes as f64;
    let calls = collective.calls as f64;
    let mut sender = Sender { builder, group: &collective.group, calls };
    match &collective.operation {
        Operation::Barrier => {
            (1..members).for_each(|member| sender.send(member, 0, 0.0));
            (1..members).for_each(|member| sender.send(0, member, 0.0));
        }
        Operation::Broadcast => (1..members).for_each(|member| sender.send(0, member, bytes)),
        Operation::Reduce => (1..members).for_each(|member| sender.send(member, 0, bytes)),
        Operation::Allreduce => {
            (1..members).for_each(|member| sender.send(member, 0, bytes));
            (1..members).for_each(|member| sender.send(0, member, bytes));
        }
        Operation::AllToAll => every_ordered_pair(members, |from, to| sender.send(from, to, bytes)),
        Operation::AllToAllVariable(_) => variable(collective, builder),
    }
}

fn algorithm(collective: &Collective, builder: &mut TrafficBuilder) {
    let members = collective.group.size();
    let bytes = collective.bytes as f64;
    let calls = collective.calls as f64;
    let mut sender = Sender { builder, group: &collective.group, calls };
    match &collective.operation {
        Operation::Barrier => dissemination(members, |from, to| sender.send(from, to, 0.0)),
        Operation::Broadcast => {
            binomial_tree(members, |parent, child| sender.send(parent, child, bytes));
        }
        Operation::Reduce => {
            binomial_tree(members, |parent, child| sender.send(child, parent, bytes));
        }
        Operation::Allreduce => {
            recursive_doubling(members, |from, to| sender.send(from, to, bytes));
        }
        // Pairwise exchange: in round k each member sends to the one k further on.
        Operation::AllToAll => every_ordered_pair(members, |from, to| sender.send(from, to, bytes)),
        Operation::AllToAllVariable(_) => variable(collective, builder),
    }
}

fn every_ordered_pair(members: u32, mut send: impl FnMut(u32, u32)) {
    for from in 0..members {
        for to in (0..members).filter(|&to| to != from) {
            send(from, to);
        }
    }
}

/// Each member other than 0 gets its copy from the member whose number lacks its lowest bit.
fn binomial_tree(members: u32, mut edge: impl FnMut(u32, u32)) {
    for child in 1..members {
        edge(child & (child - 1), child);
    }
}

/// Members beyond the largest power of two fold into a lower one first and are told at the end.
fn recursive_doubling(members: u32, mut send: impl FnMut(u32, u32)) {
    if members < 2 {
        return;
    }
    let power = 1 << members.max(1).ilog2();
    for extra in power..members {
        send(extra, extra - power);
        send(extra - power, extra);
    }
    let mut distance = 1;
    while distance < power {
        (0..power).for_each(|member| send(member, member ^ distance));
        distance *= 2;
    }
}

/// In round k each member tells the one 2^k further on, around the ring.
fn dissemination(members: u32, mut send: impl FnMut(u32, u32)) {
    let mut distance = 1u64;
    while distance < u64::from(members) {
        for member in 0..members {
            let to = (u64::from(member) + distance) % u64::from(members);
            send(member, to as u32);
        }
        distance *= 2;
    }
}

fn variable(collective: &Collective, builder: &mut TrafficBuilder) {
    let Operation::AllToAllVariable(sizes) = &collective.operation else { return };
    let members = collective.group.size();
    let table = sizes.table();
    every_ordered_pair(members, |from, to| {
        let bytes = table[from as usize * members as usize + to as usize];
        if bytes > 0.0 {
            let (from, to) = (collective.group.member(from), collective.group.member(to));
            builder.add(from, to, collective.calls as f64, bytes);
        }
    });
}

impl super::VariableSizes {
    /// The sizes by sender, then receiver, in all calls together.
    pub fn table(&self) -> std::sync::Arc<[f64]> {
        match self {
            super::VariableSizes::Table(table) => table.clone(),
            super::VariableSizes::Keys(keys) => keys.bytes_of_pairs().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(walk: impl Fn(&mut dyn FnMut(u32, u32))) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        walk(&mut |a, b| found.push((a, b)));
        found
    }

    #[test]
    fn the_binomial_tree_of_six_reaches_everyone_once() {
        let tree = edges(|edge| binomial_tree(6, edge));
        assert_eq!(tree, [(0, 1), (0, 2), (2, 3), (0, 4), (4, 5)]);
    }

    #[test]
    fn recursive_doubling_of_six_folds_the_last_two() {
        // 2 x 2 folding messages and log2(4) rounds of 4 messages.
        assert_eq!(edges(|send| recursive_doubling(6, send)).len(), 4 + 2 * 4);
    }

    #[test]
    fn dissemination_takes_ceil_log2_rounds() {
        assert_eq!(edges(|send| dissemination(5, send)).len(), 3 * 5);
        assert_eq!(edges(|send| dissemination(1, send)).len(), 0);
    }

    #[test]
    fn more_flows_than_memory_holds_are_refused() {
        let traffic = crate::parse_pattern("ft:class=D,ranks=1048576").unwrap();
        assert!(traffic.with_collectives(CollectiveMode::Direct).is_err());
        assert!(traffic.with_collectives(CollectiveMode::None).is_ok());
    }

    #[test]
    fn a_direct_all_to_all_is_one_message_a_pair_and_call() {
        let mut builder = TrafficBuilder::new(4);
        builder.add_collective(Collective {
            operation: Operation::AllToAll,
            group: Group::Strided { first: 1, stride: 2, size: 2 },
            calls: 3,
            bytes: 10,
        });
        let traffic = builder.build().with_collectives(CollectiveMode::Direct).unwrap();
        let flows: Vec<_> =
            traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect();
        assert_eq!(flows, [(1, 3, 3.0, 30.0), (3, 1, 3.0, 30.0)]);
    }
}
