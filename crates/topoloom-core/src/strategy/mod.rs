//! How placements are found.

mod a_star;
mod auto;
mod best_attempt;
mod bipartition;
mod bisection;
mod bokhari;
mod consecutive;
mod curves;
mod dimensions;
mod exhaustive;
mod filling;
pub(crate) mod folding;
mod genetic;
mod grasp;
mod greedy;
mod in_order;
mod launchers;
mod matching;
mod minmd;
mod multilevel;
mod permute;
mod pipeline;
mod place_tree;
pub mod rahtm;
mod random;
mod random_sampling;
mod rcm;
mod tiles;
mod unfinished;

use std::fmt::Debug;
use std::sync::Arc;

use thiserror::Error;

pub(crate) use bisection::Bisection;
pub use curves::{CURVES, Curve};
pub use genetic::ordered_crossover;
pub use pipeline::parse_strategy;

use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::registry::{Entry, Registry};
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// Why a strategy cannot be used on a problem.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotApplicable(pub String);

/// Finds a placement.
pub trait Strategy: Debug + Send + Sync {
    /// What the strategy optimises when it is told nothing.
    fn usual_objective(&self) -> &'static dyn Objective {
        &HopBytes
    }

    /// Whether it can place several ranks in a slot, as an imbalance allows. Other strategies are
    /// not run on such problems.
    fn shares_slots(&self) -> bool {
        false
    }

    /// A placement for `problem`; without an objective, for the usual one. The same seed gives
    /// the same placement on any number of threads, unless a time limit cuts the run short.
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable>;
}

/// Makes a strategy from a specification.
pub type StrategyBuilder = fn(&Spec) -> Result<Arc<dyn Strategy>, SpecError>;

/// An entry of [`STRATEGIES`].
pub type StrategyEntry = Entry<StrategyBuilder>;

/// Every known strategy.
pub static STRATEGIES: Registry<StrategyBuilder> = Registry {
    kind: "strategy",
    entries: &[
        &auto::ENTRY,
        &multilevel::ENTRY,
        &in_order::ENTRY,
        &launchers::BLOCK,
        &launchers::ROUND_ROBIN,
        &consecutive::ENTRY,
        &curves::SWEEP,
        &curves::SCAN,
        &curves::PEANO,
        &curves::GRAY,
        &curves::HILBERT,
        &folding::ENTRY,
        &permute::ENTRY,
        &tiles::ENTRY,
        &rahtm::ENTRY,
        &random::ENTRY,
        &random_sampling::ENTRY,
        &bokhari::ENTRY,
        &minmd::ENTRY,
        &greedy::ENTRY,
        &rcm::ENTRY,
        &bisection::ENTRY,
        &bipartition::ENTRY,
        &matching::ENTRY,
        &genetic::ENTRY,
        &grasp::ENTRY,
        &a_star::ENTRY,
        &exhaustive::ENTRY,
    ],
    common: &[],
};
