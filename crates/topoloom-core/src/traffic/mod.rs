//! What the application sends: who talks to whom, how often and how much.

mod builder;
mod collective;
mod expand;
mod graph;
pub mod patterns;

pub use builder::TrafficBuilder;
pub use collective::{Collective, Group, Operation, VariableSizes};
pub use expand::{CollectiveMode, TooManyFlows};
pub use graph::CommunicationGraph;

use std::fmt;
use std::str::FromStr;

use crate::ids::Rank;

/// Which number of a message pair counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weight {
    /// Bytes sent.
    #[default]
    Bytes,
    /// Messages sent, whatever their size.
    Messages,
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Weight::Bytes => "bytes",
            Weight::Messages => "messages",
        })
    }
}

impl FromStr for Weight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "bytes" => Ok(Weight::Bytes),
            "messages" => Ok(Weight::Messages),
            _ => Err(format!("unknown weight \"{text}\"; known: bytes, messages")),
        }
    }
}

/// What one rank sends to one other (or to itself) in the whole run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// Bytes in all; whole numbers are exact up to 2^53.
    pub bytes: f64,
    /// Messages in all.
    pub messages: f64,
}

impl Flow {
    /// The number that `weight` selects.
    #[inline]
    pub fn weight(&self, weight: Weight) -> f64 {
        match weight {
            Weight::Bytes => self.bytes,
            Weight::Messages => self.messages,
        }
    }
}

/// The traffic of an application: directed, in compressed rows, with bytes and messages of
/// every pair, and its collective operations apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    num_ranks: u32,
    row_start: Vec<usize>,
    receiver: Vec<u32>,
    bytes: Vec<f64>,
    messages: Vec<f64>,
    rank_weights: Option<Vec<f64>>,
    collectives: Vec<Collective>,
}

impl Traffic {
    /// The number of ranks.
    pub fn num_ranks(&self) -> usize {
        self.num_ranks as usize
    }

    /// The number of ordered pairs that exchange anything point to point, self pairs included.
    pub fn num_flows(&self) -> usize {
        self.receiver.len()
    }

    /// Everything that `rank` sends point to point, by rising receiver.
    pub fn flows_from(&self, rank: Rank) -> impl Iterator<Item = Flow> + '_ {
        let row = self.row_start[rank.index()]..self.row_start[rank.index() + 1];
        row.map(move |entry| Flow {
            from: rank,
            to: Rank(self.receiver[entry]),
            bytes: self.bytes[entry],
            messages: self.messages[entry],
        })
    }

    /// Every point-to-point flow, by rising sender, then receiver.
    pub fn flows(&self) -> impl Iterator<Item = Flow> + '_ {
        (0..self.num_ranks).flat_map(|rank| self.flows_from(Rank(rank)))
    }

    /// The sum of `weight` over all flows, self pairs included.
    pub fn total(&self, weight: Weight) -> f64 {
        match weight {
            Weight::Bytes => self.bytes.iter().sum(),
            Weight::Messages => self.messages.iter().sum(),
        }
    }

    /// The computing load of each rank, where the source had one.
    pub fn rank_weights(&self) -> Option<&[f64]> {
        self.rank_weights.as_deref()
    }

    /// The collective operations; they are not among the flows.
    pub fn collectives(&self) -> &[Collective] {
        &self.collectives
    }

    /// Both directions of each pair together under `weight`, without self pairs.
    pub fn graph(&self, weight: Weight) -> CommunicationGraph {
        graph::combine_directions(self, weight)
    }
}
