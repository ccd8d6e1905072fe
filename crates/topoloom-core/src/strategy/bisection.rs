//! Geometric bisection: ranks get coordinates from the traffic, then ranks and machine are
//! halved together until a part of the machine is one node.

use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::unfinished::in_order_instead;
use crate::bisection::bisect;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "bisection",
    summary: "halves the ranks (by distances in the traffic) and the machine together, recursively",
    example: "bisection",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Bisection))
    },
};

/// Geometric bisection. Takes O((ranks + flows) log nodes).
#[derive(Debug, Clone, Copy)]
pub struct Bisection;

impl Strategy for Bisection {
    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        // A limit on evaluations does not apply here: half a placement is of little use.
        run.count(problem.num_ranks() as u64);
        let Some(bisected) = bisect(problem, run) else {
            return in_order_instead(ENTRY.name, problem, run);
        };
        if bisected.was_cut_short {
            run.cut_short();
            run.note("bisection: stopped early; in parts not yet halved the ranks are in order");
        }
        Ok(Mapping::new(bisected.slots, problem.machine()).expect("each slot is taken once"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::HopBytes;
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    fn cost(strategy: &str, traffic: &str, machine: &str) -> f64 {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy(strategy).unwrap();
        let mapping = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
        HopBytes.cost(&problem, &mapping)
    }

    #[test]
    fn a_path_on_a_line_costs_one_hop_per_pair() {
        assert_eq!(cost("bisection", "stencil:16", "mesh:16"), 30.0);
        // Four per node: three pairs of sixteen lie between nodes.
        assert_eq!(cost("bisection", "stencil:16", "mesh:4,slots=4"), 6.0);
    }

    #[test]
    fn a_grid_on_a_box_is_much_better_than_rank_by_rank() {
        let random = cost("random", "stencil:16x16", "torus:8x8x4");
        assert!(cost("bisection", "stencil:16x16", "torus:8x8x4") < random / 2.0);
    }

    #[test]
    fn room_to_spare_is_left_at_one_side() {
        // Four in a row on a line of 64 need not be spread out: three pairs both ways.
        assert_eq!(cost("bisection", "stencil:4", "mesh:64"), 6.0);
    }
}
