//! How a placement is made better.

mod anneal;
pub(crate) mod hubs;
mod mapper;
mod relieve;
pub(crate) mod surroundings;
mod swap;
pub(crate) mod tabu;
mod trail;

use std::fmt::Debug;
use std::sync::Arc;

pub use anneal::Anneal;
pub use mapper::Mapper;
pub use relieve::Relieve;
pub(crate) use surroundings::Surroundings;
pub use swap::Swap;
pub use tabu::Tabu;

use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::registry::{Entry, Registry};
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// Makes a placement better; never worse under the objective.
pub trait Refiner: Debug + Send + Sync {
    /// What the refiner optimises when it is told nothing.
    fn usual_objective(&self) -> &'static dyn Objective {
        &HopBytes
    }

    /// Whether it can place several ranks in a slot, as an imbalance allows. Other refiners are
    /// not run on such problems.
    fn shares_slots(&self) -> bool {
        false
    }

    /// A placement at least as good as `start`; without an objective, under the usual one.
    fn refine(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping;
}

/// The better of what a search found and its start. The cost that the search tracked may be off by
/// rounding: the definition has the last word, unless time is up before it is counted.
fn better(
    problem: &Problem,
    objective: &dyn Objective,
    found: Mapping,
    start: Mapping,
    run: &Run,
) -> Mapping {
    let costs = objective
        .cost_within(problem, &found, run)
        .zip(objective.cost_within(problem, &start, run));
    match costs {
        Some((cost, before)) if cost >= before => start,
        _ => found,
    }
}

/// Makes a refiner from a specification.
pub type RefinerBuilder = fn(&Spec) -> Result<Arc<dyn Refiner>, SpecError>;

/// An entry of [`REFINERS`].
pub type RefinerEntry = Entry<RefinerBuilder>;

/// Every known refiner.
pub static REFINERS: Registry<RefinerBuilder> = Registry {
    kind: "refiner",
    entries: &[&mapper::ENTRY, &swap::ENTRY, &tabu::ENTRY, &anneal::ENTRY, &relieve::ENTRY],
    common: &[],
};
