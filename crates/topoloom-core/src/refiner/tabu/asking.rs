//! Exchanges evaluated one by one: for objectives without a table, and for large machines.

use super::neighbourhood::{Exchange, Neighbourhood};
use crate::mapping::Placement;
use crate::objective::CostTracker;
use crate::problem::Problem;
use crate::random::{self, Stream};
use crate::refiner::hubs::Hubs;
use crate::refiner::surroundings::Surroundings;
use crate::run::Run;

/// Slots up to which all exchanges are tried each time.
const MOST_SLOTS_FOR_ALL: usize = 96;

/// Ranks that get a turn each time on larger machines.
const TURNS: usize = 16;

/// Partners of a rank around which exchanges are tried in a turn.
const PARTNERS_OF_A_TURN: usize = 4;

/// Uses the tracker of an objective.
pub(super) struct Asking<'a> {
    problem: &'a Problem,
    surroundings: Surroundings,
    hubs: Hubs<'a>,
    tracker: Box<dyn CostTracker + 'a>,
    /// Exchanges to evaluate, and scratch for them.
    pairs: Vec<(u32, u32)>,
}

impl<'a> Asking<'a> {
    /// `None` if the time runs out first.
    pub(super) fn new(
        problem: &'a Problem,
        tracker: Box<dyn CostTracker + 'a>,
        run: &mut Run,
    ) -> Option<Self> {
        let surroundings = Surroundings::in_time(problem.machine(), run)?;
        let hubs = Hubs::of(problem.graph());
        Some(Asking { problem, surroundings, hubs, tracker, pairs: Vec::new() })
    }

    fn list_all(&mut self) {
        self.pairs.clear();
        let count = self.problem.num_slots() as u32;
        for a in 0..self.problem.num_ranks() as u32 {
            self.pairs.extend((a + 1..count).map(|b| (a, b)));
        }
    }

    /// Some ranks, each with ranks next to some of its partners.
    fn list_some(&mut self, rng: &mut Stream) {
        self.pairs.clear();
        let placement = self.tracker.placement();
        for _ in 0..TURNS {
            let a = random::below(rng, self.problem.num_ranks() as u32);
            let partners = self.problem.graph().partners(a);
            for _ in 0..partners.len().min(PARTNERS_OF_A_TURN) {
                let partner = partners[random::below(rng, partners.len() as u32) as usize];
                let home = placement.node_of(partner);
                for &node in std::iter::once(&home).chain(self.surroundings.of(home)) {
                    let there = placement.on_node(node);
                    let b = there[random::below(rng, there.len() as u32) as usize];
                    // Not in every turn of a partner: a hub would take most of the time.
                    match self.hubs.share_of_exchanges(a, b) {
                        Some((some, all)) if random::below(rng, all) >= some => {}
                        _ => self.pairs.push((a, b)),
                    }
                }
            }
        }
    }
}

impl Neighbourhood for Asking<'_> {
    fn cost(&self) -> f64 {
        self.tracker.cost()
    }

    fn placement(&self) -> &Placement {
        self.tracker.placement()
    }

    fn best(
        &mut self,
        rng: &mut Stream,
        admissible: &mut dyn FnMut(&Placement, Exchange) -> bool,
    ) -> (Option<Exchange>, u64) {
        if self.problem.num_slots() > MOST_SLOTS_FOR_ALL {
            self.list_some(rng);
        } else if self.pairs.is_empty() {
            self.list_all();
        }
        if self.pairs.is_empty() {
            return (None, 0);
        }
        let mut best: Option<Exchange> = None;
        // Any of several equal exchanges may be chosen, so start at a random one.
        let first = random::below(rng, self.pairs.len() as u32) as usize;
        for position in (first..self.pairs.len()).chain(0..first) {
            let (a, b) = self.pairs[position];
            let placement = self.tracker.placement();
            if placement.node_of(a) == placement.node_of(b) {
                continue;
            }
            let delta = self.tracker.swap_delta(a, b);
            if best.is_none_or(|(_, _, least)| delta < least)
                && admissible(self.tracker.placement(), (a, b, delta))
            {
                best = Some((a, b, delta));
            }
        }
        (best, self.pairs.len() as u64)
    }

    fn swap(&mut self, a: u32, b: u32) -> u64 {
        self.tracker.swap(a, b);
        0
    }
}
