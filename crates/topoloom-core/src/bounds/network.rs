//! The traffic as a network: pairs are its edges, and their weights are capacities.

use crate::traffic::CommunicationGraph;

/// Beyond this, packing would take longer than a search.
const MOST_PAIRS: usize = 1 << 16;

/// Vertices and edges with numbers, in compressed rows.
pub(super) struct Network {
    start: Vec<u32>,
    /// The neighbour and the number of the pair.
    arcs: Vec<(u32, u32)>,
    /// The weight of each pair.
    pub capacity: Vec<f64>,
}

impl Network {
    /// One vertex per rank; `None` if there are too many pairs to pack anything.
    pub fn of_ranks(graph: &CommunicationGraph) -> Option<Network> {
        if graph.num_pairs() > MOST_PAIRS {
            return None;
        }
        let mut neighbours = vec![Vec::new(); graph.num_ranks()];
        let mut capacity = Vec::with_capacity(graph.num_pairs());
        graph.for_each_pair(|a, b, weight| {
            let pair = capacity.len() as u32;
            neighbours[a as usize].push((b, pair));
            neighbours[b as usize].push((a, pair));
            capacity.push(weight);
        });
        Some(Network::new(&neighbours, capacity))
    }

    /// Two vertices per rank, 2r and 2r + 1. Each pair leads from an even vertex to an odd one and
    /// back, so a route from 2r to 2r + 1 is a closed walk over an odd number of pairs.
    pub fn doubled(&self) -> Network {
        let neighbours: Vec<Vec<(u32, u32)>> = (0..2 * self.num_vertices() as u32)
            .map(|vertex| {
                let other_side = 1 - vertex % 2;
                let arcs = self.arcs(vertex / 2).iter();
                arcs.map(|&(to, pair)| (2 * to + other_side, pair)).collect()
            })
            .collect();
        Network::new(&neighbours, self.capacity.clone())
    }

    fn new(neighbours: &[Vec<(u32, u32)>], capacity: Vec<f64>) -> Network {
        let mut start = vec![0];
        for row in neighbours {
            start.push(start[start.len() - 1] + row.len() as u32);
        }
        Network { start, arcs: neighbours.concat(), capacity }
    }

    pub fn num_vertices(&self) -> usize {
        self.start.len() - 1
    }

    /// The neighbours of a vertex, each with the number of the pair.
    #[inline]
    pub fn arcs(&self, vertex: u32) -> &[(u32, u32)] {
        &self.arcs[self.start[vertex as usize] as usize..self.start[vertex as usize + 1] as usize]
    }
}
