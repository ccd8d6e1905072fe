//! Robust tabu search: the best exchange that does not lead back, even if it increases the cost.
//!
//! E. Taillard, "Robust taboo search for the quadratic assignment problem" (1991): each exchange
//! gets a random tenure, and there is aspiration. Only the pairs of the two ranks that moved are
//! needed to update the table of deltas, because traffic is sparse. To leave valleys that are wider
//! than the memory is long, some ranks are exchanged at random after a long time without a gain.

mod asking;
mod neighbourhood;
mod shift;
mod table;
mod vectors;

use std::collections::HashMap;
use std::sync::Arc;

use asking::Asking;
pub(crate) use neighbourhood::Neighbourhood;
pub(crate) use table::DeltaTable;

use super::better::better;
use super::definition::Refiner;
use super::entry::RefinerEntry;
use super::trail::Trail;
use crate::mapping::{Mapping, Placement};
use crate::objective::pair_sum::FlowSum;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::random::{self, Stream};
use crate::registry::Parameter;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: RefinerEntry = RefinerEntry {
    name: "tabu",
    summary: "robust tabu search over all exchanges (large machines: some); keeps the best seen",
    example: "tabu:iterations=2000",
    parameters: &[
        Parameter {
            name: "iterations",
            default: "500000 for up to 100 slots, fewer for more, at least 50000",
            summary: "exchanges to make, each the best one that does not undo an earlier one",
        },
        Parameter {
            name: "patience",
            default: "100 times the number of slots",
            summary: "exchanges without improvement before some ranks are exchanged at random",
        },
    ],
    build: |spec| {
        spec.no_shape()?;
        let iterations = spec.get("iterations", "a number")?;
        Ok(Arc::new(Tabu { iterations, patience: spec.get("patience", "a number")? }))
    },
};

/// Robust tabu search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tabu {
    /// Exchanges to make; by default, as many as take some seconds.
    pub iterations: Option<u64>,
    /// Exchanges without gain before some ranks are exchanged at random; by default, 100 times the
    /// number of slots.
    pub patience: Option<u64>,
}

/// The number of the random stream of this search.
const CHOICES: u64 = 0x7461_6275;

/// Slots up to which a table of all exchanges is kept: some 50 MB.
const MOST_SLOTS_FOR_TABLE: usize = 2048;

/// Steps that filling the table may take; all-to-all traffic takes more.
const MOST_STEPS_FOR_TABLE: usize = 1 << 30;

/// Exchanges between two reports of progress.
const ITERATIONS_PER_REPORT: u64 = 1 << 10;

impl Tabu {
    /// Improves `start` under `objective`; uses at most the evaluations that `run` has left.
    pub(crate) fn improve(
        &self,
        problem: &Problem,
        objective: &dyn Objective,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping {
        if run.out_of_time() {
            return start;
        }
        let sum = if table_fits(problem) { FlowSum::of(problem, objective) } else { None };
        let best = if let Some(sum) = &sum {
            match DeltaTable::new(sum, &start, run) {
                Some(mut table) => self.search(problem, &mut table, 0, run),
                None => return start,
            }
        } else {
            let Some(tracker) = objective.track_within(problem, &start, run) else {
                run.must_stop();
                return start;
            };
            match Asking::new(problem, tracker, run) {
                Some(mut asking) => self.search(problem, &mut asking, 0, run),
                None => return start,
            }
        };
        better(problem, objective, best, start, run)
    }

    /// Searches from the placement of `neighbourhood`; each `attempt` makes different random
    /// choices.
    pub(crate) fn search<N: Neighbourhood>(
        &self,
        problem: &Problem,
        neighbourhood: &mut N,
        attempt: u64,
        run: &mut Run,
    ) -> Mapping {
        let mut rng = random::stream(run.seed(), &[CHOICES, attempt]);
        let mut memory = Memory::new(problem.num_slots(), problem.machine().num_nodes());
        let mut trail = Trail::new(neighbourhood.cost());
        let patience = self.patience.unwrap_or(100 * problem.num_slots() as u64);
        let mut round = Round::new(neighbourhood.cost());
        let iterations = self.iterations.unwrap_or(neighbourhood.usual_iterations());
        for iteration in 0..iterations {
            let (cost, best_cost) = (neighbourhood.cost(), trail.best_cost());
            if best_cost == 0.0 {
                break;
            }
            if iteration % ITERATIONS_PER_REPORT == 0 {
                run.progress("tabu search", iteration, iterations);
                run.found(best_cost);
            }
            let aspired = best_cost * (1.0 - 1e-12) - cost;
            let (exchange, examined) =
                neighbourhood.best(&mut rng, &mut |placement, (a, b, delta)| {
                    delta < aspired || memory.allows(iteration, a, b, placement)
                });
            let mut judged = 0;
            if let Some((a, b, _)) = exchange {
                memory.forbid_return(iteration, a, b, neighbourhood.placement(), &mut rng);
                judged = neighbourhood.swap(a, b);
                trail.exchanged(a, b, neighbourhood.cost(), neighbourhood.placement());
            }
            if !run.spend(examined + judged + 1) {
                break;
            }
            if round.stale_after(neighbourhood.cost()) >= patience.max(1) {
                for _ in 0..round.next(problem.num_slots()) {
                    let a = random::below(&mut rng, problem.num_ranks() as u32);
                    let b = random::below(&mut rng, problem.num_slots() as u32);
                    if a != b {
                        run.count(neighbourhood.swap(a, b));
                        trail.exchanged(a, b, neighbourhood.cost(), neighbourhood.placement());
                    }
                }
                round.best = neighbourhood.cost();
            }
        }
        let slots = trail.slots_of_best(neighbourhood.placement());
        let ranks = &slots[..problem.num_ranks()];
        Mapping::new(ranks.to_vec(), problem.machine()).expect("a permutation of the slots")
    }
}

pub(crate) fn table_fits(problem: &Problem) -> bool {
    let slots = problem.num_slots();
    slots <= MOST_SLOTS_FOR_TABLE && slots * problem.graph().num_pairs() <= MOST_STEPS_FOR_TABLE
}

/// The search from one random exchange of ranks to the next.
struct Round {
    /// The lowest cost in it.
    best: f64,
    /// Exchanges since then.
    stale: u64,
    number: usize,
}

impl Round {
    fn new(cost: f64) -> Self {
        Round { best: cost, stale: 0, number: 0 }
    }

    /// Notes the cost after another exchange; returns how many there were without a gain.
    fn stale_after(&mut self, cost: f64) -> u64 {
        if cost < self.best - 1e-12 * self.best.abs() {
            (self.best, self.stale) = (cost, 0);
        } else {
            self.stale += 1;
        }
        self.stale
    }

    /// Starts another round. Returns how many pairs to exchange at random: few, more, and all.
    fn next(&mut self, slots: usize) -> usize {
        self.number += 1;
        self.stale = 0;
        [slots / 4, slots / 2, slots][self.number % 3] + 1
    }
}

/// Where ranks and phantoms were recently.
struct Memory {
    /// Until when a rank or phantom may not go back to a node, rank by rank. It is for small
    /// machines, where lookups have to be fast.
    table: Vec<u64>,
    /// The same for machines for which the table would be large.
    until: HashMap<(u32, u32), u64>,
    nodes: usize,
    usual_tenure: u32,
}

impl Memory {
    fn new(slots: usize, nodes: usize) -> Self {
        let small = slots * nodes <= MOST_SLOTS_FOR_TABLE * MOST_SLOTS_FOR_TABLE;
        let table = vec![0; if small { slots * nodes } else { 0 }];
        Memory { table, until: HashMap::new(), nodes, usual_tenure: slots as u32 }
    }

    #[inline]
    fn place(&self, rank: u32, node: u32) -> usize {
        rank as usize * self.nodes + node as usize
    }

    /// Whether at least one of the two would not go back to where it was.
    fn allows(&self, iteration: u64, a: u32, b: u32, placement: &Placement) -> bool {
        let forbidden = |rank: u32, node: u32| match self.table.get(self.place(rank, node)) {
            Some(&until) => iteration < until,
            None => self.until.get(&(rank, node)).is_some_and(|&until| iteration < until),
        };
        !(forbidden(a, placement.node_of(b)) && forbidden(b, placement.node_of(a)))
    }

    /// Notes that `a` and `b` are about to leave their nodes.
    fn forbid_return(
        &mut self,
        iteration: u64,
        a: u32,
        b: u32,
        placement: &Placement,
        rng: &mut Stream,
    ) {
        // From nine to eleven tenths of the number of slots.
        let spread = self.usual_tenure / 5 + 2;
        let shortest = self.usual_tenure - self.usual_tenure / 10;
        for rank in [a, b] {
            let tenure = shortest + random::below(rng, spread);
            let (node, until) = (placement.node_of(rank), iteration + 1 + u64::from(tenure));
            let place = self.place(rank, node);
            match self.table.get_mut(place) {
                Some(entry) => *entry = until,
                None => {
                    self.until.insert((rank, node), until);
                }
            }
        }
        if self.until.len() as u64 > 64 + 8 * u64::from(self.usual_tenure) {
            self.until.retain(|_, until| iteration < *until);
        }
    }
}

impl Refiner for Tabu {
    fn refine(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping {
        self.improve(problem, objective.unwrap_or(&HopBytes), start, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_objective, parse_pattern, parse_strategy};

    fn search(traffic: &str, machine: &str, objective: &str, seed: u64) -> (f64, Mapping) {
        let machine = Machine::parse(machine).unwrap();
        let traffic = parse_pattern(traffic).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let objective = parse_objective(objective).unwrap();
        let mut run = Run::new(seed);
        let start = parse_strategy("random").unwrap().map(&problem, None, &mut run).unwrap();
        let tabu = Tabu { iterations: Some(3000), ..Tabu::default() };
        let mapping = tabu.improve(&problem, objective.as_ref(), start, &mut run);
        (objective.cost(&problem, &mapping), mapping)
    }

    #[test]
    fn a_small_stencil_finds_its_place() {
        // 24 pairs, both ways, one hop each; no pair is not adjacent.
        assert_eq!(search("stencil:4x4", "mesh:4x4", "hop-bytes", 1).0, 48.0);
        assert_eq!(search("stencil:4x4", "torus:4x5", "hop-bytes", 1).0, 48.0);
        assert_eq!(search("stencil:3x3", "mesh:3x3", "cardinality", 1).0, 0.0);
    }

    #[test]
    fn the_same_seed_makes_the_same_exchanges() {
        for machine in ["torus:4x4,slots=2", "mesh:150"] {
            let once = || search("random:ranks=30,degree=3", machine, "max-dilation", 7);
            assert_eq!(once(), once());
            let once = || search("random:ranks=30,degree=3", machine, "hop-bytes", 7);
            assert_eq!(once(), once());
        }
    }
}
