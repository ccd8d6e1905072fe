//! The default: the best of several strategies, never worse than in-order.

use std::sync::Arc;

use rayon::prelude::*;

use super::bokhari::Bokhari;
use super::curves::CURVES;
use super::in_order::InOrder;
use super::minmd::MinMd;
use super::{NotApplicable, Strategy, StrategyEntry};
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::{Mapper, Refiner};
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "auto",
    summary: "the best of the curves, minmd and bokhari; never worse than in-order",
    example: "auto",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Auto))
    },
};

/// Evaluations that a candidate may use: enough for a thousand slots to converge, and an end
/// for a million.
const EVALUATIONS_OF_A_CANDIDATE: u64 = 30_000_000;

/// The best of several strategies.
#[derive(Debug, Clone, Copy)]
pub struct Auto;

/// A strategy, and which objective it gets.
struct Candidate {
    name: &'static str,
    strategy: Box<dyn Strategy>,
    with_objective: bool,
}

fn candidates() -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = vec![
        Candidate { name: "in-order", strategy: Box::new(InOrder), with_objective: true },
        Candidate { name: "minmd", strategy: Box::new(MinMd { limit: 1 }), with_objective: true },
        Candidate {
            name: "minmd, each node filled at once",
            strategy: Box::new(MinMd { limit: u32::MAX }),
            with_objective: true,
        },
        Candidate {
            name: "bokhari for cardinality",
            strategy: Box::new(Bokhari::default()),
            with_objective: false,
        },
        Candidate { name: "bokhari", strategy: Box::new(Bokhari::default()), with_objective: true },
    ];
    candidates.extend(CURVES.iter().map(|&curve| Candidate {
        name: curve.name,
        strategy: Box::new(curve),
        with_objective: true,
    }));
    candidates
}

impl Strategy for Auto {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(&HopBytes);
        let shared = problem.sharing().is_some();
        let mut candidates = candidates();
        candidates.retain(|candidate| !shared || candidate.strategy.shares_slots());
        // One share is kept for the refinement of the winner.
        let share = run.evaluations_left() / (candidates.len() as u64 + 1);
        let share = share.min(EVALUATIONS_OF_A_CANDIDATE);
        let results: Vec<_> = candidates
            .into_par_iter()
            .map(|candidate| {
                let mut part = run.part_with_evaluations(share);
                let given = candidate.with_objective.then_some(objective);
                let mapping = candidate.strategy.map(problem, given, &mut part).ok();
                let costed = mapping.map(|mapping| (objective.cost(problem, &mapping), mapping));
                (candidate.name, costed, part)
            })
            .collect();
        let mut best: Option<(f64, Mapping, &str)> = None;
        for (name, costed, part) in results {
            if let Some((cost, mapping)) = costed
                && best.as_ref().is_none_or(|(least, _, _)| cost < *least)
            {
                best = Some((cost, mapping, name));
            }
            absorb(run, part);
        }
        let Some((cost, mapping, name)) = best else {
            return InOrder.map(problem, None, run); // Says why.
        };
        if shared {
            run.note(format!("auto: {name}"));
            return Ok(mapping);
        }

        let mut part = run.part_with_evaluations(share);
        let refined =
            Mapper::default().refine(problem, Some(objective), mapping.clone(), &mut part);
        absorb(run, part);
        if objective.cost(problem, &refined) < cost {
            run.note(format!("auto: {name}, then bokhari for {}", objective.name()));
            return Ok(refined);
        }
        run.note(format!("auto: {name}"));
        Ok(mapping)
    }
}

/// Counts what a part has used. That it used up its own share does not cut the whole short;
/// that the whole has no more time does.
fn absorb(run: &mut Run, part: Run) {
    let stopped = part.was_cut_short();
    run.absorb(part);
    if stopped {
        run.must_stop();
    }
}
