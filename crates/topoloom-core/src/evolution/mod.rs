//! An evolutionary search on islands: each has a population of placements, makes children of them
//! and passes its best on to other islands.
//!
//! The scheme is that of P. Sanders and C. Schulz, "Distributed evolutionary graph partitioning"
//! (2012), but everything is counted in generations: in each of them every island makes one
//! placement, and guests travel by a fixed plan. So the result does not depend on the number of
//! threads or processes, or on their speed.

mod breeding;
mod newborn;
mod population;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use breeding::Breeding;
pub(crate) use population::Fitness;

use self::breeding::MEMBERS;
use self::newborn::Newborn;
use self::population::Member;
use self::state::State;
use crate::crew::{Used, mark};
use crate::random;
use crate::run::Run;

/// One child in this many is a mutant of one parent.
const MUTANTS: u32 = 8;

/// The number of generations after which islands send their best to another one.
const TRAVEL: u64 = 1;

/// Random choices of an evolution begin with this number: those of other searches are smaller.
const FIRST_CHOICE: u64 = 1 << 32;

/// An evolution of placements.
pub(crate) struct Evolution<'a, B> {
    pub(crate) breeding: &'a B,
    /// The number of generations; the first few make the populations.
    pub(crate) generations: u64,
    /// Sums up the problem and the settings, except for the number of generations.
    pub(crate) mark: u64,
    /// It ends early at a placement of this cost, which cannot be improved.
    pub(crate) enough: f64,
}

impl<B: Breeding> Evolution<'_, B> {
    /// The best placement, or one as good as the best of `first`. If a state was saved, the search
    /// continues from there and does not ask for `first`.
    pub(crate) fn run(
        &self,
        first: impl FnOnce(&mut Run) -> Vec<Vec<u32>>,
        run: &mut Run,
    ) -> Option<Vec<u32>> {
        let saved = run.checkpoint().and_then(|checkpoint| checkpoint.load(self.mark));
        let saved = saved.and_then(|bytes| State::restored(&bytes, run.islands(), self.breeding));
        let mut state = match saved {
            Some(state) => state,
            None => State::new(run.islands() as usize, self.members(first(run))),
        };
        while state.generation < self.generations && !self.is_enough(&state) {
            run.progress("generations", state.generation, self.generations);
            state.best().iter().for_each(|best| run.found(best.fitness.cost));
            if run.must_stop() || !self.generation(&mut state, run) {
                break;
            }
            if let Some(checkpoint) = run.checkpoint() {
                checkpoint.save(self.mark, &|| state.saved());
            }
        }
        Some(state.best()?.places.clone())
    }

    fn is_enough(&self, state: &State) -> bool {
        let enough = Fitness { overload: 0.0, cost: self.enough };
        state.best().is_some_and(|best| !enough.is_better_than(best.fitness))
    }

    fn members(&self, placements: Vec<Vec<u32>>) -> Vec<Member> {
        let member =
            |places: Vec<u32>| Some(Member { fitness: self.breeding.judge(&places)?, places });
        placements.into_iter().filter_map(member).collect()
    }

    /// Every island makes a placement. Returns whether all were made in time.
    fn generation(&self, state: &mut State, run: &mut Run) -> bool {
        let costs = state.members().map(|member| member.fitness.cost.to_bits());
        let mark = mark("generation", costs.chain([self.mark, state.generation]));
        let born = run.share(mark, state.islands.len(), |island| self.newborn(state, island, run));
        let mut in_time = true;
        for (island, newborn) in born.into_iter().enumerate() {
            let Some(newborn) = newborn else {
                in_time = false;
                continue;
            };
            newborn.used.count(run);
            in_time &= newborn.in_time;
            if let Some(place) = newborn.place {
                state.islands[island].settle(newborn.member, place as usize);
            }
        }
        if !in_time {
            run.cut_short();
            return false;
        }
        state.generation += 1;
        if state.generation.is_multiple_of(TRAVEL) {
            self.travel(state);
        }
        true
    }

    /// The next placement of an island. It depends on the state and the seed only.
    fn newborn(&self, state: &State, island: usize, run: &Run) -> Newborn {
        let population = &state.islands[island];
        let islands = state.islands.len() as u64;
        let choice = FIRST_CHOICE + state.generation * islands + island as u64;
        let mut part = run.one_of(islands, choice).unreported();
        let mut rng = random::stream(part.seed(), &[FIRST_CHOICE]);
        let breeding = self.breeding;
        let places = if population.len() < MEMBERS {
            breeding.founder(&mut part)
        } else if random::below(&mut rng, MUTANTS) == 0 {
            breeding.mutant(&population.winner(&mut rng).places, &mut part)
        } else {
            let (better, other) = population.parents(&mut rng);
            breeding.child(&better.places, &other.places, &mut part)
        };
        let fitness = breeding.judge(&places).unwrap_or(Fitness::WORST);
        let member = Member { fitness, places };
        let place = population.place_for(&member, MEMBERS, |a, b| breeding.difference(a, b));
        let place = place.map(|place| place as u32);
        Newborn { member, place, used: Used::by(&part), in_time: !part.is_over() }
    }

    /// The best of each island also settles on another one.
    fn travel(&self, state: &mut State) {
        let islands = state.islands.len();
        // Distances double, in turn: each island is reached from each other one.
        let distances = usize::BITS - islands.saturating_sub(1).leading_zeros();
        if distances == 0 {
            return;
        }
        let distance = 1 << ((state.generation / TRAVEL) % u64::from(distances));
        let guests: Vec<Option<Member>> =
            state.islands.iter().map(|island| island.best().cloned()).collect();
        for (from, guest) in guests.into_iter().enumerate() {
            let Some(guest) = guest else { continue };
            let island = &mut state.islands[(from + distance) % islands];
            let difference = |a: &[u32], b: &[u32]| self.breeding.difference(a, b);
            if let Some(place) = island.place_for(&guest, MEMBERS, difference) {
                island.settle(guest, place);
            }
        }
    }
}
