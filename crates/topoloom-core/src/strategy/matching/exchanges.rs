//! What ranks, or clusters of them, exchange.

use crate::traffic::CommunicationGraph;

/// Undirected weights between vertices, row by row; each is in the rows of both its ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchanges {
    rows: Vec<Vec<(u32, f64)>>,
}

impl Exchanges {
    /// What ranks exchange: vertex i is rank `order[i]`, or exchanges nothing if there is none.
    pub fn of_ranks(graph: &CommunicationGraph, order: &[u32]) -> Exchanges {
        let mut vertex_of = vec![0; order.len()];
        for (vertex, &rank) in (0u32..).zip(order) {
            vertex_of[rank as usize] = vertex;
        }
        let row = |&rank: &u32| {
            if rank as usize >= graph.num_ranks() {
                return Vec::new();
            }
            let positive = graph.edges(rank).filter(|&(_, weight)| weight > 0.0);
            let mut row: Vec<(u32, f64)> =
                positive.map(|(partner, weight)| (vertex_of[partner as usize], weight)).collect();
            row.sort_by_key(|&(vertex, _)| vertex);
            row
        };
        Exchanges { rows: order.iter().map(row).collect() }
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The partners of a vertex and what it exchanges with each.
    pub fn row(&self, vertex: u32) -> &[(u32, f64)] {
        &self.rows[vertex as usize]
    }

    /// The total of all exchanges.
    pub fn total(&self) -> f64 {
        self.rows.iter().flatten().map(|&(_, weight)| weight).sum::<f64>() / 2.0
    }

    /// The same for clusters of vertices; vertices without a cluster (`NOWHERE`) are left out.
    pub fn contract(&self, cluster_of: &[u32], clusters: usize) -> Exchanges {
        let mut members = vec![Vec::new(); clusters];
        for (vertex, &cluster) in (0u32..).zip(cluster_of) {
            if cluster != NOWHERE {
                members[cluster as usize].push(vertex);
            }
        }
        let mut sums = vec![0.0; clusters];
        let mut rows = Vec::with_capacity(clusters);
        for (cluster, members) in (0u32..).zip(&members) {
            let mut touched = Vec::new();
            for &(partner, weight) in members.iter().flat_map(|&member| self.row(member)) {
                let there = cluster_of[partner as usize];
                if there == cluster || there == NOWHERE {
                    continue;
                }
                if sums[there as usize] == 0.0 {
                    touched.push(there);
                }
                sums[there as usize] += weight;
            }
            touched.sort_unstable();
            let take = |&there: &u32| (there, std::mem::take(&mut sums[there as usize]));
            rows.push(touched.iter().map(take).collect());
        }
        Exchanges { rows }
    }

    /// All pairs that exchange something, the lower one first.
    pub fn pairs(&self) -> Vec<(u32, u32, f64)> {
        let row = |a: u32| self.row(a).iter().map(move |&(b, weight)| (a, b, weight));
        (0..self.len() as u32).flat_map(row).filter(|&(a, b, _)| a < b).collect()
    }
}

/// The cluster number of vertices in no cluster.
pub const NOWHERE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_exchange_what_their_members_do() {
        let rows = vec![
            vec![(1, 2.0), (2, 3.0)],
            vec![(0, 2.0), (3, 4.0)],
            vec![(0, 3.0)],
            vec![(1, 4.0)],
        ];
        let exchanges = Exchanges { rows };
        assert_eq!(exchanges.total(), 9.0);
        assert_eq!(exchanges.contract(&[0, 0, 1, 1], 2).pairs(), [(0, 1, 7.0)]);
        assert_eq!(exchanges.contract(&[0, NOWHERE, 1, 1], 2).pairs(), [(0, 1, 3.0)]);
    }
}
