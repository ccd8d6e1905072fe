//! Exchanges of blocks under the exact cost of groups.

use rand::seq::SliceRandom;

use super::together::Units;
use crate::effort::Effort;
use crate::objective::{GroupBytes, Objective};
use crate::problem::Problem;
use crate::random::{below, stream};
use crate::run::Run;

/// How many exchanges are tried per block and effort.
fn tries(effort: Effort) -> u64 {
    match effort {
        Effort::Fast => 20,
        Effort::Eco => 200,
        _ => 1000,
    }
}

/// Exchanges that are better, until many in a row are not. `start` has the host of each block.
pub(super) fn improve(
    problem: &Problem,
    start: Vec<u32>,
    units: Option<&Units>,
    run: &mut Run,
) -> Vec<u32> {
    let Ok(mapping) = problem.mapping(start.clone()) else { return start };
    let mut tracker = GroupBytes.track(problem, &mapping);
    let blocks = problem.num_ranks() as u32;
    let all = tracker.placement().len() as u32;
    if all < 2 {
        return start;
    }
    let mut random = stream(run.seed(), &[0x6e6f_6465]);
    let mut order: Vec<u32> = (0..blocks).collect();
    let (mut tried, most) = (0, tries(run.effort()) * u64::from(blocks));
    let mut since_better = 0;
    'rounds: loop {
        order.shuffle(&mut random);
        for &a in &order {
            if tried >= most || since_better > 4 * u64::from(all) || !run.spend(1) {
                break 'rounds;
            }
            tried += 1;
            since_better += 1;
            let b = below(&mut random, all);
            if a == b || units.is_some_and(|units| !units.may_exchange(tracker.placement(), a, b)) {
                continue;
            }
            if tracker.swap_delta(a, b) < -1e-9 * tracker.cost() {
                tracker.swap(a, b);
                since_better = 0;
            }
        }
        run.found(tracker.cost());
    }
    tracker.placement().slots()[..blocks as usize].to_vec()
}
