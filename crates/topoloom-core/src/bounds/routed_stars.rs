//! Routed stars: send one unit from rank r to some ranks around it, through other ranks along pairs of
//! the traffic. A route is at least as long as the distance between its ends (the triangle
//! inequality), and the ranks of a star lie at best on the nearest nodes. If all stars together send
//! no more over each pair than its weight, hop-bytes are at least the sum of these distances.
//!
//! With stars of direct partners alone this is *rank by rank*. Larger stars see that the partners of
//! partners need room too.

use super::entry::{BoundEntry, Work};
use super::meter::Meter;
use super::network::Network;
use super::packing::{Column, most_profit};
use super::shortest::Shortest;
use super::view::{View, least_hops};

/// The registry's entry.
pub(super) static ENTRY: BoundEntry = BoundEntry {
    name: "routed stars",
    summary: "ranks around each rank on the nearest nodes, reached through other ranks",
    work: Work::Thorough,
    compute: routed_stars,
};

/// A star settles many ranks, so more ranks leave too few stars.
const MOST_RANKS: u32 = 4096;
/// A star stops growing when it earns this share of its best.
const PAST_ITS_BEST: f64 = 0.8;

fn routed_stars(view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    // Distances on boxes are lengths of shortest routes; costs of other machines need not obey the
    // triangle inequality.
    view.problem.machine().topology().grid_lengths()?;
    let ranks = view.num_ranks();
    if ranks > MOST_RANKS || !meter.has_time() {
        return None;
    }
    let network = Network::of_ranks(view.graph)?;
    let within = view.ranks_within();
    let hops: Vec<f64> = (0..u64::from(ranks)).map(|others| least_hops(&within, others)).collect();
    let mut shortest = Shortest::new(&network);
    let mut carried = vec![0.0; network.num_vertices()];
    let star = |rank: u32, lengths: &[f64], column: &mut Column| {
        let (mut length, mut others) = (0.0, 0);
        let (mut best_ratio, mut best_others) = (0.0, 0);
        (column.profit, column.length) = (0.0, 0.0);
        shortest.search(rank, lengths, |vertex, distance| {
            if vertex != rank {
                others += 1;
                length += distance;
                let ratio = hops[others] / length;
                if ratio > best_ratio {
                    (best_ratio, best_others) = (ratio, others);
                    (column.profit, column.length) = (hops[others], length);
                }
                return ratio >= PAST_ITS_BEST * best_ratio;
            }
            true
        });
        column.steps = shortest.settled.len() as u64;
        shortest.tree(best_others + 1, |_| 1.0, &mut carried, &mut column.takes);
    };
    Some(most_profit(&network.capacity, ranks, meter, star))
}
