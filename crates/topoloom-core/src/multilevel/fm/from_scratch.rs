//! What a division costs and how much it overloads its blocks: the definitions.

use crate::multilevel::blocks::BlockDistance;
use crate::multilevel::graph::Graph;

pub(super) fn overload(load: &[f64], capacity: &[f64]) -> f64 {
    load.iter().zip(capacity).map(|(load, room)| (load - room).max(0.0)).sum()
}

/// How much the blocks of a division are overloaded, computed from scratch.
pub fn overload_of(graph: &Graph, capacity: &[f64], block_of: &[u32]) -> f64 {
    let mut load = vec![0.0; capacity.len()];
    for (&block, &size) in block_of.iter().zip(&graph.sizes) {
        load[block as usize] += size;
    }
    overload(&load, capacity)
}

/// How much the blocks of a division are overloaded, and what it costs, computed from scratch.
pub fn judge<D: BlockDistance>(
    graph: &Graph,
    distance: &D,
    capacity: &[f64],
    bias: &[f32],
    block_of: &[u32],
) -> (f64, f64) {
    let mut load = vec![0.0; capacity.len()];
    let mut cost = 0.0;
    for (vertex, &home) in (0u32..).zip(block_of) {
        load[home as usize] += graph.sizes[vertex as usize];
        for edge in graph.edges(vertex) {
            let there = block_of[edge.to as usize];
            if there != home {
                cost += f64::from(edge.weight * distance.between(home, there)) / 2.0;
            }
        }
        if !bias.is_empty() {
            cost += f64::from(bias[vertex as usize * capacity.len() + home as usize]);
        }
    }
    (overload(&load, capacity), cost)
}
