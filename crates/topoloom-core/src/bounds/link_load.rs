//! Lower bounds on the load of the busiest link, for every placement and every routing.

use super::best::{Bound, hop_bytes_bound_within};
use super::view::View;
use crate::ids::{LinkId, Vertex};
use crate::problem::Problem;
use crate::run::Run;
use crate::topology::Topology;

/// All links and flows are listed, and beyond this the list would take longer than a score.
const MOST_LINKS: u64 = 1 << 18;
/// All pairs of nodes are examined.
const MOST_NODES: usize = 1024;

/// A proven lower bound on the cost that `max-link-load` shows: the load of the busiest link, relative
/// to its bandwidth. The larger of two.
///
/// *Mean load*: each byte takes at least as many links as its ends are apart, so all loads together are
/// at least the bound on hop-bytes, and the busiest link has no less than the mean. *Busiest rank*: what
/// a rank exchanges with ranks that do not fit on its node crosses the links of this node.
///
/// `None` if the machine has no links, has links inside hosts, or has costs as distances, and if it is
/// too large.
pub fn max_link_load_bound(problem: &Problem) -> Option<Bound> {
    max_link_load_bound_within(problem, &mut Run::new(0))
}

/// The same; `None` also if `run` must stop first.
pub(crate) fn max_link_load_bound_within(problem: &Problem, run: &mut Run) -> Option<Bound> {
    let topology = problem.machine().topology();
    let flows = problem.traffic().num_flows() as u64;
    if !topology.is_wired() || topology.link_id_bound() > MOST_LINKS || flows > MOST_LINKS {
        return None;
    }
    // On described hosts, nodes are places, and links between them do not count.
    if topology.inner_link_bound() > 0 {
        return None;
    }
    let links = Links::of(topology);
    if links.total <= 0.0 {
        return None;
    }
    let by_rank = Bound { value: busiest_rank(problem, &links), name: "busiest rank" };
    if !counts_links(topology) {
        return Some(by_rank);
    }
    let hops = hop_bytes_bound_within(problem, run)?.value;
    // Loads are sums of many shares, and each may be rounded.
    let by_mean = Bound { value: hops / links.total * (1.0 - 1e-9), name: "mean load" };
    Some(if by_mean.value > by_rank.value { by_mean } else { by_rank })
}

/// Whether the distance of nodes is the number of links between them.
fn counts_links(topology: &dyn Topology) -> bool {
    if topology.grid_lengths().is_some() {
        return true;
    }
    let nodes = topology.num_nodes() as u32;
    let equal = |a: u32, b: u32| {
        let (a, b) = (Vertex(a), Vertex(b));
        topology.distance(a, b) == topology.hops(a, b)
    };
    topology.num_nodes() <= MOST_NODES && (0..nodes).all(|a| (0..nodes).all(|b| equal(a, b)))
}

/// Bandwidths relative to the fastest link.
struct Links {
    /// All links together.
    total: f64,
    /// The most that leaves any node.
    out: f64,
    /// The most that enters any node.
    into: f64,
}

impl Links {
    fn of(topology: &dyn Topology) -> Links {
        let fastest = topology.fastest_link();
        let nodes = topology.num_nodes();
        let (mut total, mut out, mut into) = (0.0, vec![0.0; nodes], vec![0.0; nodes]);
        for link in (0..topology.link_id_bound()).filter_map(|id| topology.link(LinkId(id))) {
            let relative = link.properties.bytes_per_second / fastest;
            total += relative;
            if let Some(sum) = out.get_mut(link.from.index()) {
                *sum += relative;
            }
            if let Some(sum) = into.get_mut(link.to.index()) {
                *sum += relative;
            }
        }
        let most = |sums: Vec<f64>| sums.into_iter().fold(0.0, f64::max);
        Links { total, out: most(out), into: most(into) }
    }
}

fn busiest_rank(problem: &Problem, links: &Links) -> f64 {
    let together = View::new(problem).ranks_on_node as usize - 1;
    let mut sent = vec![Vec::new(); problem.num_ranks()];
    let mut received = sent.clone();
    problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
        if from != to {
            sent[from as usize].push(weight);
            received[to as usize].push(weight);
        }
    });
    let most_leaving = |flows: Vec<Vec<f64>>| {
        let leaving = flows.into_iter().map(|mut weights| {
            weights.sort_unstable_by(|a, b| b.total_cmp(a));
            weights.iter().skip(together).sum::<f64>()
        });
        leaving.fold(0.0, f64::max)
    };
    let by = |leaving: f64, room: f64| if room > 0.0 { leaving / room } else { 0.0 };
    let most = by(most_leaving(sent), links.out).max(by(most_leaving(received), links.into));
    most * (1.0 - 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Traffic, TrafficBuilder, Weight, parse_pattern};

    fn bound(traffic: &str, machine: &str) -> Option<(f64, &'static str)> {
        bound_of(parse_pattern(traffic).unwrap(), machine)
    }

    fn bound_of(traffic: Traffic, machine: &str) -> Option<(f64, &'static str)> {
        let machine = Machine::parse(machine).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        max_link_load_bound(&problem).map(|bound| (bound.value.round(), bound.name))
    }

    #[test]
    fn all_to_all_on_a_ring_loads_links_by_the_mean() {
        // 6 ranks x 9 hops on 12 links: 4.5; a rank sends 5 bytes over 2 links.
        assert_eq!(bound("all-to-all:6,bytes=100", "torus:6"), Some((450.0, "mean load")));
    }

    #[test]
    fn a_rank_with_much_traffic_loads_the_links_of_its_node() {
        // Rank 0 sends 100 bytes to each of 6 ranks, over 3 links. All together they are at least
        // 3 x 1 + 3 x 2 hops on 24 links.
        let mut star = TrafficBuilder::new(7);
        (1..7).for_each(|to| star.add(0, to, 1.0, 100.0));
        assert_eq!(bound_of(star.build(), "hypercube:3"), Some((200.0, "busiest rank")));
    }

    #[test]
    fn a_machine_without_links_has_no_such_bound() {
        assert_eq!(bound("ring:4", "tree:2:2,distances=1:2"), None);
    }
}
