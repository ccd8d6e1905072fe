//! Multilevel mapping: the traffic is coarsened, split over the machine's own hierarchy, and
//! refined under the real cost on the way back.

use std::sync::Arc;

use super::{NotApplicable, Strategy, StrategyEntry};
use crate::effort::Effort;
use crate::mapping::Mapping;
use crate::multilevel::{self, Work};
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::Swap;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "multilevel",
    summary: "coarsens the traffic, splits it over the machine's hierarchy, refines hop-bytes",
    example: "multilevel",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Multilevel))
    },
};

/// Exchanges that are judged for each rank at the end of a fast run.
const FAST_EXCHANGES: u64 = 50;

/// Multilevel mapping, with as much work as the effort of the run says.
#[derive(Debug, Clone, Copy)]
pub struct Multilevel;

impl Strategy for Multilevel {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let work = Work::of(run.effort());
        let slots = multilevel::place(problem, &work, run);
        let mapping = problem.mapping(slots).map_err(|reason| NotApplicable(reason.to_string()))?;
        if problem.sharing().is_some() {
            return Ok(mapping);
        }
        let swap = match run.effort() {
            Effort::Fast => Swap { evaluations_per_rank: FAST_EXCHANGES, ..Swap::default() },
            Effort::Eco | Effort::Strong => Swap::default(),
        };
        Ok(swap.improve(problem, objective.unwrap_or(&HopBytes), &mapping, run))
    }
}
