//! The best of all bounds on hop-bytes.

use super::entry::{BoundEntry, Work};
use super::meter::Meter;
use super::registry::BOUNDS;
use super::view::View;
use crate::effort::Effort;
use crate::problem::Problem;
use crate::run::Run;

/// Beyond this, sums of whole numbers may be rounded.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// How much rounding may add to a thorough bound: far above the number of its additions times the
/// error of one.
const ROUNDING: f64 = 1e-9;

/// A proven bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// No placement costs less.
    pub value: f64,
    /// The name of the bound that says so.
    pub name: &'static str,
}

/// A proven lower bound on hop-bytes: the largest of [`BOUNDS`].
pub fn hop_bytes_lower_bound(problem: &Problem) -> f64 {
    hop_bytes_bound(problem).value
}

/// The same, with the name of the bound.
pub fn hop_bytes_bound(problem: &Problem) -> Bound {
    hop_bytes_bound_within(problem, &mut Run::new(0)).expect("a run without limits goes on")
}

/// The value of one bound, or `None` if it does not suit the problem.
pub fn hop_bytes_bound_by(entry: &BoundEntry, problem: &Problem) -> Option<f64> {
    value(entry, &View::new(problem), &mut Meter::new(&mut Run::new(0)))
}

/// The best bound, or `None` if `run` must stop before the quick bounds are known. Work that takes no
/// longer than scoring a placement is always done, so a search that used up its time still has its
/// bound. Thorough bounds need time that is left, and more effort than `fast`: for 64 ranks they take
/// ten times as long as such a search. The result is kept with the problem.
pub(crate) fn hop_bytes_bound_within(problem: &Problem, run: &mut Run) -> Option<Bound> {
    let kept = problem.kept_bounds();
    if let Some(&(value, name)) = kept.best.get() {
        return Some(Bound { value, name });
    }
    let quick = quick_bound_within(problem, run)?;
    if run.effort() == Effort::Fast {
        return Some(quick);
    }
    let view = View::new(problem);
    let mut meter = Meter::new(run);
    let thorough = best_of(Work::Thorough, &view, &mut meter, quick);
    let bound = thorough.expect("bounds that do not suit are left out");
    // With more time it may be better.
    if meter.has_time() {
        kept.best.get_or_init(|| (bound.value, bound.name));
    }
    Some(bound)
}

/// The best of the quick bounds, for searches that want to know whether they are done.
pub(crate) fn hop_bytes_lower_bound_within(problem: &Problem, run: &mut Run) -> Option<f64> {
    Some(quick_bound_within(problem, run)?.value)
}

fn quick_bound_within(problem: &Problem, run: &mut Run) -> Option<Bound> {
    let kept = problem.kept_bounds();
    if let Some(&(value, name)) = kept.quick.get() {
        return Some(Bound { value, name });
    }
    let mut meter = Meter::new(run);
    meter.spend(problem.graph().num_pairs() as u64)?;
    let none = Bound { value: 0.0, name: BOUNDS[0].name };
    let bound = best_of(Work::Quick, &View::new(problem), &mut meter, none)?;
    kept.quick.get_or_init(|| (bound.value, bound.name));
    Some(bound)
}

/// The best of `start` and of the bounds that take this much work. A quick bound is not left out:
/// `None` if there is no time for one.
fn best_of(work: Work, view: &View<'_>, meter: &mut Meter<'_>, start: Bound) -> Option<Bound> {
    let mut best = start;
    for entry in BOUNDS.iter().filter(|entry| entry.work == work) {
        let value = match (value(entry, view, meter), work) {
            (Some(value), _) => value,
            (None, Work::Quick) => return None,
            (None, Work::Thorough) => continue,
        };
        if value > best.value {
            best = Bound { value, name: entry.name };
        }
    }
    Some(best)
}

/// By how much, as a share, sums over all pairs in different orders may differ.
fn rounding_of_sums(view: &View<'_>) -> f64 {
    let terms = view.graph.num_pairs() + view.graph.num_ranks();
    4.0 * f64::EPSILON * terms as f64
}

/// A bound without what rounding may have added.
fn value(entry: &BoundEntry, view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let bound = (entry.compute)(view, meter)?;
    let is_whole = |weight: &f64| weight.fract() == 0.0;
    let whole = match view.common_weight {
        Some(weight) => is_whole(&weight),
        None => view.graph.all_weights().iter().all(is_whole),
    };
    let bound = match (entry.work, whole && bound < EXACT) {
        // Sums of whole numbers and their halves are exact.
        (Work::Quick, true) => bound,
        (Work::Quick, false) => bound * (1.0 - rounding_of_sums(view)),
        (Work::Thorough, _) => bound * (1.0 - ROUNDING),
    };
    // If the weights are whole numbers, every cost is one too.
    Some(if whole && bound < EXACT { bound.ceil() } else { bound })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::objective::{HopBytes, Objective};
    use crate::{Machine, TrafficBuilder, Weight, parse_pattern};

    #[test]
    fn rounding_does_not_lift_a_bound_above_the_optimum() {
        // Sums of as many fractions differ by some 1e-11, depending on their order.
        let ranks = 200_000;
        let mut builder = TrafficBuilder::new(ranks);
        for rank in 0..ranks {
            let bytes = if rank % 2 == 1 { 0.1 } else { 0.7 };
            builder.add(rank, (rank + 1) % ranks, 1.0, bytes);
        }
        let machine = Machine::parse("torus:200000").unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        let best = problem.mapping((0..ranks).collect()).unwrap();
        assert!(hop_bytes_lower_bound(&problem) <= HopBytes.cost(&problem, &best));
    }

    fn bound(traffic: &str, machine: &str) -> f64 {
        let problem = Problem::new(
            parse_pattern(traffic).unwrap(),
            Machine::parse(machine).unwrap(),
            Weight::Bytes,
        );
        hop_bytes_lower_bound(&problem.unwrap())
    }

    #[test]
    fn a_run_that_must_stop_ends_the_bound_of_a_large_problem_and_not_that_of_a_small_one() {
        let problem = |traffic: &str, machine: &str| {
            let (traffic, machine) = (parse_pattern(traffic).unwrap(), Machine::parse(machine));
            Problem::new(traffic, machine.unwrap(), Weight::Bytes).unwrap()
        };
        let stopped = || Run::new(1).with_cancel(Arc::new(AtomicBool::new(true)));
        // 64 pairs are done before the clock is checked.
        let small = problem("ring:64", "torus:4x4x4");
        assert_eq!(hop_bytes_lower_bound_within(&small, &mut stopped()), Some(128.0));
        // 4.5 million pairs are not, and the run knows that it was cut short.
        let large = problem("all-to-all:3000", "torus:3000");
        let mut run = stopped();
        assert_eq!(hop_bytes_lower_bound_within(&large, &mut run), None);
        assert!(run.was_cut_short());
        let bound = hop_bytes_lower_bound(&large);
        // Once known, the bound is kept.
        assert_eq!(hop_bytes_lower_bound_within(&large, &mut stopped()), Some(bound));
    }

    #[test]
    fn a_fast_run_has_the_quick_bounds_alone() {
        // A ring of 5 needs one more hop on a mesh. Only a thorough bound knows that.
        let (traffic, machine) = (parse_pattern("ring:5"), Machine::parse("mesh:2x3"));
        let problem = Problem::new(traffic.unwrap(), machine.unwrap(), Weight::Bytes).unwrap();
        let mut fast = Run::new(1).with_effort(Effort::Fast);
        assert_eq!(hop_bytes_bound_within(&problem, &mut fast).unwrap().value, 10.0);
        assert_eq!(hop_bytes_bound(&problem).value, 12.0);
    }

    #[test]
    fn a_ring_on_a_ring_costs_at_least_one_hop_each() {
        assert_eq!(bound("ring:8", "torus:8"), 16.0);
    }

    #[test]
    fn partners_beyond_the_nearest_slots_count_more() {
        // On a ring of 6 each rank has 2 slots at distance 1, 2 at 2, 1 at 3: 9 hops to all five; 6
        // ranks x 9 in total, each flow counted from its sender.
        assert_eq!(bound("all-to-all:6", "torus:6"), 54.0);
        // Two slots per node: 1 at 0, 4 at 1 on a ring of 3: 4 hops x 6 ranks.
        assert_eq!(bound("all-to-all:6", "torus:3,slots=2"), 24.0);
    }

    #[test]
    fn a_ring_that_needs_four_nodes_leaves_its_node_three_times() {
        // Each rank alone could have its partners on its node. 3 pairs of 2 bytes, as a group that is
        // connected; 4 as a ring.
        let (traffic, machine) = (parse_pattern("ring:64"), Machine::parse("torus:8,slots=16"));
        let problem = Problem::new(traffic.unwrap(), machine.unwrap(), Weight::Bytes).unwrap();
        let entry = BOUNDS.iter().find(|entry| entry.name == "connected groups").unwrap();
        assert_eq!(hop_bytes_bound_by(entry, &problem), Some(6.0));
        assert_eq!(hop_bytes_bound(&problem), Bound { value: 8.0, name: "routed stars" });
    }

    #[test]
    fn all_pairs_on_a_line_are_bounded_by_the_pairs_of_slots() {
        // A line of 3 has two pairs at distance 1 and one at 2; both directions: 2 x 4.
        assert_eq!(bound("all-to-all:3", "mesh:3"), 8.0);
    }

    #[test]
    fn on_a_tree_partners_beyond_the_lowest_group_count_its_distance() {
        // 3 partners: one leaf at 5, two at 50; 4 ranks.
        assert_eq!(bound("all-to-all:4", "tree:2:2,distances=5:50"), 4.0 * 105.0);
        assert_eq!(bound("ring:4", "tree:2:2,distances=0:0"), 0.0);
    }

    #[test]
    fn where_ranks_share_slots_only_what_must_leave_counts() {
        let shared = |traffic: &str, machine: &str, imbalance| {
            let (traffic, machine) = (parse_pattern(traffic).unwrap(), Machine::parse(machine));
            let problem =
                Problem::with_imbalance(traffic, machine.unwrap(), Weight::Bytes, Some(imbalance));
            hop_bytes_lower_bound(&problem.unwrap())
        };
        // 8 ranks, 4 per slot: a ring that is on 2 nodes has two pairs of 2 bytes between.
        assert_eq!(shared("ring:8", "torus:2", 0.0), 4.0);
        // 4 of 8 ranks per slot: each has 7 partners, 3 on its node and 4 at distance 1.
        assert_eq!(shared("all-to-all:8", "torus:2", 0.0), 8.0 * 4.0);
    }
}
