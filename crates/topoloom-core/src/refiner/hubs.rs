//! Ranks with very many partners. Evaluating an exchange of one takes as long as hundreds of
//! others.

use crate::traffic::CommunicationGraph;

/// A rank with fewer partners is not a hub.
const LEAST_PARTNERS: usize = 512;

/// A hub has this many times as many partners as the others have on average.
const TIMES_THE_MEAN: usize = 8;

/// Which ranks are hubs. In most traffic none is. All-to-all traffic has none either.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hubs<'a> {
    graph: &'a CommunicationGraph,
    least: usize,
}

impl<'a> Hubs<'a> {
    pub(crate) fn of(graph: &'a CommunicationGraph) -> Hubs<'a> {
        Hubs { graph, least: least_degree(graph.num_ranks(), 2 * graph.num_pairs()) }
    }

    #[inline]
    pub(crate) fn contain(&self, rank: u32) -> bool {
        self.graph.num_partners(rank) >= self.least
    }

    /// How many ordinary exchanges take as long as one of `rank`: 1 except for hubs.
    #[inline]
    pub(crate) fn price(&self, rank: u32) -> u64 {
        (self.graph.num_partners(rank) / self.least).max(1) as u64
    }

    /// How often an exchange of two ranks is worth evaluating: (this many, out of this many).
    /// `None` if always. With this rule, exchanges take only a little longer than without hubs,
    /// even if every rank has a hub as its partner.
    #[inline]
    pub(crate) fn share_of_exchanges(&self, a: u32, b: u32) -> Option<(u32, u32)> {
        let partners = self.graph.num_partners(a) + self.graph.num_partners(b);
        (partners >= 2 * self.least).then_some(((self.least / 4) as u32, partners as u32))
    }
}

/// The number of edges that makes a vertex a hub, in a graph of this many vertices and edge ends.
pub(crate) fn least_degree(vertices: usize, ends: usize) -> usize {
    LEAST_PARTNERS.max(TIMES_THE_MEAN * ends / vertices.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrafficBuilder, Weight, parse_pattern};

    #[test]
    fn the_middle_of_a_star_is_a_hub_and_nobody_of_all_to_all_is() {
        let mut star = TrafficBuilder::new(2001);
        (1..2001).for_each(|leaf| star.add(0, leaf, 1.0, 1.0));
        let star = star.build().graph(Weight::Bytes);
        let hubs = Hubs::of(&star);
        assert!(hubs.contain(0) && !hubs.contain(1));
        // 2000 partners, and 512 are enough for a hub.
        assert_eq!((hubs.price(0), hubs.price(1)), (3, 1));
        assert_eq!(hubs.share_of_exchanges(0, 1), Some((128, 2001)));
        assert_eq!(hubs.share_of_exchanges(1, 2), None);
        let all = parse_pattern("all-to-all:600").unwrap().graph(Weight::Bytes);
        let hubs = Hubs::of(&all);
        assert!((0..600).all(|rank| !hubs.contain(rank)));
        assert_eq!(hubs.share_of_exchanges(0, 1), None);
    }
}
