//! Exhaustive search: the best pairs of ranks, or the best placement, of small problems.

mod branches;
mod estimate;
mod every;
mod pairs;
mod splits;

use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::gilmore_lawler::Costs;
use super::greedy::Greedy;
use super::place_tree::PlaceTree;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::Swap;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "exhaustive",
    summary: "proves the least cost of all placements; with :pairs, the best pairs of ranks",
    example: "exhaustive:limit=1000000000",
    parameters: &[Parameter {
        name: "limit",
        default: "1000000000",
        summary: "most steps of work, counted in advance, that it accepts",
    }],
    build: |spec| Ok(Arc::new(Exhaustive::from_spec(spec)?)),
};

/// Slots up to which the costs between all of them are kept.
const MOST_SLOTS_IN_A_TABLE: usize = 2048;

/// The best of all possibilities.
#[derive(Debug, Clone, Copy)]
pub struct Exhaustive {
    /// Whether only the pairs of ranks that share the closest places count.
    pub pairs: bool,
    /// The maximum steps of work; a larger search is not started.
    pub limit: u64,
}

impl Exhaustive {
    fn from_spec(spec: &Spec) -> Result<Exhaustive, SpecError> {
        let pairs = match spec.shape.as_deref() {
            None => false,
            Some("pairs") => true,
            Some(other) => {
                return Err(SpecError::new(format!(
                    "exhaustive: expected pairs or options of the form key=value, found \"{other}\""
                )));
            }
        };
        let limit = spec.get("limit", "a number")?.unwrap_or(1_000_000_000);
        Ok(Exhaustive { pairs, limit })
    }

    /// An error in words if there is more to do than the limit allows.
    fn check(&self, steps: f64, what: &str) -> Result<(), NotApplicable> {
        if steps <= self.limit as f64 {
            return Ok(());
        }
        Err(NotApplicable(format!(
            "{what}, {} at 10 million per second; give limit=... to try anyway, or use auto",
            estimate::duration_in_words(steps / 1e7)
        )))
    }

    /// A placement of least cost.
    fn least(
        &self,
        problem: &Problem,
        objective: &dyn Objective,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let tree = PlaceTree::whole(problem.machine());
        if let (Some(tree), Some(weights)) = (tree, splits::pair_weights(problem, objective)) {
            let unit = |distance| objective.pair_cost(1.0, distance).expect("a sum over pairs");
            let mut splits = splits::Splits::new(tree, problem, &weights, unit)
                .map_err(|reason| NotApplicable(format!("{reason}; use auto")))?;
            let steps = splits.steps();
            self.check(steps, &estimate::many(steps, "ways to split ranks over groups"))?;
            let known = quick_placement(problem, objective, run)?;
            let found = splits.solve(run);
            return Ok(self.proved(found, known, problem, objective, run));
        }
        let is_sum = objective.pair_cost(1.0, 1).is_some();
        let placements = estimate::placements(problem, is_sum);
        let what = estimate::many(placements, "placements");
        // This check comes before the tables are built, because that takes long too.
        self.check(placements, &what)?;
        if problem.num_slots() <= MOST_SLOTS_IN_A_TABLE
            && let Some(costs) = Costs::new(problem, objective)
        {
            let known = quick_placement(problem, objective, run)?;
            let found = branches::search(&costs, problem, objective, &known, run);
            return Ok(self.proved(found, known, problem, objective, run));
        }
        // Each evaluation visits everything that a rank sends and receives.
        let look = 10.0 + 2.0 * problem.graph().num_pairs() as f64 / problem.num_ranks() as f64;
        self.check(placements * look, &what)?;
        let known = quick_placement(problem, objective, run)?;
        let found = every::search(problem, objective, &known, run);
        Ok(self.proved(found, known, problem, objective, run))
    }

    /// The better of the found and the known placement, and a note on what that means.
    fn proved(
        &self,
        found: Option<Mapping>,
        known: Mapping,
        problem: &Problem,
        objective: &dyn Objective,
        run: &mut Run,
    ) -> Mapping {
        let name = objective.name();
        run.note(match run.was_cut_short() {
            true => format!(
                "exhaustive: stopped by a limit; the placement may not have the least {name}"
            ),
            false => format!("exhaustive: no placement has less {name}"),
        });
        let cost = |mapping: &Mapping| objective.cost(problem, mapping);
        found.filter(|found| cost(found) <= cost(&known)).unwrap_or(known)
    }
}

impl Strategy for Exhaustive {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        if !self.pairs {
            return self.least(problem, objective.unwrap_or(&HopBytes), run);
        }
        let steps = pairs::ways(problem.num_ranks());
        self.check(steps, &estimate::many(steps, "ways to pair ranks"))?;
        let pairs = pairs::best_pairs(problem, run);
        let slots = pairs::place(problem, &pairs);
        Ok(Mapping::new(slots, problem.machine()).expect("each slot is taken once"))
    }
}

/// Any placement, to have one in any case and as a cost to beat.
fn quick_placement(
    problem: &Problem,
    objective: &dyn Objective,
    run: &mut Run,
) -> Result<Mapping, NotApplicable> {
    let grown = Greedy.map(problem, Some(objective), run)?;
    let mut part = run.part_with_evaluations(run.evaluations_left() / 2);
    let mapping = Swap::default().improve(problem, objective, &grown, &mut part);
    run.count(part.evaluations());
    Ok(mapping)
}
