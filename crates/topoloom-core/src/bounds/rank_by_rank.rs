//! Rank by rank: the partners of a rank, heaviest first, lie at best on the nearest nodes. Each pair is
//! seen from both ends, so half of the sum counts.

use super::entry::{BoundEntry, Work};
use super::meter::Meter;
use super::view::{View, least_hops};

/// The registry's entry.
pub(super) static ENTRY: BoundEntry = BoundEntry {
    name: "rank by rank",
    summary: "the partners of each rank on the nearest nodes, heaviest first",
    work: Work::Quick,
    compute: rank_by_rank,
};

fn rank_by_rank(view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let within = view.ranks_within();
    let on_the_same_node = within[0].1;
    let mut weights = Vec::new();
    let mut sum = 0.0;
    for rank in 0..view.problem.num_ranks() as u32 {
        let partners = view.graph.partners(rank).len() as u64;
        meter.spend(1 + partners)?;
        if partners <= on_the_same_node {
            continue;
        }
        if let Some(weight) = view.common_weight {
            sum += weight * least_hops(&within, partners);
            continue;
        }
        weights.clear();
        weights.extend_from_slice(view.graph.weights(rank));
        meter.sort(&mut weights)?;
        let mut shells = within.iter();
        let (mut distance, mut room) = (0, 0);
        for (position, weight) in (0..).zip(&weights) {
            while room <= position {
                (distance, room) = *shells.next().unwrap_or(&(distance, u64::MAX));
            }
            sum += weight * f64::from(distance);
        }
    }
    Some(sum / 2.0)
}
