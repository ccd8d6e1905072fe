//! Blocks that stay where they are, and others that move to free hosts.

use std::collections::HashMap;

use super::blocks::Blocks;
use crate::mapping::Mapping;
use crate::objective::{GroupBytes, Objective};
use crate::problem::Problem;
use crate::run::Run;
use crate::strategy::definition::NotApplicable;

/// Puts blocks without a host on free hosts, where they cost least. `host_of_block` has the host of
/// each block that stays.
pub(super) fn fill(
    problem: &Problem,
    host_of_block: &[Option<u32>],
    run: &mut Run,
) -> Result<Mapping, NotApplicable> {
    let mut taken = vec![false; problem.machine().num_nodes()];
    for &host in host_of_block.iter().flatten() {
        if std::mem::replace(&mut taken[host as usize], true) {
            return Err(NotApplicable("two blocks of ranks are on one host".to_string()));
        }
    }
    let mut free = (0..).zip(&taken).filter(|(_, taken)| !**taken).map(|(host, _): (u32, _)| host);
    let mut moved = Vec::new();
    let mut slots = Vec::with_capacity(host_of_block.len());
    for (block, host) in (0u32..).zip(host_of_block) {
        if host.is_none() {
            moved.push(block);
        }
        let host = host.or_else(|| free.next());
        slots.push(host.ok_or_else(|| NotApplicable("there are not enough free hosts".into()))?);
    }
    let start = problem.mapping(slots).map_err(|error| NotApplicable(error.to_string()))?;
    let mut tracker = GroupBytes.track(problem, &start);
    let blocks = problem.num_ranks() as u32;
    let others: Vec<u32> =
        moved.iter().copied().chain(blocks..tracker.placement().len() as u32).collect();
    // Each moved block may change places with free hosts and with other moved blocks.
    let mut better = true;
    while std::mem::take(&mut better) {
        for &block in &moved {
            let mut best: Option<(f64, u32)> = None;
            for &other in others.iter().filter(|&&other| other != block) {
                if !run.spend(1) {
                    return Ok(tracker.placement().mapping());
                }
                let delta = tracker.swap_delta(block, other);
                if delta < -1e-12 * tracker.cost() && best.is_none_or(|(least, _)| delta < least) {
                    best = Some((delta, other));
                }
            }
            if let Some((_, other)) = best {
                tracker.swap(block, other);
                better = true;
            }
        }
    }
    Ok(tracker.placement().mapping())
}

/// The host of each block whose ranks stay, and none for blocks that move. An error if the ranks of a
/// block were not together on one host. `host_of_rank` has hosts of the machine's list.
pub(super) fn hosts_of_blocks(
    blocks: &Blocks,
    host_of_rank: &[Option<u32>],
) -> Result<Vec<Option<u32>>, NotApplicable> {
    let mut number_of = HashMap::new();
    let of_block = |(number, ranks): (usize, &[Option<u32>])| match ranks {
        [first, rest @ ..] if rest.iter().all(|host| host == first) => match *first {
            None => Ok(None),
            Some(host) => {
                let node = *number_of.entry(host).or_insert_with(|| blocks.node_of_host(host));
                Ok(node)
            }
        },
        _ => Err(NotApplicable(format!(
            "ranks {} to {} fill a host of this machine, but were not together on one host",
            number * blocks.size as usize,
            number * blocks.size as usize + ranks.len() - 1
        ))),
    };
    host_of_rank.chunks(blocks.size as usize).enumerate().map(of_block).collect()
}
