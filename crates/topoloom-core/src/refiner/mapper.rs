//! Bokhari's MAPPER: pairwise exchange with random jumps.
//!
//! S. H. Bokhari, "On the mapping problem", IEEE Transactions on Computers C-30(3), 1981;
//! algorithm 1 of the HAEC thesis.

use std::sync::Arc;

use super::definition::Refiner;
use super::entry::RefinerEntry;
use crate::mapping::Mapping;
use crate::objective::{BestSwap, CostTracker, HopBytes, Objective};
use crate::problem::Problem;
use crate::random::{self, Stream};
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// The registry's entry.
pub static ENTRY: RefinerEntry = RefinerEntry {
    name: "bokhari",
    summary: "best pairwise exchange of each rank in turn, with random jumps (MAPPER)",
    example: "bokhari",
    parameters: Mapper::PARAMETERS,
    build: |spec| Ok(Arc::new(Mapper::from_spec(spec)?)),
};

/// Pairwise exchange with random jumps.
#[derive(Debug, Clone, Copy)]
pub struct Mapper {
    /// Pairs that a jump exchanges. By default this is the rounded square root of the number of
    /// nodes: the side n of Bokhari's n x n array.
    pub jump_pairs: Option<u32>,
    /// Jumps in a row that lead back to the same cost before the search ends. Line 13 ends it only
    /// when a jump increased the cost, which may never happen.
    pub patience: u32,
}

impl Default for Mapper {
    fn default() -> Self {
        Mapper { jump_pairs: None, patience: 100 }
    }
}

impl Mapper {
    /// The options of the strategy and of the refiner.
    pub const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "jump",
            default: "the rounded square root of the number of nodes",
            summary: "pairs to exchange at random at a local optimum",
        },
        Parameter {
            name: "patience",
            default: "100",
            summary: "consecutive jumps without gain or loss after which the search ends",
        },
    ];

    /// Parses the options.
    pub fn from_spec(spec: &Spec) -> Result<Mapper, SpecError> {
        spec.no_shape()?;
        let usual = Mapper::default();
        Ok(Mapper {
            jump_pairs: spec.get("jump", "a number")?,
            patience: spec.get("patience", "a number")?.unwrap_or(usual.patience),
        })
    }

    /// Improves `start` under `objective`; each `attempt` makes different random choices.
    pub fn improve(
        &self,
        problem: &Problem,
        objective: &dyn Objective,
        start: Mapping,
        attempt: u64,
        run: &mut Run,
    ) -> Mapping {
        if run.out_of_time() {
            return start;
        }
        let Some(mut tracker) = objective.track_within(problem, &start, run) else {
            run.must_stop();
            return start;
        };
        let nodes = problem.machine().num_nodes() as f64;
        let slots = problem.num_slots() as u32;
        let jump_pairs = self.jump_pairs.unwrap_or(nodes.sqrt().round() as u32).min(slots);
        let mut rng = random::stream(run.seed(), &[JUMPS, attempt]);
        let mut best = start;
        let mut best_cost = tracker.cost();
        let mut jumps_without_gain = 0;
        loop {
            let completed = exchange_until_no_gain(tracker.as_mut(), problem, &mut rng, run);
            let cost = tracker.cost();
            let tolerance = rounding(best_cost);
            if cost < best_cost - tolerance {
                best_cost = cost;
                jumps_without_gain = 0;
                best = tracker.placement().mapping();
            } else if cost > best_cost + tolerance {
                return best; // line 13
            } else {
                jumps_without_gain += 1;
                best = tracker.placement().mapping();
            }
            if !completed || cost == 0.0 || slots < 2 || jumps_without_gain > self.patience {
                return best;
            }
            for _ in 0..jump_pairs {
                let rank = random::below(&mut rng, problem.num_ranks() as u32);
                tracker.swap(rank, another(rank, slots, &mut rng));
            }
        }
    }
}

/// The number of the random stream of this search.
const JUMPS: u64 = 0x6d61_7070_6572;

/// The rounding error of sums of this size.
fn rounding(cost: f64) -> f64 {
    cost.abs() * 1e-12
}

/// Lines 4 to 12; `false` if a limit stopped it.
fn exchange_until_no_gain(
    tracker: &mut dyn CostTracker,
    problem: &Problem,
    rng: &mut Stream,
    run: &mut Run,
) -> bool {
    let count = tracker.placement().len() as u32;
    if count < 2 {
        return true;
    }
    loop {
        let before = tracker.cost();
        for rank in 0..problem.num_ranks() as u32 {
            // Any of several equal exchanges may be chosen, so start at a random one.
            let first = random::below(rng, count);
            let found = if is_long(problem, rank) {
                best_swap_in_time(tracker, rank, first, problem, run)
            } else {
                tracker.best_swap(rank, first)
            };
            if let Some((other, _)) = found.exchange {
                tracker.swap(rank, other);
            }
            if !run.spend(found.examined) {
                return false;
            }
        }
        // No exchange increases the cost, so it is lower if and only if one had a gain.
        if tracker.cost() >= before - rounding(before) {
            return true;
        }
    }
}

/// Combinations of nodes and partners of a rank that are too many for one step.
const LONG: usize = 1 << 27;

/// Whether finding the best exchange of `rank` takes long: except on boxes, trackers check each
/// node for each of its partners.
fn is_long(problem: &Problem, rank: u32) -> bool {
    let machine = problem.machine();
    machine.topology().grid_lengths().is_none()
        && problem.graph().num_partners(rank).saturating_mul(machine.num_nodes()) > LONG
}

/// `best_swap` by trying all exchanges, as far as the time allows.
fn best_swap_in_time(
    tracker: &mut dyn CostTracker,
    a: u32,
    first: u32,
    problem: &Problem,
    run: &mut Run,
) -> BestSwap {
    let count = tracker.placement().len() as u32;
    let work = 1 + problem.graph().num_partners(a) as u64;
    let mut best: Option<(u32, f64)> = None;
    let mut examined = 0;
    for b in (first..count).chain(0..first).filter(|&b| b != a) {
        let delta = tracker.swap_delta(a, b);
        examined += 1;
        if delta <= 0.0 && best.is_none_or(|(_, least)| delta < least) {
            best = Some((b, delta));
        }
        if !run.goes_on(work) {
            break;
        }
    }
    BestSwap { exchange: best, examined }
}

/// Any rank except `rank` among `count`, which is at least 2.
fn another(rank: u32, count: u32, rng: &mut Stream) -> u32 {
    let other = random::below(rng, count - 1);
    if other < rank { other } else { other + 1 }
}

impl Refiner for Mapper {
    fn refine(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping {
        self.improve(problem, objective.unwrap_or(&HopBytes), start, 0, run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Cardinality;
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    #[test]
    fn jumps_never_lose_what_the_first_local_optimum_had() {
        let traffic = parse_pattern("stencil:8x8").unwrap();
        let machine = Machine::parse("torus:4x4x4").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let start = parse_strategy("sweep").unwrap().map(&problem, None, &mut Run::new(1)).unwrap();
        let mut gained = false;
        for seed in 0..20 {
            let mut tracker = Cardinality.track(&problem, &start);
            // The random choices of the search below.
            let mut rng = random::stream(seed, &[JUMPS, 0]);
            exchange_until_no_gain(tracker.as_mut(), &problem, &mut rng, &mut Run::new(seed));
            let first_optimum = tracker.cost();

            let mut run = Run::new(seed);
            let mapping =
                Mapper::default().improve(&problem, &Cardinality, start.clone(), 0, &mut run);
            let cost = Cardinality.cost(&problem, &mapping);
            assert!(cost <= first_optimum, "seed {seed}: {cost} after {first_optimum}");
            gained |= cost < first_optimum;
        }
        assert!(gained, "jumps are of use");
    }
}
