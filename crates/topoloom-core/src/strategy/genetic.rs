//! A genetic algorithm: roulette selection, ordered crossover, swap mutation.
//!
//! Algorithm 3 and appendix A.1 of the HAEC thesis. A string has one character for each rank (and
//! for each phantom in an empty slot): its slot. It also has what the discussion in the thesis asks
//! for: a bounded crossover length, and objectives other than cardinality.

use std::sync::Arc;

use rand::RngExt;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::random::random_slots;
use crate::mapping::Mapping;
use crate::objective::{Cardinality, CostTracker, Objective};
use crate::problem::Problem;
use crate::random::{self, Stream};
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "genetic",
    summary: "roulette selection, ordered crossover, swap mutation, for cardinality",
    example: "genetic:population=50,generations=20",
    parameters: &[
        Parameter { name: "population", default: "100", summary: "placements in a generation" },
        Parameter { name: "generations", default: "10", summary: "generations" },
        Parameter {
            name: "crossover-length",
            default: "no bound",
            summary: "longest section that crossover passes on",
        },
        Parameter {
            name: "mutation",
            default: "1",
            summary: "probability that two slots of a child are exchanged",
        },
        Parameter {
            name: "tries",
            default: "4",
            summary: "children worse than both parents to reject before one is accepted",
        },
    ],
    build: |spec| Ok(Arc::new(Genetic::from_spec(spec)?)),
};

/// A genetic algorithm; optimises cardinality unless an objective is given.
#[derive(Debug, Clone, Copy)]
pub struct Genetic {
    /// Placements in a generation.
    pub population: usize,
    /// How many generations follow the first.
    pub generations: u32,
    /// The longest section that crossover passes on.
    pub crossover_length: Option<u32>,
    /// The probability that a child has two of its slots exchanged.
    pub mutation: f64,
    /// Children less fit than both parents that are rejected before one is accepted anyway.
    pub tries: u32,
}

impl Default for Genetic {
    fn default() -> Self {
        Genetic {
            population: 100,
            generations: 10,
            crossover_length: None,
            mutation: 1.0,
            tries: 4,
        }
    }
}

impl Genetic {
    fn from_spec(spec: &Spec) -> Result<Self, SpecError> {
        spec.no_shape()?;
        let usual = Genetic::default();
        let wrong = |key: &str, expected: &str, found: &dyn std::fmt::Display| {
            SpecError::new(format!("genetic: expected {expected} for \"{key}\", found \"{found}\""))
        };
        let population =
            spec.get("population", "a number of at least 2")?.unwrap_or(usual.population);
        if !(2..=1_000_000).contains(&population) {
            return Err(wrong("population", "a number from 2 to 1000000", &population));
        }
        let crossover_length = spec.get_positive("crossover-length")?;
        let mutation = spec.get("mutation", "a number from 0 to 1")?.unwrap_or(usual.mutation);
        if !(0.0..=1.0).contains(&mutation) {
            return Err(wrong("mutation", "a number from 0 to 1", &mutation));
        }
        Ok(Genetic {
            population,
            generations: spec.get("generations", "a number")?.unwrap_or(usual.generations),
            crossover_length,
            mutation,
            tries: spec.get("tries", "a number")?.unwrap_or(usual.tries),
        })
    }
}

#[derive(Clone)]
struct Individual {
    slot_of: Vec<u32>,
    cost: f64,
    fitness: f64,
}

/// The fixed data of an evolution.
struct Evolution<'a> {
    options: &'a Genetic,
    problem: &'a Problem,
    objective: &'a dyn Objective,
    tracker: Box<dyn CostTracker + 'a>,
    rng: Stream,
}

impl Evolution<'_> {
    fn individual(&mut self, slot_of: Vec<u32>) -> Individual {
        let cost = self.tracker.reset(&slot_of);
        let fitness = self.objective.fitness(self.problem, cost);
        Individual { slot_of, cost, fitness }
    }

    /// Each individual is drawn with a probability in proportion to its fitness.
    fn select<'p>(&mut self, population: &'p [Individual], total_fitness: f64) -> &'p Individual {
        if total_fitness <= 0.0 {
            return &population[random::below(&mut self.rng, population.len() as u32) as usize];
        }
        let mut left = self.rng.random::<f64>() * total_fitness;
        for individual in population {
            left -= individual.fitness;
            if left < 0.0 {
                return individual;
            }
        }
        population.last().expect("a population has two members or more")
    }

    /// A section of random position and length, within the bound.
    fn section(&mut self, characters: u32) -> (usize, usize) {
        let longest = self.options.crossover_length.unwrap_or(characters).min(characters);
        let length = 1 + random::below(&mut self.rng, longest);
        let start = random::below(&mut self.rng, characters - length + 1);
        (start as usize, (start + length) as usize)
    }

    fn mutate(&mut self, slot_of: &mut [u32]) {
        if slot_of.len() >= 2 && self.rng.random::<f64>() < self.options.mutation {
            let a = random::below(&mut self.rng, slot_of.len() as u32) as usize;
            let b = random::below(&mut self.rng, slot_of.len() as u32 - 1) as usize;
            slot_of.swap(a, if b < a { b } else { b + 1 });
        }
    }

    /// The next generation; shorter than the population if a limit is reached.
    fn breed(&mut self, population: &[Individual], run: &mut Run) -> Vec<Individual> {
        let total_fitness = population.iter().map(|individual| individual.fitness).sum();
        let characters = population[0].slot_of.len() as u32;
        let mut generation = Vec::with_capacity(population.len());
        let mut scratch = Vec::new();
        let mut rejected = 0;
        while generation.len() < population.len() {
            let donor = self.select(population, total_fitness);
            let receptor = self.select(population, total_fitness);
            let weaker = donor.fitness.min(receptor.fitness);
            let (start, end) = self.section(characters);
            for (donor, receptor) in [(donor, receptor), (receptor, donor)] {
                let mut slot_of = vec![0; characters as usize];
                crossover_into(
                    &donor.slot_of,
                    &receptor.slot_of,
                    start,
                    end,
                    &mut scratch,
                    &mut slot_of,
                );
                self.mutate(&mut slot_of);
                let child = self.individual(slot_of);
                let go_on = run.spend_long(1);
                if child.fitness >= weaker || rejected >= self.options.tries {
                    rejected = 0;
                    if generation.len() < population.len() {
                        generation.push(child);
                    }
                } else {
                    rejected += 1;
                }
                if !go_on {
                    return generation;
                }
            }
        }
        generation
    }
}

impl Strategy for Genetic {
    fn usual_objective(&self) -> &'static dyn Objective {
        &Cardinality
    }

    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(self.usual_objective());
        let mut first = vec![0; problem.num_slots()];
        random_slots(run.seed(), 0, &mut first);
        let start = Mapping::new(first[..problem.num_ranks()].to_vec(), problem.machine())
            .expect("a permutation of the slots");
        let mut evolution = Evolution {
            options: self,
            problem,
            objective,
            tracker: objective.track(problem, &start),
            rng: random::stream(run.seed(), &[EVOLUTION]),
        };
        let mut population = Vec::with_capacity(self.population);
        for member in 0..self.population as u64 {
            let mut slot_of = vec![0; problem.num_slots()];
            random_slots(run.seed(), member, &mut slot_of);
            population.push(evolution.individual(slot_of));
            if !run.spend_long(1) {
                break;
            }
        }
        let mut best = fittest(&population).expect("at least one member").clone();
        for generation in 0..self.generations {
            if run.was_cut_short() {
                break;
            }
            population = evolution.breed(&population, run);
            if let Some(fittest) = fittest(&population).filter(|fittest| fittest.cost < best.cost) {
                best = fittest.clone();
            }
            run.progress("generations", u64::from(generation) + 1, u64::from(self.generations));
            run.found(best.cost);
        }
        let slots = best.slot_of[..problem.num_ranks()].to_vec();
        Ok(Mapping::new(slots, problem.machine()).expect("crossover keeps permutations"))
    }
}

/// The number of the random stream of selection, crossover and mutation.
const EVOLUTION: u64 = 0x6765_6e65_7469_6373;

fn fittest(population: &[Individual]) -> Option<&Individual> {
    population.iter().min_by(|a, b| a.cost.total_cmp(&b.cost))
}

/// Ordered crossover (OX) of appendix A.1: the child has the donor's section `start..end`, and the
/// rest of the receptor's characters in their order, from the end of the section on, with
/// wrap-around. Both must be permutations of `0..len`.
fn crossover_into(
    donor: &[u32],
    receptor: &[u32],
    start: usize,
    end: usize,
    in_section: &mut Vec<bool>,
    child: &mut [u32],
) {
    in_section.clear();
    in_section.resize(donor.len(), false);
    for &character in &donor[start..end] {
        in_section[character as usize] = true;
    }
    child[start..end].copy_from_slice(&donor[start..end]);
    let kept = receptor[end..]
        .iter()
        .chain(&receptor[..end])
        .filter(|&&character| !in_section[character as usize]);
    let places = (end..child.len()).chain(0..start);
    for (place, &character) in places.zip(kept) {
        child[place] = character;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered_crossover(donor: &[u32], receptor: &[u32], start: usize, end: usize) -> Vec<u32> {
        let mut child = vec![0; donor.len()];
        crossover_into(donor, receptor, start, end, &mut Vec::new(), &mut child);
        child
    }

    fn digits(text: &str) -> Vec<u32> {
        text.chars().map(|digit| digit.to_digit(10).unwrap()).collect()
    }

    #[test]
    fn the_crossover_of_the_appendix_gives_2305679481() {
        // A = 984 567 1320 donates 567 to B = 871 230 9546.
        let child = ordered_crossover(&digits("9845671320"), &digits("8712309546"), 3, 6);
        assert_eq!(child, digits("2305679481"));
    }

    #[test]
    fn a_section_of_everything_copies_the_donor() {
        let donor = digits("3120");
        assert_eq!(ordered_crossover(&donor, &digits("0123"), 0, 4), donor);
    }
}
