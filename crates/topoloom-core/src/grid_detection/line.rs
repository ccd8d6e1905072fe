//! Lines and rings: no rank has more than two partners.

use crate::traffic::CommunicationGraph;

/// The ranks in their order along a line or a ring, piece after piece; `None` if any rank has more
/// than two partners of at least this weight.
pub(super) fn order(graph: &CommunicationGraph, least: f64) -> Option<Vec<u32>> {
    let ranks = graph.num_ranks() as u32;
    let partners =
        |rank: u32| graph.edges(rank).filter(move |edge| edge.1 >= least).map(|edge| edge.0);
    if (0..ranks).any(|rank| partners(rank).nth(2).is_some()) {
        return None;
    }
    let mut order = Vec::with_capacity(ranks as usize);
    let mut seen = vec![false; ranks as usize];
    // Ends first: then a piece is walked from one end to the other; then rings.
    let ends = (0..ranks).filter(|&rank| partners(rank).count() == 1);
    for start in ends.chain(0..ranks) {
        let mut next = Some(start).filter(|&start| !seen[start as usize]);
        while let Some(rank) = next {
            seen[rank as usize] = true;
            order.push(rank);
            next = partners(rank).find(|&partner| !seen[partner as usize]);
        }
    }
    Some(order)
}
