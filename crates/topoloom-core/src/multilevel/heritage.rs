//! What existing placements say about the division of a part of the machine.

use super::common::Common;
use super::graph::Graph;
use super::region::{Hierarchy, Region};

/// A parent shows how to divide some vertices if it has at least this share of them in one part of
/// the machine. The others come from elsewhere, and a place has to be found for them.
const ENOUGH: f64 = 0.7;

/// Placements, and where their nodes are in the parts of the machine that are split now.
pub struct Heritage<'a> {
    parents: &'a [&'a [u32]],
    parts: usize,
    /// The part of each node, and the block of this part.
    place_of_node: Vec<(u32, u32)>,
}

/// What placements say about the division of some vertices.
pub struct Inherited {
    /// Divisions. Vertices from elsewhere are in no block: `NOWHERE`.
    pub starts: Vec<Vec<u32>>,
    /// No placement separates vertices of the same number.
    pub together: Vec<u32>,
}

/// The block of a vertex that has none yet.
pub const NOWHERE: u32 = u32::MAX;

impl<'a> Heritage<'a> {
    /// The placements `parents`, while these parts of the machine are split.
    pub fn new<'b>(
        parents: &'a [&'a [u32]],
        hierarchy: &Hierarchy<'_>,
        parts: impl ExactSizeIterator<Item = &'b Region>,
    ) -> Heritage<'a> {
        let last = parents.iter().flat_map(|parent| parent.iter()).max();
        let mut place_of_node = vec![(NOWHERE, NOWHERE); last.map_or(0, |&last| last as usize + 1)];
        let count = parts.len();
        for (part, region) in (0..).zip(parts) {
            for (block, region) in (0..).zip(hierarchy.split(region)) {
                for node in hierarchy.nodes(&region) {
                    if let Some(place) = place_of_node.get_mut(node as usize) {
                        *place = (part, block);
                    }
                }
            }
        }
        Heritage { parents, parts: count, place_of_node }
    }

    /// What the placements say about these vertices, which are to be divided into `blocks`. Parts
    /// are alike: it does not matter which one a parent has them in.
    pub fn of(&self, vertices: &[u32], blocks: usize) -> Inherited {
        let mut starts = Vec::new();
        let mut together = vec![0; vertices.len()];
        for parent in self.parents {
            let place = |&vertex: &u32| self.place_of_node[parent[vertex as usize] as usize];
            let mut count = vec![0usize; self.parts];
            for (part, _) in vertices.iter().map(place) {
                if let Some(count) = count.get_mut(part as usize) {
                    *count += 1;
                }
            }
            let (home, most) = (0..).zip(count).max_by_key(|&(_, count)| count).unwrap_or((0, 0));
            if most as f64 >= ENOUGH * vertices.len() as f64 {
                let block = |(part, block): (u32, u32)| {
                    if part == home && (block as usize) < blocks { block } else { NOWHERE }
                };
                starts.push(vertices.iter().map(|vertex| block(place(vertex))).collect());
            }
            let joined: Vec<(u32, (u32, u32))> =
                together.into_iter().zip(vertices.iter().map(place)).collect();
            together = Common::of(&joined).block_of;
        }
        Inherited { starts, together }
    }
}

impl Inherited {
    /// Makes blocks as large as the parents have them, up to `most`: what they agree on must fit.
    pub fn make_room(&self, graph: &Graph, capacity: &mut [f64], most: &[f64]) {
        for start in &self.starts {
            let mut load = vec![0.0; capacity.len()];
            for (&block, size) in start.iter().zip(&graph.sizes) {
                if let Some(load) = load.get_mut(block as usize) {
                    *load += size;
                }
            }
            for ((room, load), most) in capacity.iter_mut().zip(load).zip(most) {
                *room = room.max(load.min(*most));
            }
        }
    }
}
