//! Cuts by level: on machines of groups in groups, the distance of two nodes is a sum. Each level
//! at which they are in different groups adds its part to the distance. What must
//! leave groups of each level is bounded separately:
//!
//! *By degrees*: a rank keeps at most its heaviest partners in its group, as many as fit.
//!
//! *By routed stars*: choose ranks around rank r, more than fit in a group, and send one unit from r
//! to each, through other ranks along pairs of the traffic. Whatever the groups are, those ranks that
//! are not in the group of r get their unit over a pair between two groups. If all stars together
//! send no more over each pair than its weight, the weight between groups is at least the number of
//! units that must leave. These are the spreading metrics of Even, Naor, Rao and Schieber (J. ACM 47,
//! 2000), from the side of their dual.

use super::entry::{BoundEntry, Work};
use super::meter::Meter;
use super::network::Network;
use super::packing::{Column, most_profit};
use super::shortest::Shortest;
use super::view::View;

/// The registry's entry.
pub(super) static ENTRY: BoundEntry = BoundEntry {
    name: "cuts by level",
    summary: "what must leave the groups of each level of a tree or cluster",
    work: Work::Thorough,
    compute: cuts_by_level,
};

fn cuts_by_level(view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    view.problem.machine().topology().groups()?;
    let network = Network::of_ranks(view.graph)?;
    let mut sum = 0.0;
    for level in levels(view) {
        if !meter.has_time() {
            break;
        }
        let cut = by_degrees(view, level.nodes).max(by_stars(view, &network, level.nodes, meter));
        sum += level.added_distance * cut;
    }
    Some(sum)
}

/// A level of groups in groups.
#[derive(Debug, PartialEq)]
struct Level {
    /// The nodes of its largest group.
    nodes: u64,
    /// How much farther nodes of different groups are apart than they would be in one group.
    added_distance: f64,
}

/// All levels, lowest first. A group is everything within some distance, so the largest groups are
/// the largest balls.
fn levels(view: &View<'_>) -> Vec<Level> {
    let within = view.nodes_within();
    let level = |pair: &[(u32, u64)]| Level {
        nodes: pair[0].1,
        added_distance: f64::from(pair[1].0 - pair[0].0),
    };
    within.windows(2).map(level).collect()
}

fn by_degrees(view: &View<'_>, nodes: u64) -> f64 {
    let kept = view.most_ranks_in(nodes).saturating_sub(1) as usize;
    let mut weights = Vec::new();
    let leaving = (0..view.num_ranks()).map(|rank| {
        weights.clear();
        weights.extend_from_slice(view.graph.weights(rank));
        if kept >= weights.len() {
            return 0.0;
        }
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        weights[kept..].iter().sum()
    });
    leaving.sum::<f64>() / 2.0
}

fn by_stars(view: &View<'_>, network: &Network, nodes: u64, meter: &Meter<'_>) -> f64 {
    let room = view.room(nodes);
    let mut shortest = Shortest::new(network);
    let mut carried = vec![0.0; network.num_vertices()];
    let star = |rank: u32, lengths: &[f64], column: &mut Column| {
        let (mut inside, mut length) = (0.0, 0.0);
        shortest.search(rank, lengths, |vertex, distance| {
            // A rank at this distance adds less than what each unit earns so far.
            if inside > room && distance * (inside - room) >= length {
                return false;
            }
            let size = view.size(vertex);
            inside += size;
            length += size * distance;
            true
        });
        // A profit that is only rounding must not count.
        column.profit = inside * (1.0 - 1e-9) - room;
        column.length = length;
        column.steps = shortest.settled.len() as u64;
        let size = |vertex| view.size(vertex);
        shortest.tree(shortest.settled.len(), size, &mut carried, &mut column.takes);
    };
    most_profit(&network.capacity, view.num_ranks(), meter, star)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Vertex;
    use crate::problem::Problem;
    use crate::run::Run;
    use crate::{Machine, Weight, parse_pattern};

    fn problem(traffic: &str, machine: &str) -> Problem {
        let (traffic, machine) = (parse_pattern(traffic), Machine::parse(machine));
        Problem::new(traffic.unwrap(), machine.unwrap(), Weight::Bytes).unwrap()
    }

    #[test]
    fn the_levels_of_two_nodes_add_up_to_their_distance() {
        for machine in
            ["tree:2:3:2,distances=1:7:50", "tree:3:2,distances=0:4", "tree:9,distances=2"]
        {
            let problem = problem("ring:6", machine);
            let topology = problem.machine().topology();
            let groups = topology.groups().unwrap();
            let group_of = groups.group_of_node();
            let levels = levels(&View::new(&problem));
            let nodes = topology.num_nodes();
            for (a, b) in (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))) {
                let around = groups.smallest_around(group_of[a], group_of[b]);
                let group = groups.group(around);
                let size = if a == b { 1 } else { group.nodes.len() as u64 };
                let apart = levels.iter().filter(|level| level.nodes < size);
                let sum: f64 = apart.map(|level| level.added_distance).sum();
                let distance = topology.distance(Vertex(a as u32), Vertex(b as u32));
                assert_eq!(sum, f64::from(distance), "{machine}: {a} {b}");
            }
        }
    }

    #[test]
    fn a_grid_in_blocks_is_nearly_bounded() {
        // 16 blocks of 2 x 2 hold 4 of 112 pairs each, so 48 leave; a pair is 2 bytes.
        let problem = problem("stencil:8x8", "tree:4:16,distances=0:1");
        let mut run = Run::new(1);
        let bound = cuts_by_level(&View::new(&problem), &mut Meter::new(&mut run)).unwrap();
        assert!(bound > 0.9 * 96.0 && bound <= 96.0 + 1e-6, "{bound}");
    }
}
