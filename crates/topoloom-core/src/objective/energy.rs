//! Energy: the cost of every byte on the links it crosses.

use std::sync::Arc;

use super::cost_tracker::CostTracker;
use super::definition::{NodeCosts, Objective};
use super::entry::ObjectiveEntry;
use super::pair_sum::{
    CostTable, DirectedTracker, PairCost, SymmetricTracker, sum_over_flows, track_table,
    with_offset_costs,
};
use super::unsuitable_machine::{UnsuitableMachine, check_wired};
use crate::ids::{LinkId, Vertex};
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::topology::MetricKind;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "energy",
    summary: "joules: sum over all flows of weight times joules per byte of the links on the route",
    example: "energy",
    parameters: &[],
    build: |_| Ok(Arc::new(Energy)),
};

/// Nodes up to which the energies of all pairs are stored if routes have to be walked for them.
const MOST_NODES_FOR_TABLE: usize = 1024;

/// The sum over all flows of weight times the joules that a byte needs on its way, under the
/// machine's own routing. If a flow is spread over several links, each counts by its share.
#[derive(Debug, Clone, Copy)]
pub struct Energy;

impl Objective for Energy {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn applies_to(&self, machine: &Machine) -> Result<(), UnsuitableMachine> {
        check_wired(machine)
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        sum_over_flows(problem, mapping, |from, to| joules(problem.machine(), from, to))
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let machine = problem.machine();
        if let Some((lengths, wraps)) = box_of(machine) {
            return with_offset_costs!(&lengths, &wraps, by_offset(machine, &lengths), costs => {
                Box::new(SymmetricTracker::new(problem, costs, start))
            });
        }
        if machine.num_nodes() <= MOST_NODES_FOR_TABLE {
            let table = CostTable::new(machine.num_nodes(), |from, to| {
                joules(machine, Vertex(from), Vertex(to))
            });
            return track_table(problem, table, start);
        }
        Box::new(DirectedTracker::new(problem, Routed(machine), start))
    }

    fn node_costs<'a>(&'a self, machine: &'a Machine) -> Option<NodeCosts<'a>> {
        if let Some((lengths, wraps)) = box_of(machine) {
            return with_offset_costs!(&lengths, &wraps, by_offset(machine, &lengths), costs => {
                Some(Box::new(move |from, to| costs.between(from, to)))
            });
        }
        Some(Box::new(|from, to| joules(machine, Vertex(from), Vertex(to))))
    }
}

/// The energy of a byte from one node to another.
fn joules(machine: &Machine, from: Vertex, to: Vertex) -> f64 {
    let topology = machine.topology();
    let mut joules = 0.0;
    machine.routing().route(topology, from, to, &mut |id: LinkId, share| {
        joules += share * topology.link(id).map_or(0.0, |link| link.properties.joules_per_byte);
    });
    joules
}

/// The lengths of the box and which dimensions are rings, if the hops along each dimension
/// determine the energy.
fn box_of(machine: &Machine) -> Option<(Vec<u32>, Vec<bool>)> {
    let topology = machine.topology();
    if let Some(lattice) = topology.lattice() {
        // Every shortest route takes the same links of each dimension.
        let dimensions = lattice.lengths.len();
        return Some((lattice.lengths, vec![lattice.wraps; dimensions]));
    }
    // HAEC: links of one kind in a layer, a torus, and of another from layer to layer.
    match machine.metric() {
        MetricKind::Haec(_) => Some((topology.grid_lengths()?.to_vec(), vec![true, true, false])),
        _ => None,
    }
}

/// The energy by hops along each dimension: taken from a route from node 0.
fn by_offset<'a>(machine: &'a Machine, lengths: &'a [u32]) -> impl Fn(&[u32]) -> f64 + 'a {
    move |hops| {
        let to =
            hops.iter().zip(lengths).rev().fold(0, |node, (hops, length)| node * length + hops);
        joules(machine, Vertex(0), Vertex(to))
    }
}

/// Walks the route for each query: on large machines there is no room for a table.
struct Routed<'a>(&'a Machine);

impl PairCost for Routed<'_> {
    fn between(&self, from: u32, to: u32) -> f64 {
        joules(self.0, Vertex(from), Vertex(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrafficBuilder, Weight, random};

    fn byte(machine: &str, from: u32, to: u32) -> f64 {
        let machine = Machine::parse(machine).unwrap();
        let mut builder = TrafficBuilder::new(2);
        builder.add(0, 1, 1.0, 1e12);
        let mapping = Mapping::new(vec![from, to], &machine).unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        Energy.cost(&problem, &mapping)
    }

    #[test]
    fn links_cost_what_their_kind_does() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        // In a layer, two optical links of 40 pJ per byte; between layers, two wireless ones of
        // 160.
        near(byte("haec:4x4x4", 0, 5), 80.0);
        near(byte("haec:4x4x4", 0, 32 + 5), 320.0);
        // One link along x of 1 pJ, two along y of 10.
        near(byte("mesh:3x3,energy=1e-12:10e-12", 0, 7), 21.0);
        // On a ring of 4 the third node is one link away.
        near(byte("torus:4,energy=3e-12", 0, 3), 3.0);
    }

    #[test]
    fn energies_by_offset_are_those_of_the_routes() {
        for (machine, routing) in [
            ("torus:4x3x2,energy=1e-12:5e-12:9e-12", "minimal-adaptive"),
            ("torus:4x2x2,double-links", "ecmp"),
            ("mesh:3x4,energy=1e-12:5e-12", "dimension-order:yx"),
            ("haec:3x4x3", "dimension-order"),
            ("haec:4x3x3", "minimal-adaptive"),
            ("haec:2x2x4", "ecmp"),
        ] {
            let machine = Machine::parse(machine).unwrap().with_routing(routing).unwrap();
            let quick = Energy.node_costs(&machine).unwrap();
            for from in 0..machine.num_nodes() as u32 {
                for to in 0..machine.num_nodes() as u32 {
                    let slow = joules(&machine, Vertex(from), Vertex(to));
                    assert!((quick(from, to) - slow).abs() < 1e-9 * slow.max(1e-12));
                }
            }
        }
    }

    #[test]
    fn routes_walked_one_by_one_give_the_same_deltas_as_a_table() {
        let machine = Machine::parse("dragonfly:groups=5,routers=2,nodes=2,global-energy=9e-11");
        let machine = machine.unwrap();
        let traffic = crate::parse_pattern("random:ranks=15,degree=4").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let start = Mapping::new((0..15).collect(), problem.machine()).unwrap();
        let mut table = Energy.track(&problem, &start);
        let mut walked = DirectedTracker::new(&problem, Routed(problem.machine()), &start);
        let mut rng = random::stream(1, &[]);
        for _ in 0..100 {
            let (a, b) = (random::below(&mut rng, 20), random::below(&mut rng, 20));
            if a != b {
                let (one, other) = (table.swap_delta(a, b), walked.swap_delta(a, b));
                assert!((one - other).abs() < 1e-9 * walked.cost());
                table.swap(a, b);
                walked.swap(a, b);
            }
        }
        assert!((table.cost() - walked.cost()).abs() < 1e-9 * walked.cost());
    }
}
