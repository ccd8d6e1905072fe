//! An evolution of placements of one rank per slot, from the best that the search found.

use super::joining::joined;
use super::portfolio::{Outcome, Portfolio};
use super::search::Search;
use crate::crew::fingerprint;
use crate::evolution::{Breeding, Evolution, Fitness};
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::random;
use crate::refiner::{Anneal, Memetic};
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// Generations without a number from the user: about ten times the work of `strong` for a random
/// graph of 1,000 ranks.
const GENERATIONS: u64 = 12;

/// A member of a population is annealed for as long as a placement of `strong`, but with a start
/// temperature of this share of the default one: it should change in places and not everywhere. For a
/// random graph of 1,000 ranks on a torus, 0.1 and 0.5 gain 0.5 %. Half as long gains nothing.
const WARM: f64 = 0.25;

/// The number of the random stream of choices here.
const CHOICES: u64 = 0x6578_6368;

impl Search<'_> {
    /// Evolves from the best few. Returns nothing if the problem is so large that new placements
    /// take too long. It ends at the lower bound.
    pub(super) fn evolve_on_islands(&self, portfolio: &mut Portfolio, bound: f64, run: &mut Run) {
        let (problem, objective) = (self.problem, self.objective);
        let small = Memetic::suits(problem, objective, self.plan.effort);
        let anneal = self.plan.anneals().map(|(_, anneal)| anneal);
        if run.must_stop() || (!small && anneal.is_none()) {
            return;
        }
        let starts: Vec<Mapping> =
            portfolio.best_few(run.islands() as usize).map(|found| found.mapping.clone()).collect();
        let first: Vec<Vec<u32>> = starts.iter().map(|start| start.slots().to_vec()).collect();
        let anneal = anneal.unwrap_or_default();
        let breeding = Exchanging { problem, objective, starts, small, anneal };
        let evolution = Evolution {
            breeding: &breeding,
            generations: run.generations().unwrap_or(GENERATIONS),
            mark: fingerprint("auto", problem, objective.name(), run),
            enough: bound,
        };
        let evolved = evolution.run(|_| first, run);
        if let Some(mapping) = evolved.and_then(|slots| problem.mapping(slots).ok()) {
            let route = portfolio.best().map(|best| best.route.clone()).unwrap_or_default();
            let route = format!("{route}, then evolution");
            portfolio.add(Outcome { mapping, route, exchanged: true });
        }
    }
}

/// Placements are made by exchanges of ranks. They have a slot for each rank.
struct Exchanging<'a> {
    problem: &'a Problem,
    objective: &'a dyn Objective,
    starts: Vec<Mapping>,
    /// Whether the problem is small enough for a memetic search.
    small: bool,
    anneal: Anneal,
}

impl Exchanging<'_> {
    fn mapping(&self, slots: &[u32]) -> Mapping {
        self.problem.mapping(slots.to_vec()).expect("only placements are bred")
    }

    /// A search from all of these together.
    fn memetic(&self, starts: Vec<Mapping>, run: &mut Run) -> Option<Mapping> {
        let children = Memetic::share_of_children(self.problem, run.effort());
        let memetic = Memetic { children: Some(children), population: None };
        memetic.evolve(self.problem, self.objective, starts, 0.0, run)
    }

    fn annealed(&self, start: Mapping, heat: f64, run: &mut Run) -> Vec<u32> {
        let anneal = Anneal { heat: heat * self.anneal.heat, ..self.anneal };
        anneal.improve(self.problem, self.objective, start, run).slots().to_vec()
    }
}

impl Breeding for Exchanging<'_> {
    fn founder(&self, run: &mut Run) -> Vec<u32> {
        let found = if self.small { self.memetic(Vec::new(), run) } else { None };
        if let Some(found) = found {
            return found.slots().to_vec();
        }
        let mut rng = random::stream(run.seed(), &[CHOICES]);
        let start = random::below(&mut rng, self.starts.len() as u32) as usize;
        self.annealed(self.starts[start].clone(), 2.0 * WARM, run)
    }

    fn child(&self, better: &[u32], other: &[u32], run: &mut Run) -> Vec<u32> {
        let (better, other) = (self.mapping(better), self.mapping(other));
        if self.small {
            let found = self.memetic(vec![better.clone(), other], run);
            return found.unwrap_or(better).slots().to_vec();
        }
        let child = joined(self.problem, self.objective, &better, &other, run);
        self.annealed(child, WARM, run)
    }

    fn mutant(&self, parent: &[u32], run: &mut Run) -> Vec<u32> {
        let parent = self.mapping(parent);
        if self.small {
            let found = self.memetic(vec![parent.clone()], run);
            return found.unwrap_or(parent).slots().to_vec();
        }
        self.annealed(parent, 2.0 * WARM, run)
    }

    fn judge(&self, slots: &[u32]) -> Option<Fitness> {
        let mapping = self.problem.mapping(slots.to_vec()).ok()?;
        Some(Fitness { overload: 0.0, cost: self.objective.cost(self.problem, &mapping) })
    }

    /// How much longer or shorter messages travel. Two placements that differ only by a symmetry of
    /// the machine do not differ.
    fn difference(&self, a: &[u32], b: &[u32]) -> f64 {
        let machine = self.problem.machine();
        let per_node = machine.slots_per_node();
        with_metric!(machine.metric(), metric => {
            let hops = |slots: &[u32], a: u32, b: u32| {
                let (a, b) = (slots[a as usize] / per_node, slots[b as usize] / per_node);
                i64::from(metric.distance(a, b))
            };
            let mut sum = 0.0;
            self.problem.graph().for_each_pair(|one, two, weight| {
                let hops = (hops(a, one, two) - hops(b, one, two)).unsigned_abs();
                sum += weight * hops as f64;
            });
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::HopBytes;
    use crate::{Machine, Weight, parse_pattern};

    #[test]
    fn placements_evolve_and_are_never_worse_than_the_first() {
        for (ranks, machine, small) in [(550, "torus:24x24", false), (14, "mesh:4x4", true)] {
            let traffic = parse_pattern(&format!("random:ranks={ranks},degree=3")).unwrap();
            let machine = Machine::parse(machine).unwrap();
            let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
            let first: Vec<u32> = (0..ranks).collect();
            let starts = vec![problem.mapping(first.clone()).unwrap()];
            let anneal = Anneal { sweeps: 5, ..Anneal::default() };
            let breeding =
                Exchanging { problem: &problem, objective: &HopBytes, starts, small, anneal };
            let evolution = Evolution { breeding: &breeding, generations: 7, mark: 1, enough: 0.0 };
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut run = Run::new(2);
                pool.install(|| evolution.run(|_| vec![first.clone()], &mut run)).unwrap()
            };
            let found = on(1);
            assert_eq!(found, on(2));
            let cost = |slots: &[u32]| breeding.judge(slots).unwrap().cost;
            assert!(cost(&found) < cost(&first));
        }
    }
}
