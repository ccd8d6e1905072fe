//! Grids onto grids: finds the grid that an application computes on and folds it into the box
//! of the machine.
//!
//! A path of a*b cells lies on an a x b mesh with every step one hop: it snakes. So each axis of
//! the application is written in digits, one for each dimension that it snakes along, and the
//! remainders of several axes share a dimension in their own layout.

mod bisection;
mod digits;
mod fold;
mod groups;
mod layers;
mod layout;
mod polish;
mod shape;
mod walks;

use std::sync::Arc;

use self::digits::Axis;
use self::shape::Shape;
use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::unfinished::in_order_instead;
use crate::clock::Clock;
use crate::grid_detection::{LogicalGrid, detect};
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
        summary: "number of best folds to improve by exchanges of ranks",
    }],
    build: |spec| {
        spec.no_shape()?;
        let usual = Folding::default();
        let polish = spec.get("polish", "a number")?.unwrap_or(usual.polish);
        Ok(Arc::new(Folding { polish }))
    },
};

/// Folds of each kind that are evaluated under the objective itself.
const MOST_FOLDS: usize = 8;

/// Exchanges repair seams, but a placement that costs more than this relative to the cheapest does
/// not catch up.
const WORTH_POLISHING: f64 = 1.2;

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
        let topology = problem.machine().topology();
        if topology.grid_lengths().is_none() && topology.groups().is_none() {
            return Err(NotApplicable(
                "it needs a machine whose nodes fill a box, or one of groups in groups".into(),
            ));
        }
        let Some(grid) = detect(problem.graph(), &Clock::new(run)) else {
            if run.out_of_time() {
                return in_order_instead(ENTRY.name, problem, run);
            }
            return Err(NotApplicable(
                "it needs traffic on a grid, and no grid was found in this traffic".into(),
            ));
        };
        run.note(format!("folding: the traffic is on a grid of {grid}"));
        match self.fold(problem, &grid, objective.unwrap_or(&HopBytes), run) {
            Some(mapping) => Ok(mapping),
            None if run.out_of_time() => in_order_instead(ENTRY.name, problem, run),
            None => Err(NotApplicable("it found no way to fold the grid".into())),
        }
    }
}

impl Folding {
    /// The best way to fold a known grid.
    pub(crate) fn fold(
        &self,
        problem: &Problem,
        grid: &LogicalGrid,
        objective: &dyn Objective,
        run: &mut Run,
    ) -> Option<Mapping> {
        let candidates = candidates(problem, grid, objective, run);
        let cheapest = candidates.first().map_or(0.0, |candidate| candidate.0);
        let mut best: Option<(f64, Mapping)> = None;
        for (position, (cost, mapping)) in candidates.into_iter().enumerate() {
            let polishes = position < self.polish && !run.out_of_time();
            let (cost, mapping) = if polishes && cost <= WORTH_POLISHING * cheapest {
                polish::exchange(problem, objective, mapping, run)
            } else {
                (cost, mapping)
            };
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, mapping));
            }
        }
        best.map(|(_, mapping)| mapping)
    }
}

/// Folds of `grid` into the machine, each with its cost under `objective`, cheapest first; none if
/// the nodes of the machine neither fill a box nor are groups in groups.
pub(crate) fn candidates(
    problem: &Problem,
    grid: &LogicalGrid,
    objective: &dyn Objective,
    run: &mut Run,
) -> Vec<(f64, Mapping)> {
    let Some(shape) = Shape::of(problem.machine()) else {
        let boxes = groups::boxes(problem, grid);
        return boxes
            .map(|mapping| (objective.cost(problem, &mapping), mapping))
            .into_iter()
            .collect();
    };
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
    if found.is_empty() || !run.out_of_time() {
        found.extend(walks::along_curves(grid, problem.machine()));
    }
    if found.is_empty() || !run.out_of_time() {
        found.extend([false, true].map(|by_rings| bisection::by_halves(grid, &shape, by_rings)));
    }
    let mut costed: Vec<(f64, Mapping)> = Vec::with_capacity(found.len());
    for slots in found {
        if !costed.is_empty() && run.out_of_time() {
            break;
        }
        if let Ok(mapping) = Mapping::new(slots, problem.machine()) {
            run.count(1);
            costed.push((objective.cost(problem, &mapping), mapping));
        }
    }
    // Stable: among equals the first stays first.
    costed.sort_by(|a, b| a.0.total_cmp(&b.0));
    costed.dedup_by(|a, b| a.1 == b.1);
    costed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    fn hops(traffic: &str, machine: &str) -> f64 {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy("folding").unwrap();
        let mapping = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
        HopBytes.cost(&problem, &mapping) / 2.0
    }

    #[test]
    fn a_plane_folds_into_a_box() {
        // Pairs of neighbours, and the remainders of both axes on a line or ring of the machine: 2
        // x 2 on a line of 4 has one pair 3 apart instead of 1, for 4 pairs each.
        assert_eq!(hops("stencil:8x8", "mesh:4x4x4"), 112.0 + 2.0 * 4.0);
        assert_eq!(hops("stencil:8x8", "torus:4x4x4"), 112.0);
        // 2 x 4 on a line of 8 costs 16 instead of 10, on a ring 14; 8 pairs each.
        assert_eq!(hops("stencil:16x32", "mesh:8x8x8"), 976.0 + 6.0 * 8.0);
        assert_eq!(hops("stencil:16x32", "torus:8x8x8"), 976.0 + 4.0 * 8.0);
        // 4 x 4 on a line of 16 costs 60 instead of 24, on a ring 44; 16 pairs each.
        assert_eq!(hops("stencil:64x64", "mesh:16x16x16"), 8064.0 + 36.0 * 16.0);
        assert_eq!(hops("stencil:64x64", "torus:16x16x16"), 8064.0 + 20.0 * 16.0);
    }

    #[test]
    fn through_layers_every_pair_is_one_hop_apart() {
        assert_eq!(hops("stencil:8x8", "haec:4x4x4"), 112.0);
        assert_eq!(hops("stencil:16x32", "haec:8x8x8"), 976.0);
        assert_eq!(hops("stencil:64x64", "haec:16x16x16"), 8064.0);
    }

    #[test]
    fn what_fits_as_it_is_stays_as_it_is() {
        for (traffic, machine, pairs) in [
            ("stencil:4x8", "mesh:8x4", 52.0),
            ("stencil:4x8", "mesh:9x5", 52.0),
            ("stencil:4x4x4,periodic", "torus:4x4x4", 192.0),
            ("stencil:64", "mesh:4x4x4", 63.0),
            // Gray codes.
            ("stencil:8x8", "hypercube:6", 112.0),
            ("stencil:8x4x4,periodic", "hypercube:7", 384.0),
            // A ring of 8 goes out along 4 nodes and back along 4 others.
            ("stencil:8x4,periodic", "torus:4x4x2", 64.0),
        ] {
            assert_eq!(hops(traffic, machine), pairs, "{traffic} {machine}");
        }
    }

    #[test]
    fn neighbours_share_a_node() {
        // 2 x 2 blocks on 4 x 4 nodes: 2 pairs on each of the 24 sides between blocks.
        assert_eq!(hops("stencil:8x8", "mesh:4x4,slots=4"), 48.0);
        // 63 pairs, 15 of them between nodes.
        assert_eq!(hops("stencil:64", "mesh:4x4,slots=4"), 15.0);
    }

    #[test]
    fn lengths_that_do_not_divide_are_folded_too() {
        let far = |pairs: f64| 1.6 * pairs;
        assert!(hops("stencil:7x7", "mesh:5x10") <= far(84.0));
        assert!(hops("stencil:15x17", "torus:8x8x4") <= far(478.0));
        assert!(hops("stencil:10x12", "mesh:5x5x5") <= far(218.0));
    }

    #[test]
    fn traffic_without_a_grid_is_refused() {
        let machine = Machine::parse("torus:4x4x4").unwrap();
        let traffic = parse_pattern("random:ranks=64,degree=4,seed=1").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let refused = Folding::default().map(&problem, None, &mut Run::new(1)).unwrap_err();
        assert_eq!(refused.0, "it needs traffic on a grid, and no grid was found in this traffic");
    }
}
