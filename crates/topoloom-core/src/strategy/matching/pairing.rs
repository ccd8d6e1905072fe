//! The heaviest set of pairs.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustworkx_core::max_weight_matching::max_weight_matching;
use rustworkx_core::petgraph::graph::UnGraph;

use crate::run::Run;

/// With more vertices, the heaviest edges are taken first instead of the best set: the time of the
/// exact search grows with the third power of their number.
const MOST_VERTICES: usize = 2000;

/// The same with more edges.
const MOST_EDGES: usize = 400_000;

/// Weights become whole numbers of up to this many bits, which makes sums exact.
const BITS: i32 = 90;

/// Pairs of the `vertices` vertices, each in at most one pair, whose weights have the largest sum,
/// in ascending order. If the problem is too large for that, or there is no time, heavy pairs are
/// taken first.
pub fn heaviest_pairs(
    vertices: usize,
    edges: &[(u32, u32, f64)],
    run: &mut Run,
) -> Vec<(u32, u32, f64)> {
    let is_small = vertices <= MOST_VERTICES && edges.len() <= MOST_EDGES;
    let best = match is_small && !run.must_stop() {
        true => best_pairs_in_time(vertices, edges, run),
        false => None,
    };
    let mut pairs = best.unwrap_or_else(|| heaviest_first(vertices, edges));
    pairs.sort_by_key(|&(a, b, _)| (a, b));
    pairs
}

/// From this many vertices on, the best pairs take so long that a limit may come first.
const MANY_VERTICES: usize = 200;

/// Time between two checks of the clock while another thread works.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// The best pairs; `None` if the time runs out first. The search cannot be interrupted, so it gets
/// its own thread, which is abandoned in that case.
fn best_pairs_in_time(
    vertices: usize,
    edges: &[(u32, u32, f64)],
    run: &mut Run,
) -> Option<Vec<(u32, u32, f64)>> {
    if vertices < MANY_VERTICES {
        return Some(best_pairs(vertices, edges));
    }
    let (sender, receiver) = mpsc::channel();
    let owned = edges.to_vec();
    let work = move || {
        // If the time ran out, the receiver no longer exists.
        let _ = sender.send(best_pairs(vertices, &owned));
    };
    if thread::Builder::new().spawn(work).is_err() {
        return Some(best_pairs(vertices, edges));
    }
    loop {
        match receiver.recv_timeout(BETWEEN_LOOKS) {
            Ok(pairs) => return Some(pairs),
            Err(RecvTimeoutError::Timeout) if run.out_of_time() => return None,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

fn best_pairs(vertices: usize, edges: &[(u32, u32, f64)]) -> Vec<(u32, u32, f64)> {
    let largest = edges.iter().map(|edge| edge.2).fold(0.0, f64::max);
    if largest <= 0.0 {
        return Vec::new();
    }
    let shift = BITS - largest.log2().ceil() as i32;
    // In two steps, because the power itself may exceed the range of floating point.
    let whole =
        |weight: f64| (weight * 2f64.powi(shift / 2) * 2f64.powi(shift - shift / 2)) as i128;
    let mut graph: UnGraph<(), usize> = UnGraph::with_capacity(vertices, edges.len());
    let nodes: Vec<_> = (0..vertices).map(|_| graph.add_node(())).collect();
    for (number, &(a, b, _)) in edges.iter().enumerate() {
        graph.add_edge(nodes[a as usize], nodes[b as usize], number);
    }
    let weight = |edge: rustworkx_core::petgraph::graph::EdgeReference<'_, usize>| {
        Ok::<i128, std::convert::Infallible>(whole(edges[*edge.weight()].2))
    };
    let Ok(matched) = max_weight_matching(&graph, false, weight, false);
    let mut mate = vec![usize::MAX; vertices];
    for (a, b) in matched {
        (mate[a], mate[b]) = (b, a);
    }
    edges.iter().copied().filter(|&(a, b, _)| mate[a as usize] == b as usize).collect()
}

fn heaviest_first(vertices: usize, edges: &[(u32, u32, f64)]) -> Vec<(u32, u32, f64)> {
    let mut edges = edges.to_vec();
    edges.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let mut free = vec![true; vertices];
    edges.retain(|&(a, b, _)| {
        let both = free[a as usize] && free[b as usize];
        if both {
            (free[a as usize], free[b as usize]) = (false, false);
        }
        both
    });
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_good_pairs_are_better_than_the_best_and_a_bad_one() {
        let path = [(0, 1, 5.0), (1, 2, 6.0), (2, 3, 5.0)];
        assert_eq!(heaviest_pairs(4, &path, &mut Run::new(1)), [path[0], path[2]]);
        // Without time, the heaviest pair is taken first.
        assert_eq!(heaviest_pairs(4, &path, &mut Run::new(1).with_stop(|| true)), [path[1]]);
        for scale in [1e-300, 1e300] {
            let path = path.map(|(a, b, weight)| (a, b, weight * scale));
            assert_eq!(heaviest_pairs(4, &path, &mut Run::new(1)), [path[0], path[2]]);
        }
    }
}
