//! Lower bounds on the load of the busiest link, for every placement.

mod busiest_flow;
mod busiest_rank;
mod entry;
mod machine_cuts;
mod mean_load;
mod registry;

use self::entry::{LinkBoundEntry, Links, Sight};
use self::registry::LINK_BOUNDS;
use super::best::Bound;
use super::entry::Work;
use super::meter::Meter;
use super::view::View;
use crate::effort::Effort;
use crate::problem::Problem;
use crate::run::Run;

/// All links and flows are listed, and beyond this the list would take longer than a score.
const MOST_LINKS: u64 = 1 << 18;
/// Loads are sums of many shares, and each may be rounded.
const ROUNDING: f64 = 1e-9;

/// A proven lower bound on the cost that `max-link-load` shows: the load of the busiest link, relative
/// to its bandwidth, under the machine's routing. It is the largest of several.
///
/// `None` if the machine has no links, if it has links inside hosts, or if it is too large.
pub fn max_link_load_bound(problem: &Problem) -> Option<Bound> {
    max_link_load_bound_within(problem, &mut Run::new(0))
}

/// The same; `None` also if `run` must stop first. A fast run has the quick bounds alone.
pub(crate) fn max_link_load_bound_within(problem: &Problem, run: &mut Run) -> Option<Bound> {
    let bounds = bounds_within(problem, run).into_iter();
    // Of equal ones, the first is the cheapest.
    bounds.reduce(|best, other| if other.value > best.value { other } else { best })
}

/// All of these bounds that suit the problem.
pub fn max_link_load_bounds(problem: &Problem) -> Vec<Bound> {
    bounds_within(problem, &mut Run::new(0))
}

fn bounds_within(problem: &Problem, run: &mut Run) -> Vec<Bound> {
    let only_quick = run.effort() == Effort::Fast;
    let topology = problem.machine().topology();
    let flows = problem.traffic().num_flows() as u64;
    if !topology.is_wired() || topology.link_id_bound() > MOST_LINKS || flows > MOST_LINKS {
        return Vec::new();
    }
    // On described hosts, nodes are places, and links between them do not count.
    if topology.inner_link_bound() > 0 {
        return Vec::new();
    }
    let links = Links::of(topology);
    if links.total <= 0.0 {
        return Vec::new();
    }
    let view = View::new(problem);
    let suits = |entry: &LinkBoundEntry| !only_quick || entry.work == Work::Quick;
    let mut meter = Meter::new(run);
    let sight = Sight { view: &view, links: &links };
    let bound = |entry: &LinkBoundEntry| {
        let value = (entry.compute)(&sight, &mut meter)?;
        Some(Bound { value: value * (1.0 - ROUNDING), name: entry.name })
    };
    LINK_BOUNDS.iter().copied().filter(|entry| suits(entry)).filter_map(bound).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Traffic, TrafficBuilder, Weight, parse_pattern};

    #[test]
    fn a_fast_run_has_the_quick_bounds_alone() {
        let (traffic, machine) = (parse_pattern("ring:8"), Machine::parse("torus:2x4"));
        let problem = Problem::new(traffic.unwrap(), machine.unwrap(), Weight::Bytes).unwrap();
        let mut fast = Run::new(1).with_effort(Effort::Fast);
        let names = |bounds: Vec<Bound>| bounds.iter().map(|bound| bound.name).collect::<Vec<_>>();
        assert_eq!(names(bounds_within(&problem, &mut fast)), ["busiest rank", "mean load"]);
        assert!(names(max_link_load_bounds(&problem)).contains(&"machine cuts"));
    }

    fn bound(traffic: &str, machine: &str) -> Option<(f64, &'static str)> {
        bound_of(parse_pattern(traffic).unwrap(), machine)
    }

    fn bound_of(traffic: Traffic, machine: &str) -> Option<(f64, &'static str)> {
        let machine = Machine::parse(machine).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        max_link_load_bound(&problem).map(|bound| (bound.value.round(), bound.name))
    }

    #[test]
    fn all_to_all_on_a_ring_loads_links_by_the_mean_and_by_cuts() {
        // 6 ranks x 9 hops on 12 links: 4.5; a rank sends 5 bytes over 2 links. Between halves are 18
        // bytes on 4 links.
        let (traffic, machine) =
            (parse_pattern("all-to-all:6,bytes=100"), Machine::parse("torus:6"));
        let problem = Problem::new(traffic.unwrap(), machine.unwrap(), Weight::Bytes).unwrap();
        let bounds = max_link_load_bounds(&problem);
        let of = |name| bounds.iter().find(|bound| bound.name == name).unwrap().value.round();
        assert_eq!([of("mean load"), of("machine cuts")], [450.0, 450.0]);
        assert_eq!([of("busiest rank"), of("busiest flow")], [250.0, 100.0]);
    }

    #[test]
    fn what_crosses_the_middle_of_a_mesh_shares_its_links() {
        // Halves of four ranks exchange 32 bytes over 2 links in each direction.
        assert_eq!(bound("all-to-all:8,bytes=1", "mesh:4x2"), Some((8.0, "machine cuts")));
        // Two leaves of two nodes exchange 8 bytes over one link up and one down.
        assert_eq!(
            bound("all-to-all:4,bytes=10", "fat-tree:levels=2,down=2:2,up=1"),
            Some((40.0, "machine cuts"))
        );
    }

    #[test]
    fn a_flow_that_is_not_divided_loads_one_link() {
        // The mean is 0.58 flows per link.
        let heaviest = Some((1000.0, "busiest flow"));
        assert_eq!(bound("stencil:8x8,bytes=1000", "torus:4x4x4"), heaviest);
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
