//! The problem to solve: traffic, machine and weight together.

use std::sync::OnceLock;

use thiserror::Error;

use crate::budget::{self, BudgetError};
use crate::list::CommonMemory;
use crate::machine::Machine;
use crate::mapping::{InvalidMapping, Mapping};
use crate::sharing::Sharing;
use crate::traffic::{CommunicationGraph, Traffic, TrafficBuilder, Weight};
use crate::words::counted;

/// Why traffic and machine do not fit together.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProblemError {
    /// There are more ranks than slots.
    #[error(
        "{} do not fit {} ({machine}, {slots_per_node} per node)",
        counted(*ranks, "rank"), counted(*slots, "slot")
    )]
    TooManyRanks {
        /// The number of ranks.
        ranks: usize,
        /// The number of slots.
        slots: usize,
        /// The machine.
        machine: String,
        /// Its slots per node.
        slots_per_node: u32,
    },
    /// A value that is not an imbalance.
    #[error("expected an imbalance of at least 0, such as 0.03, found {0}")]
    WrongImbalance(f64),
    /// A rank that does not fit in any slot.
    #[error("rank {rank} weighs {weight}, but a slot takes at most {capacity}")]
    RankTooHeavy {
        /// The rank.
        rank: usize,
        /// Its weight.
        weight: f64,
        /// The capacity of a slot.
        capacity: f64,
    },
    /// There is nothing to place.
    #[error("the traffic has no ranks")]
    NoRanks,
    /// The problem needs more memory than the budget of this process.
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

/// The measured memory for scoring a placement, per rank, pair and link. Links beyond this many per
/// node are stored only if they are used.
const BYTES_OF_RANK: u64 = 64;
const BYTES_OF_FLOW: u64 = 16;
const BYTES_OF_LINK: u64 = 32;
const LINKS_PER_NODE: u64 = 16;

/// Refuses problems that could be read but not scored.
fn check_memory(traffic: &Traffic, machine: &Machine) -> Result<(), BudgetError> {
    let (ranks, flows) = (traffic.num_ranks() as u64, traffic.num_flows() as u64);
    let links = machine.topology().num_links().min(LINKS_PER_NODE * machine.num_nodes() as u64);
    let bytes = ranks * BYTES_OF_RANK + flows * BYTES_OF_FLOW + links * BYTES_OF_LINK;
    let what = format!("placing {} on {}", counted(ranks, "rank"), machine.spec());
    budget::memory().check(&what, bytes)
}

/// Lower bounds on hop-bytes with their names, once they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptBounds {
    /// The best of those that take no longer than scoring a placement.
    pub quick: OnceLock<(f64, &'static str)>,
    /// The best of all.
    pub best: OnceLock<(f64, &'static str)>,
}

/// The problem to solve. It does not change while strategies work on it.
#[derive(Debug, Clone)]
pub struct Problem {
    traffic: Traffic,
    machine: Machine,
    weight: Weight,
    graph: CommunicationGraph,
    imbalance: Option<f64>,
    sharing: Option<Sharing>,
    bounds: KeptBounds,
}

impl Problem {
    /// Puts traffic and machine together, with one rank per slot. Collectives of `traffic` do not
    /// count; expand them first with [`Traffic::with_collectives`].
    pub fn new(traffic: Traffic, machine: Machine, weight: Weight) -> Result<Self, ProblemError> {
        Self::with_imbalance(traffic, machine, weight, None)
    }

    /// Like [`Problem::new`]; with an imbalance E, ranks may share slots, and a slot takes at most
    /// floor((1 + E) * ceil(W / slots)) of the weight W of all ranks.
    ///
    /// ```
    /// use topoloom_core::{Machine, Problem, Weight, parse_pattern};
    /// let traffic = parse_pattern("ring:1000").unwrap();
    /// let machine = Machine::parse("tree:4:8:8,distances=1:10:100").unwrap();
    /// let problem = Problem::with_imbalance(traffic, machine, Weight::Bytes, Some(0.03)).unwrap();
    /// // ceil(1000 / 256) = 4, and 3 % more is no whole rank.
    /// assert_eq!(problem.sharing().unwrap().slot_capacity, 4.0);
    /// ```
    pub fn with_imbalance(
        traffic: Traffic,
        machine: Machine,
        weight: Weight,
        imbalance: Option<f64>,
    ) -> Result<Self, ProblemError> {
        let (ranks, slots) = (traffic.num_ranks(), machine.num_slots());
        if ranks == 0 {
            return Err(ProblemError::NoRanks);
        }
        let sharing = match imbalance {
            Some(imbalance) => sharing(&traffic, slots, imbalance)?,
            None => None,
        };
        if ranks > slots && sharing.is_none() {
            return Err(ProblemError::TooManyRanks {
                ranks,
                slots,
                machine: machine.spec().to_string(),
                slots_per_node: machine.slots_per_node(),
            });
        }
        check_memory(&traffic, &machine)?;
        let graph = traffic.graph(weight);
        Ok(Problem {
            traffic,
            machine,
            weight,
            graph,
            imbalance,
            sharing,
            bounds: KeptBounds::default(),
        })
    }

    /// Moves what does not change to memory that several processes have in common.
    pub fn move_to(&mut self, memory: &dyn CommonMemory) {
        let before = self.traffic.clone();
        self.traffic.move_to(memory);
        self.graph.move_to(memory, &before, &self.traffic);
    }

    /// The place where lower bounds are stored once they are known.
    pub(crate) fn kept_bounds(&self) -> &KeptBounds {
        &self.bounds
    }

    /// The imbalance that was given.
    pub fn imbalance(&self) -> Option<f64> {
        self.imbalance
    }

    /// The capacity of a slot if several ranks may share one. `None` if each rank has its own slot,
    /// because no imbalance was given or because it leaves no room for two.
    pub fn sharing(&self) -> Option<Sharing> {
        self.sharing
    }

    /// How much of a slot a rank takes: its computing load if the traffic has any, otherwise 1.
    #[inline]
    pub fn rank_weight(&self, rank: u32) -> f64 {
        self.traffic.rank_weights().map_or(1.0, |weights| weights[rank as usize])
    }

    /// The mapping that puts rank r in `slot_of_rank[r]`, if this problem allows it.
    pub fn mapping(&self, slot_of_rank: Vec<u32>) -> Result<Mapping, InvalidMapping> {
        let (found, expected) = (slot_of_rank.len(), self.num_ranks());
        if found != expected {
            return Err(InvalidMapping::WrongLength { found, expected });
        }
        match self.sharing {
            None => Mapping::new(slot_of_rank, &self.machine),
            Some(sharing) => {
                let weight = |rank: usize| self.rank_weight(rank as u32);
                Mapping::shared(slot_of_rank, &self.machine, weight, sharing.slot_capacity)
            }
        }
    }

    /// What the application sends.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Where it runs.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Which property of a flow counts.
    pub fn weight(&self) -> Weight {
        self.weight
    }

    /// What groups of ranks exchange, as bytes of the weight that counts. Rank r belongs to group
    /// `group_of[r]`.
    pub(crate) fn between_groups(&self, group_of: &[u32], groups: u32) -> Traffic {
        let mut builder = TrafficBuilder::new(groups);
        self.traffic.for_each_flow(self.weight, |from, to, weight| {
            let (from, to) = (group_of[from as usize], group_of[to as usize]);
            if from != to {
                builder.add(from, to, 1.0, weight);
            }
        });
        builder.build()
    }

    /// Both directions of each pair together.
    pub fn graph(&self) -> &CommunicationGraph {
        &self.graph
    }

    /// The number of ranks.
    pub fn num_ranks(&self) -> usize {
        self.traffic.num_ranks()
    }

    /// The number of slots.
    pub fn num_slots(&self) -> usize {
        self.machine.num_slots()
    }
}

fn sharing(
    traffic: &Traffic,
    slots: usize,
    imbalance: f64,
) -> Result<Option<Sharing>, ProblemError> {
    if !imbalance.is_finite() || imbalance < 0.0 {
        return Err(ProblemError::WrongImbalance(imbalance));
    }
    let ranks = traffic.num_ranks();
    let Some(weights) = traffic.rank_weights() else {
        let sharing = Sharing::new(imbalance, ranks as f64, slots);
        return Ok((sharing.slot_capacity >= 2.0).then_some(sharing));
    };
    let sharing = Sharing::new(imbalance, weights.iter().sum(), slots);
    let capacity = sharing.slot_capacity;
    if let Some(rank) = weights.iter().position(|&weight| weight > capacity) {
        return Err(ProblemError::RankTooHeavy { rank, weight: weights[rank], capacity });
    }
    let mut lightest = [f64::INFINITY; 2];
    for &weight in weights {
        if weight < lightest[0] {
            lightest = [weight, lightest[0]];
        } else if weight < lightest[1] {
            lightest[1] = weight;
        }
    }
    let two_fit = lightest[0] + lightest[1] <= capacity;
    Ok((two_fit || ranks > slots).then_some(sharing))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_pattern;

    fn weighted(weights: &[f64], machine: &str, imbalance: f64) -> Result<Problem, ProblemError> {
        let mut builder = TrafficBuilder::new(weights.len() as u32);
        builder.set_rank_weights(weights.to_vec());
        let machine = Machine::parse(machine).unwrap();
        Problem::with_imbalance(builder.build(), machine, Weight::Bytes, Some(imbalance))
    }

    #[test]
    fn a_wrong_imbalance_and_a_rank_that_fits_nowhere_are_refused_in_words() {
        for wrong in [-0.1, f64::NAN, f64::INFINITY] {
            let message = weighted(&[1.0], "mesh:2", wrong).unwrap_err().to_string();
            assert!(message.starts_with("expected an imbalance of at least 0"), "{message}");
        }
        // 202 on 2 slots: 101 each, 111 with a tenth more.
        let message = weighted(&[1.0, 1.0, 200.0], "mesh:2", 0.1).unwrap_err().to_string();
        assert_eq!(message, "rank 2 weighs 200, but a slot takes at most 111");
    }

    #[test]
    fn a_mapping_may_fill_slots_up_to_their_capacity() {
        // 6 on 2 slots: 3 each.
        let problem = weighted(&[1.0, 1.0, 1.0, 2.0, 1.0], "mesh:2", 0.0).unwrap();
        assert!(problem.mapping(vec![0, 0, 0, 1, 1]).is_ok());
        let wrong = |slots: &[u32]| problem.mapping(slots.to_vec()).unwrap_err().to_string();
        assert_eq!(wrong(&[0, 0, 1, 1, 1]), "slot 1 holds 4, but at most 3 is allowed");
        assert_eq!(wrong(&[0, 0, 0, 0]), "4 slots for 5 ranks");
        assert!(wrong(&[0, 0, 0, 1, 2]).contains("the machine has slots 0 to 1"));
    }

    #[test]
    fn an_imbalance_that_leaves_no_room_for_two_is_one_rank_a_slot() {
        let traffic = parse_pattern("ring:4").unwrap();
        let machine = Machine::parse("torus:4").unwrap();
        let problem = Problem::with_imbalance(traffic, machine, Weight::Bytes, Some(0.03)).unwrap();
        assert_eq!(problem.sharing(), None);
        assert_eq!(problem.imbalance(), Some(0.03));
        assert!(problem.mapping(vec![0, 0, 1, 2]).is_err());
    }
}
