//! Hosts with their slots, and consecutive ranks that fill one host each.

use std::sync::Arc;

use super::quotient::quotient;
use crate::cluster::ObjectKind;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::domains_of_nodes;
use crate::problem::Problem;
use crate::strategy::definition::NotApplicable;
use crate::topology::Cluster;
use crate::traffic::{Traffic, TrafficBuilder, Weight};

/// Blocks of consecutive ranks, each as large as a host.
pub(super) struct Blocks {
    /// Slots of a host, and so ranks of a block; the last block may be smaller.
    pub(super) size: u32,
    pub(super) count: u32,
    ranks: u32,
    /// A machine whose nodes are hosts.
    pub(super) machine: Machine,
    /// The first slot of each host, by the node of `machine`.
    first_slot: Vec<u32>,
    /// The node of `machine` of each slot.
    host_of_slot: Vec<u32>,
    /// What NVLink joins, by the node of `machine`.
    pub(super) domains: Vec<u32>,
}

/// The traffic between blocks on hosts.
pub(super) struct BlockProblem {
    /// With the messages of ranks in order, weighted by their kinds.
    pub(super) frozen: Problem,
    /// With groups, if their messages depend on the placement of whole hosts.
    pub(super) exact: Option<Problem>,
}

fn not(error: impl std::fmt::Display) -> NotApplicable {
    NotApplicable(error.to_string())
}

impl Blocks {
    pub(super) fn of(problem: &Problem) -> Result<Blocks, NotApplicable> {
        if problem.sharing().is_some() {
            return Err(not("it places at most one rank per slot"));
        }
        let machine = problem.machine();
        let per_node = machine.slots_per_node();
        let (hosts, size, first_slot) = match machine.topology().cluster() {
            Some(cluster) => {
                let mut description = cluster.description().clone();
                description.place = ObjectKind::Node;
                description.seats = Vec::new();
                description.hosts.iter_mut().for_each(|host| host.slots = None);
                let hosts = Cluster::new(description).map_err(not)?;
                let nodes = |host: u32| {
                    cluster.tree().group(cluster.host_groups()[host as usize]).nodes.clone()
                };
                let ranges: Vec<_> = hosts.places().iter().map(|place| nodes(place.host)).collect();
                let size = ranges.first().map_or(0, |range| range.len() as u32);
                if ranges.iter().any(|range| range.len() as u32 != size) {
                    return Err(not("hosts differ in their number of places"));
                }
                let first = ranges.iter().map(|range| range.start * per_node).collect();
                let hosts =
                    Machine::with_topology("cluster:hosts", Arc::new(hosts)).map_err(not)?;
                (hosts, size * per_node, first)
            }
            None => {
                let nodes = machine.num_nodes() as u32;
                let first: Vec<u32> = (0..nodes).map(|node| node * per_node).collect();
                (machine.with_one_slot(), per_node, first)
            }
        };
        let mut host_of_slot = vec![0; machine.num_slots()];
        for (host, &first) in (0..).zip(&first_slot) {
            host_of_slot[first as usize..(first + size) as usize].fill(host);
        }
        let ranks = problem.num_ranks() as u32;
        let domains = domains_of_nodes(&hosts);
        let count = ranks.div_ceil(size);
        Ok(Blocks { size, count, ranks, machine: hosts, first_slot, host_of_slot, domains })
    }

    /// The ranks of the last block, if it is smaller than the others.
    pub(super) fn ranks_of_last(&self) -> Option<u32> {
        Some(self.ranks % self.size).filter(|&ranks| ranks > 0)
    }

    /// The block of a rank.
    pub(super) fn block_of(&self, rank: u32) -> u32 {
        rank / self.size
    }

    /// The host of each slot.
    pub(super) fn host_of_slot(&self, slot: u32) -> u32 {
        self.host_of_slot[slot as usize]
    }

    /// The node of `machine` that a host of the list is.
    pub(super) fn node_of_host(&self, host: u32) -> Option<u32> {
        match self.machine.topology().cluster() {
            Some(cluster) => {
                cluster.places().iter().position(|place| place.host == host).map(|at| at as u32)
            }
            None => ((host as usize) < self.machine.num_nodes()).then_some(host),
        }
    }

    /// The mapping of ranks if blocks are on these hosts.
    pub(super) fn mapping(
        &self,
        problem: &Problem,
        hosts: &Mapping,
    ) -> Result<Mapping, NotApplicable> {
        let slot = |rank: u32| {
            let host = hosts.slots()[self.block_of(rank) as usize];
            self.first_slot[host as usize] + rank % self.size
        };
        problem.mapping((0..self.ranks).map(slot).collect()).map_err(not)
    }

    /// The host of each block; none if blocks are not whole.
    pub(super) fn order_of(&self, mapping: &Mapping) -> Option<Vec<u32>> {
        let slots = mapping.slots();
        let mut order = Vec::with_capacity(self.count as usize);
        for block in 0..self.count {
            let first = (block * self.size) as usize;
            let ranks = self.size.min(self.ranks - block * self.size) as usize;
            let host = self.host_of_slot(slots[first]);
            let start = self.first_slot[host as usize];
            let in_order = (start..).zip(&slots[first..first + ranks]);
            if in_order.into_iter().any(|(wanted, &slot)| slot != wanted) {
                return None;
            }
            order.push(host);
        }
        Some(order)
    }

    /// The traffic between blocks.
    pub(super) fn problem(&self, problem: &Problem) -> Result<BlockProblem, NotApplicable> {
        let traffic = problem.traffic();
        let Some(step) = traffic.step() else {
            let blocks: Vec<u32> = (0..self.ranks).map(|rank| self.block_of(rank)).collect();
            let between = traffic.contracted(&blocks, self.count);
            let frozen =
                Problem::new(between, self.machine.clone(), problem.weight()).map_err(not)?;
            return Ok(BlockProblem { frozen, exact: None });
        };
        let small = quotient(step, self.size, self.count);
        let frozen = self.frozen(step);
        let frozen = Problem::new(frozen, self.machine.clone(), Weight::Bytes).map_err(not)?;
        let mut different = self.domains.clone();
        different.sort_unstable();
        different.dedup();
        let depends = different.len() < self.domains.len();
        let exact = match small.filter(|_| depends) {
            Some(small) => {
                let traffic = small.traffic_on(|block| block).map_err(not)?;
                Some(Problem::new(traffic, self.machine.clone(), Weight::Bytes).map_err(not)?)
            }
            None => None,
        };
        Ok(BlockProblem { frozen, exact })
    }

    /// The weighted messages between blocks with ranks in order.
    fn frozen(&self, step: &crate::training::StepTraffic) -> Traffic {
        let mut builder = TrafficBuilder::new(self.count);
        let mut carrier = crate::training::Carrier::default();
        let block = |rank: u32| self.block_of(rank);
        for kind in step.kinds.iter().filter(|kind| kind.weight > 0.0) {
            for (number, group) in kind.groups.iter().enumerate() {
                let calls = kind.calls(number);
                carrier.messages(group, calls, step.carry, block, |from, to, bytes| {
                    if block(from) != block(to) {
                        builder.add(block(from), block(to), 1.0, kind.weight * bytes);
                    }
                });
            }
        }
        builder.build()
    }
}
