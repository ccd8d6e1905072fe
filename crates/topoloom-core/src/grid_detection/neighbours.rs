//! Which ranks are neighbours along an axis: heavy edges, without hubs and diagonals.

use crate::traffic::CommunicationGraph;

/// No rank has more neighbours in a grid of four axes with all its diagonals.
pub(super) const MOST_PARTNERS: usize = 80;

/// Twice as many neighbours as a grid of four axes has without diagonals: a few extra ones are
/// allowed.
const MOST_NEIGHBOURS: usize = 16;

/// The neighbours that two ranks with about equally many neighbours have in common, as a share of
/// the neighbours of either, the two ranks included: 1/2 along an axis, 2/7 or less at a diagonal,
/// in any number of axes.
const COMMON_ALONG_AN_AXIS: f64 = 0.36;

/// The same if one is at a border and the other is not: 2/3 along an axis, 4/9 or less at a
/// diagonal.
const COMMON_ACROSS_A_BORDER: f64 = 0.55;

/// Numbers of neighbours count as alike from this ratio on; at a border the ratio is 2/3.
const ALIKE: f64 = 0.8;

/// The partners of a rank over edges of at least this weight, in ascending order.
pub(super) fn heavy_partners(graph: &CommunicationGraph, rank: u32, least: f64) -> Vec<u32> {
    graph.edges(rank).filter(|edge| edge.1 >= least).map(|edge| edge.0).collect()
}

/// Whether a rank has few enough partners over edges of at least this weight.
pub(super) fn few_partners(graph: &CommunicationGraph, rank: u32, most: usize, least: f64) -> bool {
    graph.edges(rank).filter(|edge| edge.1 >= least).nth(most).is_none()
}

/// How many numbers two ascending lists have in common.
pub(super) fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    count
}

/// Whether two partners, whose own partners are given, lie along an axis of a grid with diagonals.
pub(super) fn is_along_axis(of_a: &[u32], of_b: &[u32]) -> bool {
    // Each is in its own neighbourhood and in that of the other.
    let both = common(of_a, of_b) + 2;
    let either = of_a.len() + of_b.len() + 2 - both;
    let (fewer, more) = (of_a.len().min(of_b.len()) + 1, of_a.len().max(of_b.len()) + 1);
    let alike = fewer as f64 >= ALIKE * more as f64;
    let least = if alike { COMMON_ALONG_AN_AXIS } else { COMMON_ACROSS_A_BORDER };
    both as f64 >= least * either as f64
}

/// The neighbours of each rank.
#[derive(Debug)]
pub(super) struct Neighbours {
    start: Vec<usize>,
    neighbour: Vec<u32>,
}

impl Neighbours {
    /// The ends of the edges of at least this weight. A rank with more partners than any grid
    /// allows sends to all ranks. It says nothing about the grid, so it gets no neighbours.
    pub(super) fn heavy(graph: &CommunicationGraph, least: f64) -> Neighbours {
        let few = |rank: u32| few_partners(graph, rank, MOST_PARTNERS, least);
        let few: Vec<bool> = (0..graph.num_ranks() as u32).map(few).collect();
        Neighbours::collect(few.len(), |rank, row| {
            if few[rank as usize] {
                let heavy = graph.edges(rank).filter(|edge| edge.1 >= least).map(|edge| edge.0);
                row.extend(heavy.filter(|&partner| few[partner as usize]));
            }
        })
    }

    /// The same without ranks that have more neighbours than a grid without diagonals allows.
    pub(super) fn without_hubs(&self) -> Neighbours {
        let few = |rank: u32| self.of(rank).len() <= MOST_NEIGHBOURS;
        Neighbours::collect(self.ranks(), |rank, row| {
            if few(rank) {
                row.extend(self.of(rank).iter().filter(|&&partner| few(partner)));
            }
        })
    }

    /// The same without diagonals.
    pub(super) fn along_axes(&self) -> Neighbours {
        let along = Neighbours::collect(self.ranks(), |rank, row| {
            let own = self.of(rank);
            row.extend(own.iter().filter(|&&partner| is_along_axis(own, self.of(partner))));
        });
        // Across a corner of the box a diagonal looks like an axis, except for the two neighbours
        // that its ends have in common.
        Neighbours::collect(self.ranks(), |rank, row| {
            let own = along.of(rank);
            row.extend(own.iter().filter(|&&other| common(own, along.of(other)) < 2));
        })
    }

    fn collect(ranks: usize, add: impl Fn(u32, &mut Vec<u32>)) -> Neighbours {
        let mut start = Vec::with_capacity(ranks + 1);
        let mut neighbour = Vec::new();
        start.push(0);
        for rank in 0..ranks as u32 {
            add(rank, &mut neighbour);
            start.push(neighbour.len());
        }
        Neighbours { start, neighbour }
    }

    /// The number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.start.len() - 1
    }

    /// The neighbours of a rank, in ascending order.
    #[inline]
    pub(super) fn of(&self, rank: u32) -> &[u32] {
        &self.neighbour[self.start[rank as usize]..self.start[rank as usize + 1]]
    }

    /// Every pair of neighbours, once.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let ranks = 0..self.ranks() as u32;
        ranks.flat_map(|a| self.of(a).iter().map(move |&b| (a, b)).filter(|&(a, b)| a < b))
    }
}
