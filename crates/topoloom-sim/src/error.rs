//! Why a simulation cannot begin or cannot go on.

use std::fmt;

use thiserror::Error;
use topoloom_model::budget::{BudgetError, MEMORY_VARIABLE};
use topoloom_model::words::counted;
use topoloom_model::{Event, Machine, Mapping, Trace};

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SimulationError {
    /// The machine knows distances only.
    #[error("{0} has no links, so nothing can be simulated on it")]
    NoLinks(String),
    /// The machine has more links than can be kept.
    #[error("{machine} has up to {links} links; at most {most} can be simulated")]
    TooManyLinks {
        /// The machine.
        machine: String,
        /// Its links.
        links: u64,
        /// The largest number allowed.
        most: u64,
    },
    /// Links that messages do not share, in a model where they queue.
    #[error(
        "{0} has links that messages do not share (fat pipes), which packets cannot cross side by \
         side; the flow model can"
    )]
    FatPipes(String),
    /// More memory or more events than the budget allows.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// Collectives that were not expanded.
    #[error("the trace has collectives; they must be expanded before it is simulated")]
    CollectivesLeft,
    /// A mapping for a different number of ranks.
    #[error("the mapping places {}, but the trace has {ranks}", counted(*mapped, "rank"))]
    WrongRanks {
        /// Ranks of the mapping.
        mapped: usize,
        /// Ranks of the trace.
        ranks: usize,
    },
    /// Some ranks wait for something that never comes.
    #[error("the trace is inconsistent: {0}")]
    Inconsistent(Stuck),
    /// More messages at once than fit in memory.
    #[error(
        "more than {0} messages are in transit or awaited at once, which is the most that fits in \
         memory; set {MEMORY_VARIABLE} to raise this limit"
    )]
    TooManyMessages(usize),
    /// The simulated time does not fit.
    #[error("the simulated time is too large to be counted")]
    TooLong,
}

/// Ranks that wait for something that never comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// How many ranks wait.
    pub ranks: usize,
    /// What some of them wait for, in words.
    pub examples: Vec<String>,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.examples.join("; "))?;
        match self.ranks.saturating_sub(self.examples.len()) {
            0 => Ok(()),
            1 => write!(f, "; and 1 more rank waits"),
            more => write!(f, "; and {more} more ranks wait"),
        }
    }
}

/// Whether trace, machine and mapping fit together.
pub(crate) fn check(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
) -> Result<(), SimulationError> {
    if !machine.topology().is_wired() {
        return Err(SimulationError::NoLinks(machine.spec().to_string()));
    }
    let (mapped, ranks) = (mapping.num_ranks(), trace.num_ranks());
    if mapped != ranks {
        return Err(SimulationError::WrongRanks { mapped, ranks });
    }
    let is_collective = |event: &Event| matches!(event, Event::Collective { .. });
    if trace.programs().iter().flatten().any(is_collective) {
        return Err(SimulationError::CollectivesLeft);
    }
    Ok(())
}
