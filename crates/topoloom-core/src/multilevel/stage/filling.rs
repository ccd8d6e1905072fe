//! Blocks filled in order.

use crate::multilevel::graph::Graph;

/// Puts vertices into the blocks in order, without any search: used when time is up.
pub fn fill(graph: &Graph, capacity: &[f64]) -> Vec<u32> {
    let mut block = 0;
    let mut load = 0.0;
    graph
        .sizes
        .iter()
        .map(|size| {
            while load + size > capacity[block] && block + 1 < capacity.len() {
                block += 1;
                load = 0.0;
            }
            load += size;
            block as u32
        })
        .collect()
}
