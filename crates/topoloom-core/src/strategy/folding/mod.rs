//! Grids onto grids: finds the grid that an application computes on and folds it into the box
//! of the machine.
//!
//! A path of a*b cells lies on an a x b mesh with every step one hop: it snakes. So each axis of
//! the application is written in digits, one for each dimension that it snakes along, and what
//! is left over of several axes shares a dimension in a layout of its own.

mod detection;
mod digits;
mod fold;
mod layers;
mod layout;
mod logical;
mod polish;
mod shape;
mod walks;

use std::sync::Arc;

pub(crate) use detection::detect;
pub(crate) use logical::LogicalGrid;

use self::digits::Axis;
use self::shape::Shape;
use super::{NotApplicable, Strategy, StrategyEntry};
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "folding",
    summary: "finds the grid in the traffic and folds it into the machine's box",
    example: "folding",
    parameters: &[Parameter {
        name: "polish",
        default: "3",
        summary: "how many of the best folds are improved by exchanges of ranks",
    }],
    build: |spec| {
        spec.no_shape()?;
        let usual = Folding::default();
        let polish = spec.get("polish", "a number")?.unwrap_or(usual.polish);
        Ok(Arc::new(Folding { polish }))
    },
};

/// Folds of each kind that are judged under the objective itself.
const MOST_FOLDS: usize = 8;

/// Folds the application's grid into the machine's box.
#[derive(Debug, Clone, Copy)]
pub struct Folding {
    /// How many of the best folds are improved by exchanges of ranks.
    pub polish: usize,
}

impl Default for Folding {
    fn default() -> Self {
        Folding { polish: 3 }
    }
}

impl Strategy for Folding {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        if problem.machine().topology().grid_lengths().is_none() {
            return Err(NotApplicable("folding needs a machine whose nodes fill a box".into()));
        }
        let grid = detect(problem.graph()).ok_or_else(|| {
            NotApplicable("folding needs traffic on a grid; this shows none".into())
        })?;
        run.note(format!("folding: the traffic is on a grid of {grid}"));
        let objective = objective.unwrap_or(&HopBytes);
        let candidates = candidates(problem, &grid, objective, run);
        let mut best: Option<(f64, Mapping)> = None;
        for (position, (cost, mapping)) in candidates.into_iter().enumerate() {
            let (cost, mapping) = if position < self.polish {
                polish::exchange(problem, objective, mapping, run)
            } else {
                (cost, mapping)
            };
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, mapping));
            }
        }
        best.map(|(_, mapping)| mapping)
            .ok_or_else(|| NotApplicable("folding found no way to fold the grid".into()))
    }
}

/// Folds of `grid` into the machine, each with its cost under `objective`, cheapest first;
/// none where the nodes of the machine fill no box.
pub(crate) fn candidates(
    problem: &Problem,
    grid: &LogicalGrid,
    objective: &dyn Objective,
    run: &mut Run,
) -> Vec<(f64, Mapping)> {
    let Some(shape) = Shape::of(problem.machine()) else { return Vec::new() };
    let axes: Vec<Axis> = (0..grid.axes())
        .map(|axis| Axis {
            length: grid.lengths[axis],
            periodic: grid.periodic[axis],
            weight: grid.weights[axis],
        })
        .collect();
    let mut found: Vec<Vec<u32>> = Vec::new();
    let cells = || (0..problem.num_ranks()).map(|rank| grid.cell(rank));
    for fold in fold::cheapest_folds(&axes, &shape.dimensions, MOST_FOLDS, run) {
        found.push(cells().map(|cell| fold.slot(cell)).collect());
    }
    for fold in layers::layer_folds(grid, &axes, &shape, MOST_FOLDS / 2, run) {
        found.push(cells().map(|cell| fold.slot(cell)).collect());
    }
    found.extend(walks::along_curves(grid, problem.machine()));
    let mut costed: Vec<(f64, Mapping)> = Vec::with_capacity(found.len());
    for slots in found {
        if let Ok(mapping) = Mapping::new(slots, problem.machine()) {
            run.count(1);
            costed.push((objective.cost(problem, &mapping), mapping));
        }
    }
    // Stable, so that of equal ones the first stays first.
    costed.sort_by(|a, b| a.0.total_cmp(&b.0));
    costed
}
