//! Simulated annealing: exchanges that may also increase the cost, less and less often.

use std::sync::Arc;

use rand::RngExt;

use super::better::better;
use super::definition::Refiner;
use super::entry::RefinerEntry;
use super::hubs::Hubs;
use super::surroundings::Surroundings;
use super::trail::Trail;
use crate::mapping::Mapping;
use crate::objective::pair_sum::{Hops, SymmetricTracker};
use crate::objective::{CostTracker, HopBytes, Objective};
use crate::problem::Problem;
use crate::random::{self, Stream};
use crate::registry::Parameter;
use crate::run::Run;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: RefinerEntry = RefinerEntry {
    name: "anneal",
    summary: "simulated annealing with exchanges next to partners; keeps the best seen",
    example: "anneal",
    parameters: &[
        Parameter {
            name: "sweeps",
            default: "1000",
            summary: "exchanges to try per rank, from hot to cold",
        },
        Parameter {
            name: "heat",
            default: "0.2",
            summary: "start temperature, in units of a typical loss",
        },
    ],
    build: |spec| {
        spec.no_shape()?;
        let usual = Anneal::default();
        let heat: f64 = spec.get("heat", "a number above 0")?.unwrap_or(usual.heat);
        if !(heat > 0.0 && heat.is_finite()) {
            return Err(crate::spec::SpecError::new(format!(
                "anneal: expected a number above 0 for \"heat\", found \"{heat}\""
            )));
        }
        Ok(Arc::new(Anneal {
            sweeps: spec.get("sweeps", "a number")?.unwrap_or(usual.sweeps),
            heat,
        }))
    },
};

/// Simulated annealing.
#[derive(Debug, Clone, Copy)]
pub struct Anneal {
    /// Exchanges to try per rank. There are fewer, with faster cooling, if the run has fewer
    /// evaluations left.
    pub sweeps: u32,
    /// The start temperature, in units of a typical loss.
    pub heat: f64,
}

impl Default for Anneal {
    fn default() -> Self {
        Anneal { sweeps: 1000, heat: 0.2 }
    }
}

/// The number of the random stream of this search.
const STEPS: u64 = 0x616e_6e65_616c;

/// Exchanges sampled to find a typical loss.
const SAMPLES: u64 = 2000;

/// Steps between two changes of the temperature.
const STEPS_PER_TEMPERATURE: u64 = 64;

/// Steps between two reports of progress: some milliseconds. A multiple of the number above.
const STEPS_PER_REPORT: u64 = STEPS_PER_TEMPERATURE << 10;

/// One exchange in this many is with any rank; the others are with ranks next to a partner.
const ANYONE: u32 = 8;

impl Anneal {
    /// Improves `start` under `objective`. The schedule is fitted to the evaluations that `run` has
    /// left.
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
        if objective.is_hop_bytes() {
            return with_metric!(problem.machine().metric(), metric => {
                let mut tracker = SymmetricTracker::new(problem, Hops(metric), &start);
                self.anneal(problem, objective, start, &mut tracker, run)
            });
        }
        let Some(mut tracker) = objective.track_within(problem, &start, run) else {
            run.must_stop();
            return start;
        };
        self.anneal(problem, objective, start, tracker.as_mut(), run)
    }

    fn anneal<T: CostTracker + ?Sized>(
        &self,
        problem: &Problem,
        objective: &dyn Objective,
        start: Mapping,
        tracker: &mut T,
        run: &mut Run,
    ) -> Mapping {
        let Some(mut moves) = Moves::new(problem, run) else { return start };
        let Some(losses) = sample_losses(&mut moves, tracker, run) else { return start };
        let planned = u64::from(self.sweeps) * moves.talkers.len() as u64;
        let steps = planned.min(run.evaluations_left());
        let coolings = (steps / STEPS_PER_TEMPERATURE).max(1);
        let hot = self.heat * losses.usual;
        let cold = (losses.small / 8.0).min(hot);
        let cooling = (cold / hot).powf(1.0 / coolings as f64);

        let mut trail = Trail::new(tracker.cost());
        let mut temperature = hot;
        let graph = problem.graph();
        for step in 0..steps {
            if let Some((a, b)) = moves.next(tracker) {
                let partners = graph.num_partners(a) + graph.num_partners(b);
                if !run.goes_on(partners as u64) {
                    break;
                }
                let delta = tracker.swap_delta(a, b);
                if delta <= 0.0 || moves.rng.random::<f64>() < (-delta / temperature).exp() {
                    tracker.swap(a, b);
                    trail.exchanged(a, b, tracker.cost(), tracker.placement());
                }
            }
            if step % STEPS_PER_TEMPERATURE == STEPS_PER_TEMPERATURE - 1 {
                temperature *= cooling;
                if step % STEPS_PER_REPORT == STEPS_PER_REPORT - 1 {
                    run.progress("annealing", step, steps);
                    run.found(trail.best_cost());
                }
            }
            if !run.spend(1) {
                break;
            }
        }
        let slots = trail.slots_of_best(tracker.placement());
        tracker.reset(&slots);
        let best = tracker.placement().mapping();
        better(problem, objective, best, start, run)
    }
}

/// The losses of exchanges at the start.
struct Losses {
    usual: f64,
    small: f64,
}

/// Samples some exchanges; `None` if none of them loses.
fn sample_losses<T: CostTracker + ?Sized>(
    moves: &mut Moves,
    tracker: &mut T,
    run: &mut Run,
) -> Option<Losses> {
    let negligible = 1e-12 * tracker.cost().abs();
    let mut losses = Vec::new();
    for _ in 0..SAMPLES.min(run.evaluations_left() / 4) {
        if let Some((a, b)) = moves.next(tracker) {
            let graph = moves.problem.graph();
            let partners = graph.num_partners(a) + graph.num_partners(b);
            if !run.goes_on(partners as u64) {
                return None;
            }
            let delta = tracker.swap_delta(a, b);
            if delta > negligible {
                losses.push(delta);
            }
        }
        if !run.spend(1) {
            return None;
        }
    }
    losses.sort_unstable_by(f64::total_cmp);
    // Not the minimum: because of one tiny flow, the search would be cold for most of its time.
    let small = *losses.get(losses.len() / 50)?;
    Some(Losses { usual: losses.iter().sum::<f64>() / losses.len() as f64, small })
}

/// Proposes exchanges.
struct Moves<'a> {
    problem: &'a Problem,
    surroundings: Surroundings,
    /// Ranks with partners.
    talkers: Vec<u32>,
    hubs: Hubs<'a>,
    rng: Stream,
}

impl<'a> Moves<'a> {
    /// `None` if no rank has partners.
    fn new(problem: &'a Problem, run: &mut Run) -> Option<Self> {
        let has_partners = |&rank: &u32| !problem.graph().partners(rank).is_empty();
        let talkers: Vec<u32> = (0..problem.num_ranks() as u32).filter(has_partners).collect();
        let rng = random::stream(run.seed(), &[STEPS]);
        let surroundings = Surroundings::in_time(problem.machine(), run)?;
        let hubs = Hubs::of(problem.graph());
        (!talkers.is_empty()).then_some(Moves { problem, surroundings, talkers, hubs, rng })
    }

    /// A rank and another one next to one of its partners, or occasionally any other rank; `None`
    /// if both are on one node.
    fn next<T: CostTracker + ?Sized>(&mut self, tracker: &T) -> Option<(u32, u32)> {
        let placement = tracker.placement();
        let a = self.talkers[random::below(&mut self.rng, self.talkers.len() as u32) as usize];
        let b = if random::below(&mut self.rng, ANYONE) == 0 {
            random::below(&mut self.rng, placement.len() as u32)
        } else {
            let partners = self.problem.graph().partners(a);
            let partner = partners[random::below(&mut self.rng, partners.len() as u32) as usize];
            let home = placement.node_of(partner);
            let around = self.surroundings.of(home);
            // The partner's own node is one of the choices.
            let choice = random::below(&mut self.rng, around.len() as u32 + 1) as usize;
            let there = placement.on_node(around.get(choice).copied().unwrap_or(home));
            there[random::below(&mut self.rng, there.len() as u32) as usize]
        };
        if placement.node_of(a) == placement.node_of(b) {
            return None;
        }
        // If every rank has a hub next to its partner, hubs would take most of the time.
        match self.hubs.share_of_exchanges(a, b) {
            Some((some, all)) if random::below(&mut self.rng, all) >= some => None,
            _ => Some((a, b)),
        }
    }
}

impl Refiner for Anneal {
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
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    fn anneal(traffic: &str, machine: &str, run: &mut Run) -> (f64, Mapping) {
        // Hotter than the default: the start is random and not worth keeping.
        let anneal = Anneal { heat: 0.5, ..Anneal::default() };
        let machine = Machine::parse(machine).unwrap();
        let traffic = parse_pattern(traffic).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let start = parse_strategy("random").unwrap().map(&problem, None, run).unwrap();
        let mapping = anneal.improve(&problem, &HopBytes, start, run);
        (HopBytes.cost(&problem, &mapping), mapping)
    }

    #[test]
    fn a_small_stencil_finds_its_place() {
        // 24 pairs, both ways, one hop each.
        assert_eq!(anneal("stencil:4x4", "mesh:4x4", &mut Run::new(1)).0, 48.0);
    }

    #[test]
    fn the_same_seed_takes_the_same_steps() {
        let once = || anneal("random:ranks=30,degree=3", "torus:4x4,slots=2", &mut Run::new(7)).1;
        assert_eq!(once(), once());
    }

    #[test]
    fn cooling_ends_within_the_evaluations_given() {
        let mut run = Run::new(3).with_max_evaluations(5000);
        anneal("stencil:8x8", "torus:4x4x4", &mut run);
        assert!(run.evaluations() <= 5000);
    }
}
