//! Multilevel mapping: the traffic is coarsened, split over the machine's own hierarchy, and
//! refined under the real cost on the way back.

use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::unfinished::in_order_instead;
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

/// Exchanges evaluated per rank at the end of a fast run.
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
        let objective = objective.unwrap_or(&HopBytes);
        let effort = run.effort();
        // If the run is cut short, the rest is filled in without a search: then a quick answer is
        // better.
        if effort == Effort::Fast || effort == Effort::Eco && !run.has_time_limit() {
            return map_with(effort, problem, objective, run);
        }
        if effort == Effort::Extreme && problem.sharing().is_some() {
            return evolve(problem, objective, run);
        }
        map_strongly(problem, objective, run)
    }
}

/// A quick placement and then a better one, if there is time.
fn map_strongly(
    problem: &Problem,
    objective: &dyn Objective,
    run: &mut Run,
) -> Result<Mapping, NotApplicable> {
    let quick = map_with(Effort::Fast, problem, objective, run)?;
    if run.out_of_time() {
        return Ok(quick);
    }
    let long = map_with(run.effort(), problem, objective, run)?;
    Ok(cheaper(problem, objective, long, quick))
}

/// The cheaper of two placements; the first one if they are equal.
fn cheaper(problem: &Problem, objective: &dyn Objective, one: Mapping, other: Mapping) -> Mapping {
    let cost = |mapping: &Mapping| objective.cost(problem, mapping);
    if cost(&one) <= cost(&other) { one } else { other }
}

/// A strong placement and its descendants. If a search continues that was saved, the strong
/// placement is among its ancestors and is not made again.
fn evolve(
    problem: &Problem,
    objective: &dyn Objective,
    run: &mut Run,
) -> Result<Mapping, NotApplicable> {
    let mut strong = None;
    // Only hop-bytes evolve. Under anything else, the descendants may be worse.
    if !objective.is_hop_bytes() {
        strong = Some(map_strongly(problem, objective, run));
    }
    let slots = |run: &mut Run| {
        let strong = strong.get_or_insert_with(|| map_strongly(problem, objective, run));
        strong.as_ref().ok().map(|mapping| mapping.slots().to_vec())
    };
    let evolved = multilevel::evolve(problem, objective.name(), slots, run);
    let evolved = evolved.and_then(|slots| problem.mapping(slots).ok());
    match (evolved, strong) {
        (Some(evolved), Some(Ok(strong))) => Ok(cheaper(problem, objective, evolved, strong)),
        (Some(evolved), _) => Ok(evolved),
        (None, Some(strong)) => strong,
        (None, None) => map_strongly(problem, objective, run),
    }
}

fn map_with(
    effort: Effort,
    problem: &Problem,
    objective: &dyn Objective,
    run: &mut Run,
) -> Result<Mapping, NotApplicable> {
    if run.out_of_time() {
        return in_order_instead(ENTRY.name, problem, run);
    }
    let slots = multilevel::place(problem, &Work::of(effort), run);
    let mapping = match problem.mapping(slots) {
        Ok(mapping) => mapping,
        // Ranks have very different weights, and there was no time to balance them.
        Err(_) if run.was_cut_short() => return in_order_instead(ENTRY.name, problem, run),
        Err(reason) => return Err(NotApplicable(reason.to_string())),
    };
    if problem.sharing().is_some() {
        return Ok(mapping);
    }
    let swap = match effort {
        Effort::Fast => Swap { evaluations_per_rank: FAST_EXCHANGES, ..Swap::default() },
        Effort::Eco | Effort::Strong | Effort::Extreme => Swap::default(),
    };
    Ok(swap.improve(problem, objective, &mapping, run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, TrafficBuilder, Weight, parse_pattern};

    fn shared(traffic: &str, machine: &str, imbalance: f64) -> Problem {
        let traffic = parse_pattern(traffic).unwrap();
        let machine = Machine::parse(machine).unwrap();
        Problem::with_imbalance(traffic, machine, Weight::Bytes, Some(imbalance)).unwrap()
    }

    fn cost(problem: &Problem, effort: Effort, seed: u64) -> f64 {
        let mut run = Run::new(seed).with_effort(effort);
        let mapping = Multilevel.map(problem, None, &mut run).unwrap();
        HopBytes.cost(problem, &mapping)
    }

    #[test]
    fn a_grid_is_cut_into_squares() {
        // 32 x 32 on 4 leaves in 4 groups: squares of 16 x 16 cost 2 x 32 cut edges x 100, and each
        // is cut into squares of 8 x 8 by 32 more edges. Both directions of an edge count.
        let problem = shared("stencil:32x32", "tree:4:4,distances=1:100", 0.03);
        let best = 2.0 * (64.0 * 100.0 + 4.0 * 32.0);
        let found = cost(&problem, Effort::Eco, 1);
        assert!(found <= best * 1.12, "{found} is far above {best}");
        assert!(cost(&problem, Effort::Fast, 1) <= best * 1.25);
    }

    #[test]
    fn every_effort_keeps_to_the_capacity_on_every_kind_of_machine() {
        for machine in ["torus:4x3", "tree:3:4,distances=1:5", "haec:2x2x3", "mesh:6,slots=2"] {
            for effort in [Effort::Fast, Effort::Eco, Effort::Strong] {
                let problem = shared("random:ranks=100,degree=4", machine, 0.0);
                let in_order = HopBytes.cost(
                    &problem,
                    &crate::parse_strategy("in-order")
                        .unwrap()
                        .map(&problem, None, &mut Run::new(1))
                        .unwrap(),
                );
                assert!(cost(&problem, effort, 1) < in_order, "{machine} {effort}");
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let problem = shared("random:ranks=3000,degree=5", "torus:4x4", 0.05);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut run = Run::new(3).with_effort(Effort::Eco);
                Multilevel.map(&problem, None, &mut run).unwrap()
            })
        };
        assert_eq!(on(1), on(2));
    }

    #[test]
    fn an_evolution_is_never_worse_than_its_first_ancestor() {
        for machine in ["tree:2:3,distances=1:10", "torus:3x2"] {
            let problem = shared("random:ranks=60,degree=4", machine, 0.1);
            let evolved = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let run = Run::new(1).with_effort(Effort::Extreme).with_generations(Some(7));
                pool.install(|| Multilevel.map(&problem, None, &mut run.clone()).unwrap())
            };
            assert_eq!(evolved(1), evolved(2));
            let strong = cost(&problem, Effort::Strong, 1);
            assert!(HopBytes.cost(&problem, &evolved(2)) <= strong, "{machine}");
        }
    }

    #[test]
    fn ranks_of_different_weight_fit_or_are_refused_in_words() {
        let mut builder = TrafficBuilder::new(40);
        (0..39).for_each(|rank| builder.add(rank, rank + 1, 1.0, 1.0));
        builder.set_rank_weights((0..40).map(|rank| f64::from(1 + rank % 7)).collect());
        let machine = Machine::parse("torus:4").unwrap();
        let problem =
            Problem::with_imbalance(builder.build(), machine, Weight::Bytes, Some(0.1)).unwrap();
        assert!(Multilevel.map(&problem, None, &mut Run::new(1)).is_ok());
    }

    #[test]
    fn a_run_without_time_left_gives_a_placement_that_fits_and_says_so() {
        let problem = shared("random:ranks=3000,degree=5", "torus:4x4", 0.05);
        for effort in [Effort::Fast, Effort::Eco, Effort::Strong, Effort::Extreme] {
            let mut run =
                Run::new(1).with_effort(effort).with_time_limit(std::time::Duration::ZERO);
            assert!(Multilevel.map(&problem, None, &mut run).is_ok());
            assert!(run.was_cut_short());
        }
    }
}
