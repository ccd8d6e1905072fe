//! Exchanges of blocks under the exact cost of groups.

use rand::seq::SliceRandom;

use super::together::Units;
use crate::effort::Effort;
use crate::objective::{GroupBytes, Objective};
use crate::problem::Problem;
use crate::random::{below, stream};
use crate::run::Run;
use crate::training::{GroupKind, Operation};

/// How many exchanges are tried per block and effort.
fn tries(effort: Effort) -> u64 {
    match effort {
        Effort::Fast => 20,
        Effort::Eco => 200,
        _ => 1000,
    }
}

/// The most messages that are counted, per try of a block.
const MOST_MESSAGES: u64 = 1 << 20;

/// About how many messages the groups of two blocks send.
fn messages_of_exchange(problem: &Problem) -> u64 {
    let Some(step) = problem.traffic().step() else { return 1 };
    let of_kind = |kind: &GroupKind| -> u64 {
        let size = u64::from(kind.size());
        let all = kind.lists.iter().flatten().any(|call| call.operation == Operation::AllToAll);
        let groups = kind.groups.iter().map(|group| u64::from(group.size())).sum::<u64>();
        let per_block = groups.div_ceil(u64::from(step.ranks).max(1));
        per_block * if all { size * size } else { size }
    };
    (2 * step.kinds.iter().map(of_kind).sum::<u64>()).max(1)
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
    let most = tries(run.effort()) * u64::from(blocks);
    // Large groups take long to count again.
    let most = most.min(MOST_MESSAGES * tries(run.effort()) / messages_of_exchange(problem));
    let mut tried = 0;
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
