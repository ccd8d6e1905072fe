//! Which rank sends to which, seen from both ends.

use crate::problem::Problem;

/// What a rank sends to a partner and receives from it.
#[derive(Debug, Clone, Copy)]
pub struct Partner {
    pub rank: u32,
    pub sends: f64,
    pub receives: f64,
}

/// The partners of every rank, in compressed rows.
pub struct Partners {
    start: Vec<u32>,
    partners: Vec<Partner>,
}

impl Partners {
    pub fn new(problem: &Problem) -> Partners {
        let graph = problem.graph();
        let mut start = vec![0u32];
        let mut partners = Vec::with_capacity(2 * graph.num_pairs());
        for rank in 0..graph.num_ranks() as u32 {
            let row = graph.partners(rank).iter();
            partners.extend(row.map(|&rank| Partner { rank, sends: 0.0, receives: 0.0 }));
            start.push(partners.len() as u32);
        }
        problem.traffic().for_each_flow(problem.weight(), |from, to, weight| {
            // Pairs without weight are not in the graph.
            if from == to || weight == 0.0 {
                return;
            }
            let place = |of: u32, partner: u32| {
                let at = graph.partners(of).binary_search(&partner).expect("a pair with weight");
                start[of as usize] as usize + at
            };
            partners[place(from, to)].sends = weight;
            partners[place(to, from)].receives = weight;
        });
        Partners { start, partners }
    }

    /// The partners of a rank; a phantom has none.
    #[inline]
    pub fn of(&self, rank: u32) -> &[Partner] {
        match self.start.get(rank as usize + 1) {
            Some(&end) => &self.partners[self.start[rank as usize] as usize..end as usize],
            None => &[],
        }
    }

    /// What each node sends to each other node, if anything.
    pub fn between_nodes(&self, node_of: &[u32], nodes: usize) -> Vec<(u32, u32, f64)> {
        let ranks = self.start.len() - 1;
        let mut on_node: Vec<u32> = (0..ranks as u32).collect();
        on_node.sort_unstable_by_key(|&rank| (node_of[rank as usize], rank));
        let mut sums = vec![0.0; nodes];
        let mut touched: Vec<u32> = Vec::new();
        let mut between = Vec::new();
        for group in on_node.chunk_by(|&a, &b| node_of[a as usize] == node_of[b as usize]) {
            let home = node_of[group[0] as usize];
            for partner in group.iter().flat_map(|&rank| self.of(rank)) {
                let node = node_of[partner.rank as usize];
                if node == home || partner.sends == 0.0 {
                    continue;
                }
                if sums[node as usize] == 0.0 {
                    touched.push(node);
                }
                sums[node as usize] += partner.sends;
            }
            touched.sort_unstable();
            for node in touched.drain(..) {
                between.push((home, node, std::mem::take(&mut sums[node as usize])));
            }
        }
        between
    }
}
