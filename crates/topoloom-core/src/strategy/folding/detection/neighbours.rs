//! Who is beside whom along an axis: heavy edges, diagonals left out.

use crate::traffic::CommunicationGraph;

/// Nobody has more neighbours in a grid of four axes with all its diagonals.
pub(super) const MOST_PARTNERS: usize = 80;

/// Whoever has more neighbours along axes sends to everybody and says nothing about the grid.
const MOST_NEIGHBOURS: usize = 16;

/// Of two ranks beside each other along an axis at least this share of the neighbours of either,
/// themselves included, is common to both; of two at a diagonal less. In a grid of any number of
/// axes it is 1/2 or more along axes and 4/9 or less along diagonals, borders included.
const COMMON_ALONG_AN_AXIS: f64 = 0.47;

/// The partners of a rank over edges of at least this weight, rising.
pub(super) fn heavy_partners(graph: &CommunicationGraph, rank: u32, least: f64) -> Vec<u32> {
    graph.edges(rank).filter(|edge| edge.1 >= least).map(|edge| edge.0).collect()
}

/// How many numbers two rising lists have in common.
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

/// Whether two partners with these partners of their own lie along an axis of a grid with
/// diagonals.
pub(super) fn is_along_axis(of_a: &[u32], of_b: &[u32]) -> bool {
    // Each is in its own neighbourhood and in that of the other.
    let both = common(of_a, of_b) + 2;
    let either = of_a.len() + of_b.len() + 2 - both;
    both as f64 >= COMMON_ALONG_AN_AXIS * either as f64
}

/// The neighbours of each rank along the axes.
#[derive(Debug)]
pub(super) struct Neighbours {
    start: Vec<usize>,
    neighbour: Vec<u32>,
}

impl Neighbours {
    /// The ends of the edges of at least this weight, without `diagonals` if there are any.
    pub(super) fn new(graph: &CommunicationGraph, least: f64, diagonals: bool) -> Neighbours {
        let ranks = graph.num_ranks() as u32;
        let heavy = Neighbours::collect(ranks, |rank, row| {
            row.extend(graph.edges(rank).filter(|edge| edge.1 >= least).map(|edge| edge.0));
        });
        if !diagonals {
            return Neighbours::collect(ranks, |rank, row| {
                if heavy.of(rank).len() <= MOST_NEIGHBOURS {
                    let keep = |partner: &&u32| heavy.of(**partner).len() <= MOST_NEIGHBOURS;
                    row.extend(heavy.of(rank).iter().filter(keep));
                }
            });
        }
        Neighbours::collect(ranks, |rank, row| {
            let own = heavy.of(rank);
            if own.len() <= MOST_PARTNERS {
                row.extend(own.iter().filter(|&&partner| {
                    let other = heavy.of(partner);
                    other.len() <= MOST_PARTNERS && is_along_axis(own, other)
                }));
            }
        })
    }

    fn collect(ranks: u32, add: impl Fn(u32, &mut Vec<u32>)) -> Neighbours {
        let mut start = Vec::with_capacity(ranks as usize + 1);
        let mut neighbour = Vec::new();
        start.push(0);
        for rank in 0..ranks {
            add(rank, &mut neighbour);
            start.push(neighbour.len());
        }
        Neighbours { start, neighbour }
    }

    /// The number of ranks.
    pub(super) fn ranks(&self) -> usize {
        self.start.len() - 1
    }

    /// The neighbours of a rank, rising.
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
