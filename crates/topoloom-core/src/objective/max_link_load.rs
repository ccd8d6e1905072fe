//! Maximum link load: what the most loaded link carries, under the machine's own routing.

mod link_loads;
mod partners;

use std::collections::HashMap;
use std::sync::Arc;

use link_loads::Loads;
use partners::Partners;

use super::{CostTracker, Objective, ObjectiveEntry};
use crate::ids::{LinkId, Vertex};
use crate::machine::Machine;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "max-link-load",
    summary: "load of the most loaded link by its bandwidth; ties by the sum of squared loads",
    example: "max-link-load",
    parameters: &[],
    build: |_| Ok(Arc::new(MaxLinkLoad)),
};

/// How much the sum of squares counts: it tells apart what is equal, and never outweighs a
/// millionth of the largest load.
const TIE: f64 = 1e-6;

/// The largest load of any directed link, divided by the link's bandwidth relative to the
/// machine's fastest. A millionth of the mean of squared loads, relative to the largest load, is
/// added: the maximum alone is flat nearly everywhere.
#[derive(Debug, Clone, Copy)]
pub struct MaxLinkLoad;

impl Objective for MaxLinkLoad {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let machine = problem.machine();
        let topology = machine.topology();
        let fastest = topology.fastest_link();
        let mut loads: HashMap<LinkId, f64> = HashMap::new();
        for flow in problem.traffic().flows() {
            let (from, to) = (Vertex(mapping.node_of(flow.from)), Vertex(mapping.node_of(flow.to)));
            machine.routing().route(topology, from, to, &mut |id, share| {
                *loads.entry(id).or_default() += flow.weight(problem.weight()) * share;
            });
        }
        let (mut largest, mut squares) = (0.0f64, 0.0);
        for (id, load) in loads {
            let link = topology.link(id).expect("routes take links that exist");
            let relative = load * fastest / link.properties.bytes_per_second;
            largest = largest.max(relative);
            squares += relative * relative;
        }
        combined(largest, squares, topology.num_links())
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        Box::new(Tracker::new(problem, start))
    }

    fn needs_links(&self) -> bool {
        true
    }
}

/// One number of the largest load and the sum of squares.
fn combined(largest: f64, squares: f64, links: u64) -> f64 {
    if largest > 0.0 { largest + TIE * squares / (links as f64 * largest) } else { 0.0 }
}

/// Follows the loads of all links.
struct Tracker<'a> {
    machine: &'a Machine,
    partners: Partners,
    placement: Placement,
    loads: Loads,
    links: u64,
    /// Exchanges until everything is counted anew, so that rounding does not add up.
    until_recount: u32,
}

const EXCHANGES_BETWEEN_COUNTS: u32 = 1 << 14;

impl<'a> Tracker<'a> {
    fn new(problem: &'a Problem, start: &Mapping) -> Self {
        let machine = problem.machine();
        let mut tracker = Tracker {
            machine,
            partners: Partners::new(problem),
            placement: Placement::new(start, machine),
            loads: Loads::new(machine.topology()),
            links: machine.topology().num_links(),
            until_recount: EXCHANGES_BETWEEN_COUNTS,
        };
        tracker.count();
        tracker
    }

    fn count(&mut self) {
        self.until_recount = EXCHANGES_BETWEEN_COUNTS;
        self.loads.clear();
        let (machine, placement) = (self.machine, &self.placement);
        let nodes = placement.nodes();
        for (from, to, weight) in self.partners.between_nodes(nodes, machine.num_nodes()) {
            self.loads.change(machine, from, to, weight);
        }
        self.loads.accept();
    }

    fn cost_after_change(&mut self) -> f64 {
        let (largest, squares) = self.loads.after_change();
        combined(largest, squares, self.links)
    }

    /// Notes what moving `rank` would change, apart from what it exchanges with `other`.
    fn note_move(&mut self, rank: u32, from: u32, to: u32, other: u32) {
        for partner in self.partners.of(rank).iter().filter(|partner| partner.rank != other) {
            let node = self.placement.node_of(partner.rank);
            for (end, weight) in [(from, -1.0), (to, 1.0)] {
                if end != node {
                    self.loads.change(self.machine, end, node, weight * partner.sends);
                    self.loads.change(self.machine, node, end, weight * partner.receives);
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
            self.loads.change(self.machine, node_a, node_b, more);
            self.loads.change(self.machine, node_b, node_a, -more);
        }
    }
}

impl CostTracker for Tracker<'_> {
    fn cost(&self) -> f64 {
        let (largest, squares) = self.loads.now();
        combined(largest, squares, self.links)
    }

    fn placement(&self) -> &Placement {
        &self.placement
    }

    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        let before = self.cost();
        self.note_swap(a, b);
        let after = self.cost_after_change();
        self.loads.refuse();
        after - before
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.note_swap(a, b);
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
