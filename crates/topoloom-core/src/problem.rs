//! What is to be placed where: traffic, machine and weight together.

use thiserror::Error;

use crate::machine::Machine;
use crate::traffic::{CommunicationGraph, Traffic, Weight};

/// Why traffic and machine do not go together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProblemError {
    /// There are more ranks than slots.
    #[error("{ranks} ranks do not fit {slots} slots ({machine}, {slots_per_node} a node)")]
    TooManyRanks {
        /// The number of ranks.
        ranks: usize,
        /// The number of slots.
        slots: usize,
        /// The machine.
        machine: String,
        /// Its slots a node.
        slots_per_node: u32,
    },
    /// There is nothing to place.
    #[error("the traffic has no ranks")]
    NoRanks,
}

/// What is to be placed where. Fixed while strategies work on it.
#[derive(Debug, Clone)]
pub struct Problem {
    traffic: Traffic,
    machine: Machine,
    weight: Weight,
    graph: CommunicationGraph,
}

impl Problem {
    /// Puts traffic and machine together. Collectives of `traffic` do not count; expand them
    /// before with [`Traffic::with_collectives`].
    pub fn new(traffic: Traffic, machine: Machine, weight: Weight) -> Result<Self, ProblemError> {
        let ranks = traffic.num_ranks();
        if ranks == 0 {
            return Err(ProblemError::NoRanks);
        }
        if ranks > machine.num_slots() {
            return Err(ProblemError::TooManyRanks {
                ranks,
                slots: machine.num_slots(),
                machine: machine.spec().to_string(),
                slots_per_node: machine.slots_per_node(),
            });
        }
        let graph = traffic.graph(weight);
        Ok(Problem { traffic, machine, weight, graph })
    }

    /// What the application sends.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Where it runs.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Which number of a flow counts.
    pub fn weight(&self) -> Weight {
        self.weight
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
