//! Shortest routes from one vertex of a network, nearest vertices first (Dijkstra).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::network::Network;

/// Room for searches in one network.
pub(super) struct Shortest<'a> {
    network: &'a Network,
    distance: Vec<f64>,
    is_settled: Vec<bool>,
    /// The previous vertex of the route, and the pair between.
    came_from: Vec<(u32, u32)>,
    /// Vertices with the bits of the length of a route to them. Lengths are never negative, so their bits are in the order of
    /// the lengths, and compare faster.
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    touched: Vec<u32>,
    /// The vertices that the last search settled, nearest first.
    pub settled: Vec<u32>,
}

impl<'a> Shortest<'a> {
    pub fn new(network: &'a Network) -> Self {
        let vertices = network.num_vertices();
        Shortest {
            network,
            distance: vec![f64::INFINITY; vertices],
            is_settled: vec![false; vertices],
            came_from: vec![(0, 0); vertices],
            queue: BinaryHeap::new(),
            touched: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// Settles vertices, nearest first, as long as `wants` accepts a vertex at its distance.
    pub fn search(&mut self, from: u32, lengths: &[f64], mut wants: impl FnMut(u32, f64) -> bool) {
        for vertex in self.touched.drain(..) {
            self.distance[vertex as usize] = f64::INFINITY;
            self.is_settled[vertex as usize] = false;
        }
        self.queue.clear();
        self.settled.clear();
        self.reach(from, 0.0, (from, 0));
        while let Some(Reverse((bits, vertex))) = self.queue.pop() {
            let length = f64::from_bits(bits);
            if self.is_settled[vertex as usize] {
                continue;
            }
            if !wants(vertex, length) {
                break;
            }
            self.is_settled[vertex as usize] = true;
            self.settled.push(vertex);
            for &(to, pair) in self.network.arcs(vertex) {
                let length = length + lengths[pair as usize];
                if length < self.distance[to as usize] {
                    self.reach(to, length, (vertex, pair));
                }
            }
        }
    }

    fn reach(&mut self, vertex: u32, length: f64, came_from: (u32, u32)) {
        if self.distance[vertex as usize] == f64::INFINITY {
            self.touched.push(vertex);
        }
        self.distance[vertex as usize] = length;
        self.came_from[vertex as usize] = came_from;
        self.queue.push(Reverse((length.to_bits(), vertex)));
    }

    /// The previous vertex on the route to a settled vertex, and the pair between.
    pub fn came_from(&self, vertex: u32) -> (u32, u32) {
        self.came_from[vertex as usize]
    }

    /// What the first `count` settled vertices take of pairs, if each gets its `size` from the first.
    pub fn tree(
        &self,
        count: usize,
        size: impl Fn(u32) -> f64,
        carried: &mut [f64],
        takes: &mut Vec<(u32, f64)>,
    ) {
        takes.clear();
        let tree = &self.settled[..count];
        tree.iter().for_each(|&vertex| carried[vertex as usize] = size(vertex));
        for &vertex in tree.iter().skip(1).rev() {
            let (previous, pair) = self.came_from(vertex);
            let amount = carried[vertex as usize];
            takes.push((pair, amount));
            carried[previous as usize] += amount;
        }
    }
}
