//! The graph that the engine coarsens: undirected, compressed rows, with partner and weight side by
//! side: one memory access fetches both.

use crate::tally;

/// One direction of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The vertex at the other end.
    pub to: u32,
    /// How much the two exchange. Single precision steers the search; reported costs are computed
    /// again in double precision.
    pub weight: f32,
}

/// An undirected graph; each edge is in the rows of both its ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Where the row of each vertex begins, and the end of the last.
    pub start: Vec<u32>,
    /// The rows.
    pub edges: Vec<Edge>,
    /// The room that each vertex takes.
    pub sizes: Vec<f64>,
    /// Whether all weights are whole numbers, which makes their sums exact.
    pub whole: bool,
}

impl Graph {
    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// How many edges a vertex has.
    #[inline]
    pub fn degree(&self, vertex: u32) -> usize {
        (self.start[vertex as usize + 1] - self.start[vertex as usize]) as usize
    }

    /// The edges of a vertex.
    #[inline]
    pub fn edges(&self, vertex: u32) -> &[Edge] {
        tally::touch(self.degree(vertex));
        &self.edges[self.start[vertex as usize] as usize..self.start[vertex as usize + 1] as usize]
    }

    /// The weight of all edges, each counted from both ends.
    pub fn total_weight(&self) -> f64 {
        self.edges.iter().map(|edge| f64::from(edge.weight)).sum()
    }

    /// The room that all vertices take together.
    pub fn total_size(&self) -> f64 {
        self.sizes.iter().sum()
    }

    /// The room that the largest vertex takes.
    pub fn largest_size(&self) -> f64 {
        self.sizes.iter().copied().fold(0.0, f64::max)
    }

    /// What each vertex exchanges with all others in total.
    pub fn strengths(&self) -> Vec<f32> {
        (0..self.len() as u32).map(|v| self.edges(v).iter().map(|edge| edge.weight).sum()).collect()
    }

    /// The graph in which the vertices of each cluster are merged into one. `cluster_of` goes from
    /// 0 to `clusters - 1`.
    pub fn contract(&self, cluster_of: &[u32], clusters: usize) -> Graph {
        let (first, members) = group(cluster_of, clusters);
        let mut coarse = Graph {
            start: Vec::with_capacity(clusters + 1),
            // More than needed, but the vector never has to grow. Memory that is never written
            // costs nothing.
            edges: Vec::with_capacity(self.edges.len()),
            sizes: Vec::with_capacity(clusters),
            whole: self.whole,
        };
        coarse.start.push(0);
        // One more than the position of the edge to each cluster, if the row being written has one.
        let mut place = vec![0; clusters];
        for cluster in 0..clusters {
            let row = coarse.edges.len();
            let mut size = 0.0;
            for &member in &members[first[cluster] as usize..first[cluster + 1] as usize] {
                size += self.sizes[member as usize];
                for edge in self.edges(member) {
                    let to = cluster_of[edge.to as usize];
                    if to as usize == cluster {
                        continue;
                    }
                    let place = &mut place[to as usize];
                    if *place as usize > row {
                        coarse.edges[*place as usize - 1].weight += edge.weight;
                    } else {
                        coarse.edges.push(Edge { to, weight: edge.weight });
                        *place = coarse.edges.len() as u32;
                    }
                }
            }
            coarse.sizes.push(size);
            coarse.start.push(coarse.edges.len() as u32);
        }
        coarse.edges.shrink_to_fit();
        coarse
    }

    /// The vertices alone.
    pub fn without_edges(&self, vertices: &[u32]) -> Graph {
        Graph {
            start: vec![0; vertices.len() + 1],
            edges: Vec::new(),
            sizes: vertices.iter().map(|&vertex| self.sizes[vertex as usize]).collect(),
            whole: self.whole,
        }
    }

    /// The part of the graph that `vertices` span. `local` must hold, for each of them, its
    /// position in `vertices`, and `inside` distinguishes them from all others.
    pub fn induced(&self, vertices: &[u32], local: &[u32], inside: impl Fn(u32) -> bool) -> Graph {
        let mut part = Graph {
            start: Vec::with_capacity(vertices.len() + 1),
            edges: Vec::new(),
            sizes: vertices.iter().map(|&vertex| self.sizes[vertex as usize]).collect(),
            whole: self.whole,
        };
        part.start.push(0);
        for &vertex in vertices {
            for edge in self.edges(vertex) {
                if inside(edge.to) {
                    part.edges.push(Edge { to: local[edge.to as usize], weight: edge.weight });
                }
            }
            part.start.push(part.edges.len() as u32);
        }
        part
    }
}

/// The members of each group, group by group: where each group begins, and the list of all members.
pub fn group(group_of: &[u32], groups: usize) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0u32; groups + 1];
    for &group in group_of {
        first[group as usize + 1] += 1;
    }
    for group in 0..groups {
        first[group + 1] += first[group];
    }
    let mut next = first.clone();
    let mut members = vec![0u32; group_of.len()];
    for (member, &group) in (0u32..).zip(group_of) {
        let place = &mut next[group as usize];
        members[*place as usize] = member;
        *place += 1;
    }
    (first, members)
}

#[cfg(test)]
pub mod examples {
    use super::*;

    /// A grid of `rows` x `columns`, all weights and sizes 1.
    pub fn grid(rows: u32, columns: u32) -> Graph {
        let mut graph = Graph {
            start: vec![0],
            edges: Vec::new(),
            sizes: vec![1.0; (rows * columns) as usize],
            whole: true,
        };
        for row in 0..rows {
            for column in 0..columns {
                let mut add = |there: bool, to: u32| {
                    if there {
                        graph.edges.push(Edge { to, weight: 1.0 });
                    }
                };
                let at = row * columns + column;
                add(row > 0, at.wrapping_sub(columns));
                add(column > 0, at.wrapping_sub(1));
                add(column + 1 < columns, at + 1);
                add(row + 1 < rows, at + columns);
                graph.start.push(graph.edges.len() as u32);
            }
        }
        graph
    }

    /// One vertex that has an edge to each of the others, all weights and sizes 1.
    pub fn star(others: u32) -> Graph {
        let edge = |to| Edge { to, weight: 1.0 };
        let edges = (1..=others).map(edge).chain((0..others).map(|_| edge(0))).collect();
        let start = std::iter::once(0).chain(others..=2 * others).collect();
        Graph { start, edges, sizes: vec![1.0; others as usize + 1], whole: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contraction_adds_up_edges_and_sizes_and_drops_what_is_inside() {
        // A square 0-1-3-2: its left and its right column are merged into one vertex each.
        let coarse = examples::grid(2, 2).contract(&[0, 1, 0, 1], 2);
        assert_eq!(coarse.sizes, [2.0, 2.0]);
        assert_eq!(coarse.edges(0), [Edge { to: 1, weight: 2.0 }]);
        assert_eq!(coarse.edges(1), [Edge { to: 0, weight: 2.0 }]);
    }

    #[test]
    fn an_induced_part_keeps_the_edges_inside() {
        let part = examples::grid(2, 3)
            .induced(&[1, 2, 5], &[9, 0, 1, 9, 9, 2], |v| [1, 2, 5].contains(&v));
        assert_eq!(part.start, [0, 1, 3, 4]);
        assert_eq!(part.edges(1).iter().map(|edge| edge.to).collect::<Vec<_>>(), [0, 2]);
    }
}
