//! Bokhari's MAPPER from the sweep placement, as the HAEC thesis uses it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::best_attempt::BestAttempt;
use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::in_order::InOrder;
use crate::mapping::Mapping;
use crate::objective::{Cardinality, Objective};
use crate::problem::Problem;
use crate::refiner::Mapper;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::SpecError;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "bokhari",
    summary: "MAPPER: pairwise exchange with random jumps, from sweep, for cardinality",
    example: "bokhari:runs=1",
    parameters: &[
        Mapper::PARAMETERS[0],
        Mapper::PARAMETERS[1],
        Parameter {
            name: "runs",
            default: "8",
            summary: "searches with different random choices, of which the best is kept",
        },
    ],
    build: |spec| {
        let expected = "a number from 1 to 1000000";
        let runs = spec.get("runs", expected)?.unwrap_or(Bokhari::default().runs);
        if !(1..=1_000_000).contains(&runs) {
            return Err(SpecError::new(format!(
                "bokhari: expected {expected} for \"runs\", found \"{runs}\""
            )));
        }
        Ok(Arc::new(Bokhari { mapper: Mapper::from_spec(spec)?, runs }))
    },
};

/// MAPPER from the sweep placement; optimises cardinality unless an objective is given.
#[derive(Debug, Clone, Copy)]
pub struct Bokhari {
    /// One search.
    pub mapper: Mapper,
    /// How many searches, of which the best counts: a single search ends at the first jump that
    /// increases the cost, sometimes early, sometimes late.
    pub runs: u64,
}

impl Default for Bokhari {
    fn default() -> Self {
        Bokhari { mapper: Mapper::default(), runs: 8 }
    }
}

impl Strategy for Bokhari {
    fn usual_objective(&self) -> &'static dyn Objective {
        &Cardinality
    }

    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(self.usual_objective());
        // Sweep goes through the nodes in the order of their numbers, as in-order does.
        let start = InOrder.map(problem, None, run)?;
        let share = run.evaluations_left().div_ceil(self.runs);
        let done = AtomicU64::new(0);
        let search = |attempt: u64| {
            let mut part = run.part_with_evaluations(share);
            if attempt > 0 && part.must_stop() {
                return None;
            }
            let mapping =
                self.mapper.improve(problem, objective, start.clone(), attempt, &mut part);
            let cost = objective.cost(problem, &mapping);
            run.found(cost);
            run.progress("attempts", done.fetch_add(1, Ordering::Relaxed) + 1, self.runs);
            Some(BestAttempt::new(attempt, mapping, cost, &part))
        };
        let best = (0..self.runs).into_par_iter().filter_map(search).reduce_with(BestAttempt::join);
        let best = best.expect("the first search always runs");
        best.count_in(run);
        Ok(best.mapping)
    }
}
