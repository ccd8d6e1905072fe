//! Odd cycles: on many machines, such as meshes, hypercubes and tori of even length, every way back to
//! where it began has an even number of hops. A closed walk over an odd number of pairs of ranks
//! then takes at least one hop more than it has pairs. If walks together take no more of each pair
//! than its weight, hop-bytes are at least one hop per pair, and one more for each walk.

use super::entry::{BoundEntry, Work};
use super::meter::Meter;
use super::network::Network;
use super::packing::{Column, most_profit};
use super::shortest::Shortest;
use super::view::View;
use crate::ids::Vertex;
use crate::topology::Topology;

/// The registry's entry.
pub(super) static ENTRY: BoundEntry = BoundEntry {
    name: "odd cycles",
    summary: "closed walks over an odd number of pairs, where all ways back are even",
    work: Work::Thorough,
    compute: odd_cycles,
};

/// All pairs of nodes are examined.
const MOST_NODES: usize = 1024;

fn odd_cycles(view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let topology = view.problem.machine().topology();
    if view.ranks_on_node > 1 || topology.num_nodes() > MOST_NODES || !meter.has_time() {
        return None;
    }
    // With an even distance each, an odd number of them may add up to an even number.
    let nearest = topology.pairs_at_distance().first().map(|&(distance, _)| distance)?;
    if nearest % 2 == 0 || !is_even(topology) {
        return None;
    }
    let network = Network::of_ranks(view.graph)?;
    let doubled = network.doubled();
    let mut shortest = Shortest::new(&doubled);
    let cycle = |rank: u32, lengths: &[f64], column: &mut Column| {
        let (from, to) = (2 * rank, 2 * rank + 1);
        let mut found = None;
        shortest.search(from, lengths, |vertex, distance| {
            if vertex == to {
                found = Some(distance);
            }
            found.is_none()
        });
        column.steps = shortest.settled.len() as u64;
        column.takes.clear();
        column.profit = 0.0;
        let Some(length) = found else { return };
        (column.profit, column.length) = (1.0, length);
        let mut at = to;
        while at != from {
            let (previous, pair) = shortest.came_from(at);
            column.takes.push((pair, 1.0));
            at = previous;
        }
    };
    let more = most_profit(&network.capacity, view.num_ranks(), meter, cycle);
    let total: f64 = network.capacity.iter().sum();
    Some(total * f64::from(nearest) + more)
}

/// Whether the nodes have two colours such that distances between nodes of the same colour are even,
/// and all others odd.
fn is_even(topology: &dyn Topology) -> bool {
    let nodes = topology.num_nodes() as u32;
    let is_odd = |a: u32, b: u32| topology.distance(Vertex(a), Vertex(b)) % 2 == 1;
    let colours: Vec<bool> = (0..nodes).map(|node| is_odd(0, node)).collect();
    let colour = |node: u32| colours[node as usize];
    (0..nodes).all(|a| (0..a).all(|b| is_odd(a, b) == (colour(a) != colour(b))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;
    use crate::run::Run;
    use crate::{Machine, Weight, parse_pattern};

    fn bound(traffic: &str, machine: &str) -> Option<f64> {
        let (traffic, machine) = (parse_pattern(traffic), Machine::parse(machine));
        let problem = Problem::new(traffic.unwrap(), machine.unwrap(), Weight::Bytes).unwrap();
        odd_cycles(&View::new(&problem), &mut Meter::new(&mut Run::new(1)))
    }

    #[test]
    fn a_ring_of_odd_length_takes_one_more_hop_where_ways_back_are_even() {
        // 5 pairs of 2 bytes, and one of them is 2 hops apart: 2 x 6.
        for machine in ["mesh:2x3", "hypercube:3", "torus:6"] {
            let bound = bound("ring:5", machine).unwrap();
            assert!((11.9..=12.0 + 1e-9).contains(&bound), "{machine}: {bound}");
        }
        // A ring of even length fits.
        assert_eq!(bound("ring:4", "hypercube:2"), Some(8.0));
    }

    #[test]
    fn a_machine_with_an_odd_way_back_has_no_such_bound() {
        assert_eq!(bound("ring:5", "torus:5"), None);
        assert_eq!(bound("ring:5", "torus:4,slots=2"), None);
    }
}
