//! Clusters for graphs in which few vertices have very many neighbours.
//!
//! Labels spread between neighbours, as in H. Meyerhenke, P. Sanders and C. Schulz, "Partitioning
//! complex networks via size-constrained clustering" (2014). If vertices are only merged with a
//! neighbour, many of those around a hub stay alone, because the hub's cluster is soon full. Here
//! they can still join each other's clusters.

use super::coarsen::number;
use super::graph::Graph;
use super::pulls::Pulls;
use crate::clock::Clock;
use crate::pace::Pace;
use crate::random::{self, Stream};

/// A vertex with this many times the neighbours of an average one is a hub.
const HUB: usize = 10;

/// Rounds over all vertices.
const ROUNDS: usize = 5;

/// The last round is one in which less than this share of the vertices moves.
const FEW: f64 = 0.02;

/// Whether a few vertices have very many neighbours.
pub fn has_hubs(graph: &Graph) -> bool {
    let most = (0..graph.len() as u32).map(|vertex| graph.degree(vertex)).max().unwrap_or(0);
    most * graph.len() > HUB * graph.edges.len()
}

/// Gives every vertex a cluster, under the conditions of [`cluster`](super::coarsen::cluster): it
/// moves to the cluster that it exchanges most with, several times.
pub fn spread_labels(
    graph: &Graph,
    largest: f64,
    block_of: Option<&[u32]>,
    clock: &Clock<'_>,
    rng: &mut Stream,
) -> (Vec<u32>, usize) {
    let mut order: Vec<u32> = (0..graph.len() as u32).collect();
    random::shuffle(rng, &mut order);
    // Hubs last: their neighbours have found together by then.
    order.sort_by_key(|&vertex| graph.degree(vertex));
    let mut label: Vec<u32> = (0..graph.len() as u32).collect();
    let mut size = graph.sizes.clone();
    let mut pulls = Pulls::new(graph.len());
    let mut pace = Pace::default();
    for _ in 0..ROUNDS {
        let mut moves = 0;
        for &vertex in &order {
            if clock.is_over_after(1 + graph.degree(vertex), &mut pace) {
                return number(&label);
            }
            let own_size = graph.sizes[vertex as usize];
            let own = label[vertex as usize];
            pulls.gather(graph, vertex, &label, block_of);
            let fits = |name: u32| name == own || size[name as usize] + own_size <= largest;
            let (mut best, mut most, mut equals) = (own, 0.0, 0);
            for (name, strength) in pulls.drain().filter(|&(name, _)| fits(name)) {
                equals = if strength > most { 1 } else { equals + u32::from(strength == most) };
                // Each of several equal ones has the same chance.
                if strength > most || strength == most && random::below(rng, equals) == 0 {
                    (best, most) = (name, strength);
                }
            }
            if best != own {
                size[own as usize] -= own_size;
                size[best as usize] += own_size;
                label[vertex as usize] = best;
                moves += 1;
            }
        }
        if f64::from(moves) < FEW * graph.len() as f64 {
            break;
        }
    }
    number(&label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multilevel::graph::examples::{grid, star};
    use crate::run::Run;

    #[test]
    fn stars_have_hubs_and_grids_have_none() {
        assert!(has_hubs(&star(40)));
        assert!(!has_hubs(&grid(16, 16)));
    }

    #[test]
    fn clusters_stay_small_and_inside_their_blocks() {
        let block_of: Vec<u32> = (0..256).map(|vertex| vertex % 16 / 8).collect();
        for graph in [grid(16, 16), star(255)] {
            let (run, rng) = (Run::new(1), &mut random::stream(1, &[]));
            let clock = Clock::new(&run);
            let (cluster_of, clusters) = spread_labels(&graph, 8.0, Some(&block_of), &clock, rng);
            assert!(clusters < 256, "{clusters}");
            for name in 0..clusters as u32 {
                let members: Vec<usize> = (0..256).filter(|&v| cluster_of[v] == name).collect();
                assert!((1..=8).contains(&members.len()), "{members:?}");
                assert!(members.iter().all(|&v| block_of[v] == block_of[members[0]]));
            }
        }
    }
}
