//! Smaller graphs of similar shape: vertices that exchange much are merged.

use super::graph::Graph;
use super::pulls::Pulls;
use crate::clock::Clock;
use crate::pace::Pace;
use crate::random::{self, Stream};

/// Vertices are visited in random order inside windows of this many: random enough for the
/// clusters, local enough for the cache.
const WINDOW: usize = 512;

/// Gives every vertex a cluster: (cluster of each vertex, number of clusters). No cluster grows
/// beyond `largest`, unless a single vertex is that large; if `block_of` is given, no cluster spans
/// two blocks. Vertices whose turn comes after the time limit stay alone.
pub fn cluster(
    graph: &Graph,
    largest: f64,
    block_of: Option<&[u32]>,
    clock: &Clock<'_>,
    rng: &mut Stream,
) -> (Vec<u32>, usize) {
    let n = graph.len();
    let mut order: Vec<u32> = (0..n as u32).collect();
    for window in order.chunks_mut(WINDOW) {
        random::shuffle(rng, window);
    }
    // The vertex that names each cluster, and the size of the cluster, stored at that vertex.
    let mut leader: Vec<u32> = (0..n as u32).collect();
    let mut size = graph.sizes.clone();
    let lightness_of = |size: f64| (1.0 / size) as f32;
    let mut lightness: Vec<f32> = size.iter().map(|&size| lightness_of(size)).collect();
    let mut alone = vec![true; n];
    let mut pulls = Pulls::new(n);
    let mut pace = Pace::default();
    for &vertex in &order {
        if clock.is_over_after(1 + graph.degree(vertex), &mut pace) {
            break;
        }
        let v = vertex as usize;
        if !alone[v] {
            continue;
        }
        pulls.gather(graph, vertex, &leader, block_of);
        let mut best: Option<(f32, u32)> = None;
        for (name, strength) in pulls.drain() {
            if size[name as usize] + graph.sizes[v] > largest {
                continue;
            }
            let rating = strength * strength * lightness[name as usize];
            if best.is_none_or(|(most, _)| rating > most) {
                best = Some((rating, name));
            }
        }
        if let Some((_, name)) = best {
            leader[v] = name;
            size[name as usize] += graph.sizes[v];
            lightness[name as usize] = lightness_of(size[name as usize]);
            alone[v] = false;
            alone[name as usize] = false;
        }
    }
    number(&leader)
}

/// Numbers the clusters in the order of their first vertex: vertices that were near stay near.
pub fn number(leader: &[u32]) -> (Vec<u32>, usize) {
    let mut name = vec![u32::MAX; leader.len()];
    let mut count = 0;
    let cluster_of = leader
        .iter()
        .map(|&leader| {
            let name = &mut name[leader as usize];
            if *name == u32::MAX {
                *name = count;
                count += 1;
            }
            *name
        })
        .collect();
    (cluster_of, count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multilevel::graph::examples::grid;
    use crate::run::Run;

    #[test]
    fn clusters_stay_small_and_inside_their_blocks() {
        let graph = grid(16, 16);
        let block_of: Vec<u32> = (0..256).map(|vertex| vertex % 16 / 8).collect();
        let (run, rng) = (Run::new(1), &mut random::stream(1, &[]));
        let (cluster_of, clusters) = cluster(&graph, 4.0, Some(&block_of), &Clock::new(&run), rng);
        assert!(clusters < 200, "{clusters}");
        for name in 0..clusters as u32 {
            let members: Vec<usize> = (0..256).filter(|&v| cluster_of[v] == name).collect();
            assert!((1..=4).contains(&members.len()), "{members:?}");
            assert!(members.iter().all(|&v| block_of[v] == block_of[members[0]]));
        }
    }
}
