//! Follows the loads of all links through exchanges of ranks.

use super::{Loads, Measure, Partners, Peak};
use crate::machine::Machine;
use crate::mapping::{Mapping, Placement};
use crate::objective::cost_tracker::CostTracker;
use crate::pace::Pace;
use crate::problem::Problem;
use crate::run::Run;

/// Exchanges after which everything is computed again, because rounding errors add up.
const EXCHANGES_BETWEEN_COUNTS: u32 = 1 << 14;

/// Follows the loads of all links, and a measure of them.
pub struct Tracker<'a, M> {
    machine: &'a Machine,
    partners: Partners,
    placement: Placement,
    loads: Loads<'a>,
    measure: M,
    until_recount: u32,
}

impl<'a, M: Measure> Tracker<'a, M> {
    /// Starts at a placement.
    pub fn new(problem: &'a Problem, start: &Mapping, measure: M) -> Self {
        let mut tracker = Tracker::uncounted(problem, start, measure);
        tracker.count();
        tracker
    }

    /// The same; `None` if the run ends before all loads are counted.
    pub fn within(problem: &'a Problem, start: &Mapping, measure: M, run: &Run) -> Option<Self> {
        let mut tracker = Tracker::uncounted(problem, start, measure);
        let mut pace = Pace::default();
        tracker.count_unless(|| pace.is_due(1) && run.is_over()).then_some(tracker)
    }

    fn uncounted(problem: &'a Problem, start: &Mapping, measure: M) -> Self {
        let machine = problem.machine();
        Tracker {
            machine,
            partners: Partners::new(problem),
            placement: Placement::new(start, machine),
            loads: Loads::new(machine),
            measure,
            until_recount: EXCHANGES_BETWEEN_COUNTS,
        }
    }

    fn count(&mut self) {
        self.count_unless(|| false);
    }

    /// Counts everything; `false` if it ended early because of `must_stop`, which is called after
    /// each flow.
    fn count_unless(&mut self, mut must_stop: impl FnMut() -> bool) -> bool {
        self.until_recount = EXCHANGES_BETWEEN_COUNTS;
        self.loads.clear();
        let (machine, nodes) = (self.machine, self.placement.nodes());
        for (from, to, weight) in self.partners.between_nodes(nodes, machine.num_nodes()) {
            self.loads.change(from, to, weight);
            if must_stop() {
                return false;
            }
        }
        self.loads.accept();
        self.measure.count(self.loads.now());
        true
    }

    /// Notes what moving `rank` would change, apart from what it exchanges with `other`.
    fn note_move(&mut self, rank: u32, from: u32, to: u32, other: u32) {
        for partner in self.partners.of(rank).iter().filter(|partner| partner.rank != other) {
            let node = self.placement.node_of(partner.rank);
            for (end, weight) in [(from, -1.0), (to, 1.0)] {
                if end != node {
                    self.loads.change(end, node, weight * partner.sends);
                    self.loads.change(node, end, weight * partner.receives);
                }
            }
        }
    }

    fn note_swap(&mut self, a: u32, b: u32) {
        let (node_a, node_b) = (self.placement.node_of(a), self.placement.node_of(b));
        if node_a == node_b {
            return;
        }
        self.note_move(a, node_a, node_b, b);
        self.note_move(b, node_b, node_a, a);
        if let Some(pair) = self.partners.of(a).iter().find(|partner| partner.rank == b) {
            // What went from a's node to b's goes the other way afterwards.
            let more = pair.receives - pair.sends;
            self.loads.change(node_a, node_b, more);
            self.loads.change(node_b, node_a, -more);
        }
    }
}

impl Tracker<'_, Peak> {
    /// The most loaded link that is not in `except`; among equals, the first. `None` if no other
    /// carries anything.
    pub fn most_loaded_except(&self, except: &[u32]) -> Option<u32> {
        self.measure.most_loaded_except(&self.loads, except)
    }
}

impl<M: Measure> CostTracker for Tracker<'_, M> {
    fn cost(&self) -> f64 {
        self.measure.value()
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        self.note_swap(a, b);
        let delta = self.measure.after(&self.loads) - self.measure.value();
        self.loads.refuse();
        delta
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.note_swap(a, b);
        self.measure.accept(&self.loads);
        self.loads.accept();
        self.placement.swap(a, b);
        self.until_recount -= 1;
        if self.until_recount == 0 {
            self.count();
        }
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.placement.set(slot_of);
        self.count();
        self.cost()
    }
}
