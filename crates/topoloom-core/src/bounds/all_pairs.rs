//! All pairs: the heaviest pairs lie at best on the closest pairs of nodes.

use super::entry::{BoundEntry, Work};
use super::meter::Meter;
use super::view::View;
use crate::topology::DistanceCounts;

/// The registry's entry.
pub(super) static ENTRY: BoundEntry = BoundEntry {
    name: "all pairs",
    summary: "the heaviest pairs on the closest pairs of nodes",
    work: Work::Quick,
    compute: all_pairs,
};

fn all_pairs(view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let pairs_at = pairs_at(view);
    let pairs = view.graph.num_pairs() as u64;
    if pairs <= pairs_at[0].1 {
        return Some(0.0);
    }
    let mut left = pairs;
    if let Some(weight) = view.common_weight {
        let of_distance = |&(distance, room): &(u32, u64)| {
            let here = left.min(room);
            left -= here;
            here as f64 * f64::from(distance)
        };
        return Some(weight * pairs_at.iter().map(of_distance).sum::<f64>());
    }
    let mut weights: Vec<f64> = view.graph.pairs().map(|(_, _, weight)| weight).collect();
    meter.sort(&mut weights)?;
    let mut rest = &weights[..];
    let mut sum = 0.0;
    for (distance, room) in pairs_at {
        let (here, farther) = rest.split_at(rest.len().min(room as usize));
        sum += here.iter().map(|weight| weight * f64::from(distance)).sum::<f64>();
        rest = farther;
    }
    Some(sum)
}

/// For each distance, how many pairs of ranks at most lie that far apart; begins with 0.
fn pairs_at(view: &View<'_>) -> DistanceCounts {
    let pairs = |ranks: u64| ranks * ranks.saturating_sub(1) / 2;
    let (ranks, on_node) = (view.problem.num_ranks() as u64, view.ranks_on_node);
    // The most pairs share a node when as many nodes as possible are full.
    let together = ranks / on_node * pairs(on_node) + pairs(ranks % on_node);
    let mut counts = vec![(0, together)];
    for (distance, nodes) in view.problem.machine().topology().pairs_at_distance() {
        let apart = nodes.saturating_mul(on_node * on_node);
        match distance {
            0 => counts[0].1 = counts[0].1.saturating_add(apart),
            _ => counts.push((distance, apart)),
        }
    }
    counts
}
