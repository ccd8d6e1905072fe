//! A region grown from a random vertex.

use std::collections::BinaryHeap;

use crate::clock::Clock;
use crate::multilevel::graph::Graph;
use crate::pace::Pace;
use crate::random::{self, Stream};

/// Grows block 0 from a random vertex, always by the vertex with most edges into it, until its size
/// is `target` or the time is up; the rest is block 1.
pub fn grow(
    graph: &Graph,
    strengths: &[f32],
    target: f64,
    clock: &Clock<'_>,
    rng: &mut Stream,
) -> Vec<u32> {
    let n = graph.len() as u32;
    let mut block_of = vec![1u32; graph.len()];
    if n == 0 {
        return block_of;
    }
    let mut inward = vec![0.0f32; graph.len()];
    // The change of the cut if a vertex joins.
    let priority =
        |vertex: u32, inward: &[f32]| 2.0 * inward[vertex as usize] - strengths[vertex as usize];
    let mut queue: BinaryHeap<(Ordered, u32)> = BinaryHeap::new();
    let mut next_seed = random::below(rng, n);
    let mut size = 0.0;
    let mut joined = 0;
    let mut pace = Pace::default();
    while size < target && !clock.is_over_after(1, &mut pace) {
        let vertex = match queue.pop() {
            Some((_, vertex)) if block_of[vertex as usize] == 0 => continue,
            Some((Ordered(gain), vertex)) if gain < priority(vertex, &inward) => {
                queue.push((Ordered(priority(vertex, &inward)), vertex));
                continue;
            }
            Some((_, vertex)) => vertex,
            // A separate component: continue anywhere.
            None => {
                while block_of[next_seed as usize] == 0 {
                    next_seed = (next_seed + 1) % n;
                }
                next_seed
            }
        };
        let more = graph.sizes[vertex as usize];
        // Stop at the size nearest to the target.
        if size > 0.0 && size + more - target > target - size {
            break;
        }
        size += more;
        block_of[vertex as usize] = 0;
        joined += 1;
        if size >= target {
            break;
        }
        for edge in graph.edges(vertex) {
            if block_of[edge.to as usize] == 1 {
                inward[edge.to as usize] += edge.weight;
                queue.push((Ordered(priority(edge.to, &inward)), edge.to));
            }
        }
        if joined == graph.len() {
            break;
        }
    }
    block_of
}

#[derive(PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
