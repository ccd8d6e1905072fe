//! Machine cuts: on a mesh, the distance of two nodes is the number of straight cuts through the whole
//! machine that lie between them. On a ring of the length L it is half of that number, if each cut is
//! two opposite links (of a ring of odd length, as nearly opposite as can be). If n ranks are on
//! one side of a cut, at least as much crosses it as n ranks must exchange with all others.

use super::entry::{BoundEntry, Work};
use super::least_cut::LeastCut;
use super::meter::Meter;
use super::view::View;
use crate::ids::Vertex;
use crate::topology::Topology;

/// The registry's entry.
pub(super) static ENTRY: BoundEntry = BoundEntry {
    name: "machine cuts",
    summary: "what must cross each straight cut through a box",
    work: Work::Thorough,
    compute: machine_cuts,
};

/// All pairs of nodes are examined.
const MOST_NODES: usize = 1024;

/// One dimension of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Axis {
    length: u32,
    is_ring: bool,
}

impl Axis {
    fn distance(self, a: u32, b: u32) -> u32 {
        let apart = a.abs_diff(b);
        if self.is_ring { apart.min(self.length - apart) } else { apart }
    }
}

fn machine_cuts(view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let topology = view.problem.machine().topology();
    let axes = axes(topology)?;
    // On rings with one rank per node, stars come nearer.
    if view.ranks_on_node == 1 && axes.iter().all(|axis| axis.is_ring || axis.length < 3) {
        return None;
    }
    let mut cuts = LeastCut::new(view, meter)?;
    let nodes = topology.num_nodes() as u64;
    let mut sum = 0.0;
    for axis in axes {
        let layer = nodes / u64::from(axis.length);
        if axis.is_ring {
            let half = u64::from(axis.length / 2);
            sum += f64::from(axis.length) / 2.0 * cuts.between(view, half * layer);
        } else {
            sum += (1..u64::from(axis.length))
                .map(|layers| cuts.between(view, layers * layer))
                .sum::<f64>();
        }
    }
    Some(sum)
}

/// The dimensions of a box, if its distances are sums over them.
fn axes(topology: &dyn Topology) -> Option<Vec<Axis>> {
    let lengths = topology.grid_lengths()?;
    let nodes = topology.num_nodes();
    if nodes > MOST_NODES {
        return None;
    }
    let mut step = 1;
    let mut axes = Vec::new();
    for &length in lengths {
        let end = Vertex((length - 1) * step);
        let is_ring = length > 2 && topology.distance(Vertex(0), end) == 1;
        axes.push(Axis { length, is_ring });
        step *= length;
    }
    let all_nodes = 0..nodes as u32;
    let is_sum = |a: u32, b: u32| {
        let (mut rest_a, mut rest_b, mut sum) = (a, b, 0);
        for axis in &axes {
            sum += axis.distance(rest_a % axis.length, rest_b % axis.length);
            (rest_a, rest_b) = (rest_a / axis.length, rest_b / axis.length);
        }
        topology.distance(Vertex(a), Vertex(b)) >= sum
    };
    all_nodes.clone().all(|a| (a..nodes as u32).all(|b| is_sum(a, b))).then_some(axes)
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
        let mut run = Run::new(0);
        machine_cuts(&View::new(&problem), &mut Meter::new(&mut run))
    }

    #[test]
    fn all_to_all_costs_on_a_line_what_all_pairs_are_apart() {
        let hops: u32 = (0..6u32).flat_map(|a| (0..6).map(move |b| a.abs_diff(b))).sum();
        let bound = bound("all-to-all:6", "mesh:6").unwrap();
        assert!((bound - f64::from(hops)).abs() < 1e-9 * bound, "{bound} {hops}");
    }

    #[test]
    fn a_ring_on_a_line_crosses_its_middle_twice() {
        // Seven cuts, each crossed by two pairs of two bytes.
        let bound = bound("ring:8", "mesh:8").unwrap();
        assert!((bound - 28.0).abs() < 0.3, "{bound}");
    }

    #[test]
    fn rings_with_one_rank_per_node_are_left_to_other_bounds() {
        assert_eq!(bound("ring:8", "torus:8"), None);
        assert!(bound("ring:8", "torus:4,slots=2").is_some());
    }
}
