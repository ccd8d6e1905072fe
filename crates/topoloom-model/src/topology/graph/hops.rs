//! Hops between any two vertices of a network.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::error::GraphError;
use crate::ids::Vertex;
use crate::topology::distance_counts::DistanceCounts;
use crate::topology::link::Link;

/// The most rows of the table, which is then 1 GiB.
const MOST_ROWS: usize = 23_170;

/// Marks two vertices without a way between them.
const UNREACHABLE: u16 = u16::MAX;

/// Hops between any two vertices. A vertex with a single neighbour is one hop farther from
/// everything than that neighbour is, so only the others need a row in the table. On most machines
/// these are the switches, not the nodes.
#[derive(Debug)]
pub struct Hops {
    places: Vec<Place>,
    rows: usize,
    /// Hops between the vertices that have rows.
    table: Vec<u16>,
    /// The largest number of hops in the table.
    farthest: usize,
    /// How many nodes each row stands for.
    nodes_of_row: Vec<RowNodes>,
    central_node: Vertex,
    /// Computed when first needed, because both take a walk over the whole table.
    ordered_pairs: OnceLock<Vec<u64>>,
    largest_ball: OnceLock<DistanceCounts>,
}

/// The entry of a vertex in the table.
#[derive(Debug, Clone, Copy)]
struct Place {
    row: u32,
    /// Hops to the vertex that has the row: 0, or 1 from its neighbour.
    beyond: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct RowNodes {
    /// 1 if the vertex that has the row is a node.
    own: u64,
    /// Nodes that are attached to it alone.
    hanging: u64,
}

impl Hops {
    /// Runs a breadth-first search from every vertex that has a row.
    pub fn new(nodes: u32, start: &[u32], links: &[Link]) -> Result<Hops, GraphError> {
        let neighbours = Neighbours { start, links };
        let (places, rows) = neighbours.places();
        if rows > MOST_ROWS {
            return Err(GraphError::TooManyDistances { vertices: rows, most: MOST_ROWS });
        }
        let mut nodes_of_row = vec![RowNodes::default(); rows];
        for place in &places[..nodes as usize] {
            let row = &mut nodes_of_row[place.row as usize];
            row.own += u64::from(place.beyond == 0);
            row.hanging += u64::from(place.beyond == 1);
        }
        let table = table(&neighbours.between_rows(&places, rows));
        let farthest = table.iter().copied().max().unwrap_or(0).into();
        let central_node = Vertex(0);
        let mut hops = Hops {
            places,
            rows,
            table,
            farthest,
            nodes_of_row,
            central_node,
            ordered_pairs: OnceLock::new(),
            largest_ball: OnceLock::new(),
        };
        hops.central_node = hops.find_central_node(nodes);
        Ok(hops)
    }

    /// Hops from one vertex to another.
    #[inline]
    pub fn between(&self, a: Vertex, b: Vertex) -> u32 {
        if a == b {
            return 0;
        }
        let (a, b) = (self.places[a.index()], self.places[b.index()]);
        let inner = self.table[a.row as usize * self.rows + b.row as usize];
        a.beyond + u32::from(inner) + b.beyond
    }

    /// Whether there is a way from one vertex to another.
    pub fn reaches(&self, a: Vertex, b: Vertex) -> bool {
        let (a, b) = (self.places[a.index()], self.places[b.index()]);
        self.table[a.row as usize * self.rows + b.row as usize] < UNREACHABLE
    }

    /// The node with the smallest sum of hops to all others.
    pub fn central_node(&self) -> Vertex {
        self.central_node
    }

    /// For each distance, how many ordered pairs of nodes are that far apart, including self pairs.
    pub fn ordered_pairs(&self) -> Vec<u64> {
        self.ordered_pairs.get_or_init(|| self.count_ordered_pairs()).clone()
    }

    fn count_ordered_pairs(&self) -> Vec<u64> {
        let mut pairs = vec![0; self.farthest + 3];
        for row in 0..self.rows {
            let RowNodes { own, hanging } = self.nodes_of_row[row];
            for (hops, count) in self.nodes_around(row).into_iter().enumerate() {
                pairs[hops] += own * count;
                if hanging > 0 && count > 0 {
                    pairs[hops + 1] += hanging * count;
                }
            }
            if hanging > 0 {
                // Through its neighbour, a node with a single neighbour would be two hops from
                // itself.
                pairs[2] -= hanging;
                pairs[0] += hanging;
            }
        }
        pairs
    }

    /// See [`Topology::largest_ball`](crate::Topology::largest_ball).
    pub fn largest_ball(&self) -> DistanceCounts {
        self.largest_ball.get_or_init(|| self.find_largest_ball()).clone()
    }

    fn find_largest_ball(&self) -> DistanceCounts {
        let mut largest = vec![0u64; self.farthest + 3];
        let mut grow = |hops: usize, within: u64| largest[hops] = largest[hops].max(within);
        for row in 0..self.rows {
            let RowNodes { own, hanging } = self.nodes_of_row[row];
            let mut within = 0;
            for (hops, count) in self.nodes_around(row).into_iter().enumerate() {
                within += count;
                if own > 0 {
                    grow(hops, within - 1);
                }
                // From a node with a single neighbour, all nodes except that neighbour are one hop
                // farther.
                if hanging > 0 && hops > 0 && hops < self.farthest + 2 {
                    grow(hops + 1, within - 1);
                }
            }
            if own > 0 && hanging > 0 {
                grow(1, 1);
            }
        }
        let mut before = 0;
        let grows = |&(_, within): &(u32, u64)| within > std::mem::replace(&mut before, within);
        let running = largest.into_iter().scan(0u64, |most, within| {
            *most = within.max(*most);
            Some(*most)
        });
        (0..).zip(running).filter(grows).collect()
    }

    /// How many nodes are at each distance from the vertex of a row.
    fn nodes_around(&self, row: usize) -> Vec<u64> {
        let mut around = vec![0; self.farthest + 3];
        for (&hops, nodes) in self.row(row).iter().zip(&self.nodes_of_row) {
            around[usize::from(hops)] += nodes.own;
            around[usize::from(hops) + 1] += nodes.hanging;
        }
        around
    }

    fn row(&self, row: usize) -> &[u16] {
        &self.table[row * self.rows..(row + 1) * self.rows]
    }

    fn find_central_node(&self, nodes: u32) -> Vertex {
        let sum = |row: usize| -> u64 {
            let counted = self.row(row).iter().zip(&self.nodes_of_row);
            counted.map(|(&hops, n)| u64::from(hops) * (n.own + n.hanging)).sum()
        };
        let sums: Vec<u64> = (0..self.rows).into_par_iter().map(sum).collect();
        // A node with a single neighbour is one hop farther from all nodes except itself, which
        // counted as one.
        let sum_of = |place: Place| {
            sums[place.row as usize] + u64::from(place.beyond) * u64::from(nodes.saturating_sub(2))
        };
        let key = |&node: &u32| (sum_of(self.places[node as usize]), node);
        Vertex((0..nodes).min_by_key(key).expect("a network has nodes"))
    }
}

/// The links of each vertex, in rows.
struct Neighbours<'a> {
    start: &'a [u32],
    links: &'a [Link],
}

impl Neighbours<'_> {
    fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Vertices at the other ends of a vertex's links, repeated for parallel links.
    fn of(&self, vertex: usize) -> impl Iterator<Item = u32> {
        let row = self.start[vertex] as usize..self.start[vertex + 1] as usize;
        self.links[row].iter().map(|link| link.to.0)
    }

    /// The only neighbour, if there is just one.
    fn only(&self, vertex: usize) -> Option<u32> {
        let first = self.of(vertex).next()?;
        self.of(vertex).all(|other| other == first).then_some(first)
    }

    /// The entry of each vertex, and the number of rows.
    fn places(&self) -> (Vec<Place>, usize) {
        let only: Vec<Option<u32>> = (0..self.len()).map(|vertex| self.only(vertex)).collect();
        // If two vertices have only each other, both have rows.
        let hangs_on =
            |vertex: usize| only[vertex].filter(|&neighbour| only[neighbour as usize].is_none());
        let mut rows = 0;
        let mut places: Vec<Place> = (0..self.len())
            .map(|vertex| {
                let place = Place { row: rows, beyond: 0 };
                rows += u32::from(hangs_on(vertex).is_none());
                place
            })
            .collect();
        for vertex in 0..self.len() {
            if let Some(neighbour) = hangs_on(vertex) {
                places[vertex] = Place { row: places[neighbour as usize].row, beyond: 1 };
            }
        }
        (places, rows as usize)
    }

    /// The rows next to each row, without vertices that are only attached to it.
    fn between_rows(&self, places: &[Place], rows: usize) -> Vec<Vec<u32>> {
        let mut next = vec![Vec::new(); rows];
        for (vertex, place) in places.iter().enumerate().filter(|(_, place)| place.beyond == 0) {
            let others = self.of(vertex).map(|other| places[other as usize]);
            let row = &mut next[place.row as usize];
            row.extend(others.filter(|other| other.beyond == 0).map(|other| other.row));
            row.sort_unstable();
            row.dedup();
        }
        next
    }
}

/// Hops between all rows. Rows are searched in parallel; each search writes its own row.
fn table(next: &[Vec<u32>]) -> Vec<u16> {
    let rows = next.len();
    let mut table = vec![UNREACHABLE; rows * rows];
    table.par_chunks_mut(rows).enumerate().for_each_init(Vec::new, |queue, (from, hops)| {
        queue.clear();
        queue.push(from as u32);
        hops[from] = 0;
        let mut done = 0;
        while let Some(&at) = queue.get(done) {
            done += 1;
            for &other in &next[at as usize] {
                if hops[other as usize] == UNREACHABLE {
                    hops[other as usize] = hops[at as usize] + 1;
                    queue.push(other);
                }
            }
        }
    });
    table
}
