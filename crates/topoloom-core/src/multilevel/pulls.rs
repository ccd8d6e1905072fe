//! What draws a vertex to the clusters of its neighbours.

use super::graph::Graph;

/// How much a vertex exchanges with each cluster near it. Made once for many vertices.
pub struct Pulls {
    strength: Vec<f32>,
    near: Vec<u32>,
}

impl Pulls {
    /// For this many clusters.
    pub fn new(names: usize) -> Pulls {
        Pulls { strength: vec![0.0; names], near: Vec::new() }
    }

    /// Adds up what `vertex` exchanges with the clusters of its neighbours; if `block_of` is given,
    /// only inside its block.
    pub fn gather(
        &mut self,
        graph: &Graph,
        vertex: u32,
        cluster_of: &[u32],
        block_of: Option<&[u32]>,
    ) {
        for edge in graph.edges(vertex) {
            let is_other =
                |block_of: &[u32]| block_of[edge.to as usize] != block_of[vertex as usize];
            if block_of.is_some_and(is_other) {
                continue;
            }
            let name = cluster_of[edge.to as usize];
            if self.strength[name as usize] == 0.0 {
                self.near.push(name);
            }
            self.strength[name as usize] += edge.weight;
        }
    }

    /// Takes out the clusters, in the order in which they were met, and how much each pulls.
    pub fn drain(&mut self) -> impl Iterator<Item = (u32, f32)> + '_ {
        let strength = &mut self.strength;
        self.near.drain(..).map(|name| (name, std::mem::take(&mut strength[name as usize])))
    }
}
