//! A memetic search: a population of placements, whose children are improved by short tabu
//! searches.
//!
//! U. Benlic and J.-K. Hao, "Memetic search for the quadratic assignment problem" (2015), has this
//! scheme: what two parents agree on is kept, the child is improved, and it replaces the worst of
//! the population. If nothing better comes for long, everything is shaken. Half of the children
//! here take a connected part of the traffic as one parent has it and the rest as the other has it:
//! where partners are together, a child should not separate them at random.

mod crossing;
mod population;
mod symmetry;

use std::sync::Arc;

use rayon::prelude::*;

use self::population::{Member, Population};
use self::symmetry::Symmetries;
use super::better::better;
use super::definition::Refiner;
use super::entry::RefinerEntry;
use super::tabu::{DeltaTable, Tabu, table_fits};
use crate::effort::Effort;
use crate::mapping::Mapping;
use crate::objective::pair_sum::FlowSum;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::random;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::SpecError;

/// The registry's entry.
pub static ENTRY: RefinerEntry = RefinerEntry {
    name: "memetic",
    summary: "crosses placements and improves each child by tabu search; up to 512 slots",
    example: "memetic:children=200",
    parameters: &[
        Parameter {
            name: "children",
            default: "by effort and slots: 40 to 3000 for eco",
            summary: "the most children to make and improve",
        },
        Parameter {
            name: "population",
            default: "15, or 6 for effort fast",
            summary: "placements that are kept, from 2 to 1000",
        },
    ],
    build: |spec| {
        spec.no_shape()?;
        let children = spec.get("children", "a number")?;
        let population: Option<usize> = spec.get_positive("population")?;
        if let Some(number) = population.filter(|number| !(2..=MOST_MEMBERS).contains(number)) {
            let expected = format!("2 to {MOST_MEMBERS} placements as population");
            return Err(SpecError::new(format!("memetic: expected {expected}, found {number}")));
        }
        Ok(Arc::new(Memetic { children, population }))
    },
};

/// A memetic search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memetic {
    /// The most children to make; by default by effort.
    pub children: Option<u64>,
    /// Placements that are kept; by default by effort.
    pub population: Option<usize>,
}

/// The largest population.
const MOST_MEMBERS: usize = 1000;

/// With more slots a single child takes seconds. A tabu search gets more from that time.
const MOST_SLOTS: usize = 512;

/// With at least this many children, a search does better without a placement by `bits` to start
/// from. Tried with eco for CG on tori of two dimensions: 64 ranks (508 children) are 3 % cheaper
/// without it on average over six seeds, 256 ranks (40 children) 8 % cheaper with it.
const ENOUGH_CHILDREN: u64 = 500;

/// The number of the random stream of this search.
const CHOICES: u64 = 0x6d65_6d65;

/// Exchanges of the tabu search of a child, per slot. Of 2, 3, 5, 10, 20 and 80, this is best for
/// thirteen problems of QAPLIB and sixty of recorded programs of 64 ranks, at the same work.
const EXCHANGES_PER_SLOT: u64 = 3;

/// Children that are made from the same population, in parallel.
const BATCH: u64 = 8;

/// Children without a gain after which everything is shaken.
const PATIENCE: u64 = 15;

/// How often everything is shaken without a gain before another population begins.
const SHAKES: u64 = 3;

/// Each fourth population begins with the best of those before it.
const EPOCHS_TO_A_REUNION: u64 = 4;

/// The search ends when this many populations that began at random have found the same best cost.
const ENOUGH_AGREE: u64 = 8;

/// How many short searches take as long as one.
const SHARES: u64 = 12;

/// What an effort spends. One core takes some 3 ns per pair of slots.
struct Budget {
    /// With more slots, the search takes longer than the effort should.
    most_slots: usize,
    /// Pairs of slots that may be looked at.
    work: f64,
    least_children: u64,
    most_children: u64,
    population: usize,
    /// How many populations evolve, one after the other.
    epochs: u64,
}

impl Budget {
    fn of(effort: Effort) -> Budget {
        match effort {
            Effort::Fast => Budget {
                most_slots: 128,
                work: 6e6,
                least_children: 10,
                most_children: 60,
                population: 6,
                epochs: 2,
            },
            Effort::Eco => Budget {
                most_slots: 256,
                work: 6e8,
                least_children: 40,
                most_children: 3000,
                population: 15,
                epochs: 8,
            },
            Effort::Strong | Effort::Extreme => Budget {
                most_slots: MOST_SLOTS,
                work: 6e9,
                least_children: 200,
                most_children: 30_000,
                population: 15,
                epochs: 64,
            },
        }
    }

    /// How many children the work allows.
    fn children(&self, slots: usize) -> u64 {
        let slots = slots as f64;
        let of_a_child = EXCHANGES_PER_SLOT as f64 * slots * slots * slots / 2.0;
        ((self.work / of_a_child) as u64).clamp(self.least_children, self.most_children)
    }
}

impl Memetic {
    /// Whether the search can follow `objective` and is worth its time at this effort.
    pub(crate) fn suits(problem: &Problem, objective: &dyn Objective, effort: Effort) -> bool {
        problem.num_slots() <= Budget::of(effort).most_slots
            && problem.sharing().is_none()
            && objective.node_costs(problem.machine()).is_some()
    }

    /// Whether the search is long enough to begin without a placement by `bits`.
    pub(crate) fn explores(problem: &Problem, effort: Effort) -> bool {
        Budget::of(effort).children(problem.num_slots()) >= ENOUGH_CHILDREN
    }

    /// The children of one of many short searches, which together take as long as some at this
    /// effort.
    pub(crate) fn share_of_children(problem: &Problem, effort: Effort) -> u64 {
        Budget::of(effort).children(problem.num_slots()).div_ceil(SHARES)
    }

    /// Evolves from `starts` and random placements. Returns nothing if the objective is not a sum
    /// over flows, if there are too many slots, or if the time runs out first. Ends early at a cost
    /// of `target`.
    pub(crate) fn evolve(
        &self,
        problem: &Problem,
        objective: &dyn Objective,
        starts: Vec<Mapping>,
        target: f64,
        run: &mut Run,
    ) -> Option<Mapping> {
        if problem.num_slots() > MOST_SLOTS || !table_fits(problem) {
            return None;
        }
        let sum = FlowSum::of(problem, objective)?;
        let symmetries = Symmetries::of(problem.machine(), sum.costs());
        let search = Search { problem, objective, sum: &sum, symmetries };
        let budget = Budget::of(run.effort());
        let size = self.population.unwrap_or(budget.population).clamp(2, MOST_MEMBERS);
        let children = self.children.unwrap_or_else(|| budget.children(problem.num_slots()));
        let mut evolution = Evolution { search, size, children, target, number: 0 };
        let mut bests: Vec<Member> = Vec::new();
        let mut founders = starts;
        // The costs that populations without founders have found.
        let mut independent: Vec<f64> = Vec::new();
        for epoch in 0..budget.epochs {
            let founders_of_this = std::mem::take(&mut founders);
            let is_independent = founders_of_this.is_empty();
            if let Some(best) = evolution.epoch(founders_of_this, run) {
                independent.extend(is_independent.then_some(best.cost));
                bests.push(best);
            }
            // The order of arrival decides between equal costs.
            bests.sort_by(|a, b| a.cost.total_cmp(&b.cost));
            let least = bests.first().map(|best| best.cost);
            // Sums of the same weights in another order may differ by rounding.
            let is_least = |&&cost: &&f64| least.is_some_and(|least| cost <= least * (1.0 + 1e-12));
            let agree = independent.iter().filter(is_least).count() as u64;
            let found = least.is_some_and(|least| least <= target) || agree >= ENOUGH_AGREE;
            if found || evolution.number >= children || run.must_stop() {
                break;
            }
            if (epoch + 2) % EPOCHS_TO_A_REUNION == 0 {
                founders = bests.iter().map(|best| best.mapping.clone()).collect();
            }
        }
        bests.into_iter().next().map(|best| best.mapping)
    }
}

/// A search of several populations, and how far it is.
struct Evolution<'a> {
    search: Search<'a>,
    size: usize,
    /// The most children in total.
    children: u64,
    target: f64,
    /// Children so far.
    number: u64,
}

impl Evolution<'_> {
    /// Evolves a population of `founders` and random placements. Returns its best.
    fn epoch(&mut self, mut founders: Vec<Mapping>, run: &mut Run) -> Option<Member> {
        let problem = self.search.problem;
        founders.truncate(self.size);
        for place in founders.len()..self.size {
            if place > 0 && run.must_stop() {
                break;
            }
            let mut rng = random::stream(run.seed(), &[CHOICES, 0, self.number, place as u64]);
            founders.push(crossing::drawn(problem, &mut rng));
        }
        let first = self.improved(founders, run);
        let mut population = Population::new(first)?;
        let mut shakes = 0;
        while self.number < self.children && population.best().cost > self.target {
            run.progress("memetic search", self.number, self.children);
            run.found(population.best().cost);
            if run.must_stop() {
                break;
            }
            let before = population.best().cost;
            if population.stale() >= PATIENCE {
                if shakes == SHAKES {
                    break;
                }
                shakes += 1;
                let shaken = |(place, member): (u64, &Member)| {
                    let mut rng = random::stream(run.seed(), &[CHOICES, 1, self.number, place]);
                    crossing::shaken(problem, &member.mapping, shakes, &mut rng)
                };
                let shaken = (0..).zip(population.members()).map(shaken).collect();
                population.replace(self.improved(shaken, run));
            } else {
                let child = |place: u64| {
                    let mut rng = random::stream(run.seed(), &[CHOICES, 2, self.number, place]);
                    let (one, other) = population.parents(&mut rng);
                    let symmetries = &self.search.symmetries;
                    crossing::child(problem, symmetries, &one.mapping, &other.mapping, &mut rng)
                };
                let children = (0..BATCH.min(self.children - self.number)).map(child).collect();
                for member in self.improved(children, run) {
                    population.admit(member, &self.search.symmetries);
                }
            }
            if population.best().cost < before {
                shakes = 0;
            }
        }
        Some(population.into_best())
    }

    fn improved(&mut self, made: Vec<Mapping>, run: &mut Run) -> Vec<Member> {
        let first = self.number;
        self.number += made.len() as u64;
        self.search.improve_all(made, first, run)
    }
}

struct Search<'a> {
    problem: &'a Problem,
    objective: &'a dyn Objective,
    sum: &'a FlowSum<'a>,
    symmetries: Symmetries,
}

impl Search<'_> {
    /// Improves placements in parallel, in an order that does not depend on the threads.
    fn improve_all(&self, made: Vec<Mapping>, first: u64, run: &mut Run) -> Vec<Member> {
        let share = run.evaluations_left().div_ceil(made.len().max(1) as u64);
        let results: Vec<(Member, u64)> = made
            .into_par_iter()
            .enumerate()
            .map(|(place, start)| {
                let mut part = run.part_with_evaluations(share).unreported();
                let member = self.improve(start, first + place as u64, &mut part);
                (member, part.evaluations())
            })
            .collect();
        let used: u64 = results.iter().map(|(_, evaluations)| evaluations).sum();
        run.count(used);
        results.into_iter().map(|(member, _)| member).collect()
    }

    fn improve(&self, start: Mapping, number: u64, run: &mut Run) -> Member {
        let exchanges = EXCHANGES_PER_SLOT * self.problem.num_slots() as u64;
        let tabu = Tabu { iterations: Some(exchanges), patience: Some(u64::MAX) };
        let mapping = match run.must_stop() {
            true => start,
            false => match DeltaTable::new(self.sum, &start, run) {
                Some(mut table) => tabu.search(self.problem, &mut table, number, run),
                None => start,
            },
        };
        let cost = self.objective.cost(self.problem, &mapping);
        Member { cost, mapping }
    }
}

impl Refiner for Memetic {
    fn refine(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        start: Mapping,
        run: &mut Run,
    ) -> Mapping {
        let objective = objective.unwrap_or(&HopBytes);
        match self.evolve(problem, objective, vec![start.clone()], 0.0, run) {
            Some(found) => better(problem, objective, found, start, run),
            // It serves objectives and machines of any kind.
            None => Tabu::default().improve(problem, objective, start, run),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::CostMatrix;
    use crate::{Machine, TrafficBuilder, Weight, parse_objective, parse_pattern, parse_strategy};

    fn problem(traffic: &str, machine: &str) -> Problem {
        let machine = Machine::parse(machine).unwrap();
        Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
    }

    fn found(problem: &Problem, objective: &dyn Objective, seed: u64) -> f64 {
        let mut run = Run::new(seed).with_effort(Effort::Eco);
        let start = parse_strategy("random").unwrap().map(problem, None, &mut run).unwrap();
        let mapping = Memetic::default().refine(problem, Some(objective), start, &mut run);
        objective.cost(problem, &mapping)
    }

    #[test]
    fn small_problems_are_solved_as_by_trying_everything() {
        for (traffic, machine) in [
            ("random:ranks=8,degree=3,seed=5", "mesh:3x3"),
            ("random:ranks=7,degree=3,seed=6", "torus:2x2,slots=2"),
            ("stencil:2x4", "hypercube:3"),
        ] {
            let problem = problem(traffic, machine);
            let all = parse_strategy("exhaustive").unwrap();
            let best = all.map(&problem, None, &mut Run::new(1)).unwrap();
            let least = HopBytes.cost(&problem, &best);
            assert_eq!(found(&problem, &HopBytes, 3), least, "{traffic} {machine}");
        }
    }

    #[test]
    fn costs_that_differ_by_direction_are_followed() {
        // A ring in one direction, which is cheap only along a hidden circle.
        let ranks = 20;
        let mut builder = TrafficBuilder::new(ranks);
        (0..ranks).for_each(|rank| builder.add(rank, (rank + 1) % ranks, 1.0, 1.0));
        let next = |node: u32| (node * 7 + 3) % ranks;
        let rows = (0..ranks)
            .map(|from| (0..ranks).map(|to| if to == next(from) { 1.0 } else { 10.0 }).collect());
        let matrix = CostMatrix::new("hidden", rows.collect()).unwrap();
        let machine = Machine::parse("mesh:20").unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        // The map from a node to the next has circles of 4 nodes: the best ring uses all of each.
        let in_circles = circles(ranks, next);
        let most = f64::from(ranks) - if in_circles > 1 { f64::from(in_circles) } else { 0.0 };
        let least = most + 10.0 * (f64::from(ranks) - most);
        assert_eq!(found(&problem, &matrix, 1), least);
    }

    /// How many circles a permutation has.
    fn circles(count: u32, next: impl Fn(u32) -> u32) -> u32 {
        let mut seen = vec![false; count as usize];
        let mut circles = 0;
        for first in 0..count {
            let mut node = first;
            if !seen[node as usize] {
                circles += 1;
            }
            while !std::mem::replace(&mut seen[node as usize], true) {
                node = next(node);
            }
        }
        circles
    }

    #[test]
    fn threads_do_not_matter_and_the_start_is_never_made_worse() {
        let problem = problem("random:ranks=30,degree=4,seed=2", "torus:4x4,slots=2");
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| found(&problem, &HopBytes, 9))
        };
        assert_eq!(on(1), on(3));
        let start = problem.mapping((0..30).collect()).unwrap();
        let before = HopBytes.cost(&problem, &start);
        for evaluations in [0, 1, 1000, 100_000] {
            let mut run = Run::new(1).with_max_evaluations(evaluations);
            let after = Memetic::default().refine(&problem, None, start.clone(), &mut run);
            assert!(HopBytes.cost(&problem, &after) <= before);
        }
    }

    #[test]
    fn the_population_has_limits() {
        let wrong = |spec: &str| parse_strategy(spec).map(|_| ()).unwrap_err().to_string();
        for size in ["1", "1001", "30000000"] {
            let message = wrong(&format!("random | memetic:population={size}"));
            assert!(message.contains("expected 2 to 1000 placements"), "{message}");
        }
        assert!(parse_strategy("random | memetic:population=2").is_ok());
    }

    #[test]
    fn objectives_that_are_not_sums_over_pairs_get_a_tabu_search() {
        let problem = problem("stencil:3x3", "mesh:3x3");
        let objective = parse_objective("max-dilation").unwrap();
        assert!(!Memetic::suits(&problem, objective.as_ref(), Effort::Strong));
        let in_order = problem.mapping((0..9).collect()).unwrap();
        let least = objective.cost(&problem, &in_order);
        assert_eq!(found(&problem, objective.as_ref(), 1), least, "partners are neighbours");
    }
}
