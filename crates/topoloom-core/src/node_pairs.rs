//! What each pair of nodes exchanges, added up.

/// A sum: a weight, and the number of flows in it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Tally {
    pub weight: f64,
    pub flows: u64,
}

impl Tally {
    /// One flow.
    pub fn one(weight: f64) -> Tally {
        Tally { weight, flows: 1 }
    }

    pub fn add(&mut self, other: Tally) {
        self.weight += other.weight;
        self.flows += other.flows;
    }
}

/// One pair of different nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NodePair {
    pub low: u32,
    pub high: u32,
    /// From the lower node to the higher.
    pub up: Tally,
    /// From the higher node to the lower.
    pub down: Tally,
}

/// Transfers between nodes, gathered by the lower one. This is a counting sort, because a
/// comparison sort takes longer than the rest of the scoring.
pub(crate) struct NodePairs<V> {
    nodes: usize,
    row_start: Vec<usize>,
    /// The higher node and, in the lowest bit, whether it sends.
    other: Vec<u32>,
    value: Vec<V>,
}

impl<V: Copy + Default> NodePairs<V> {
    /// Gathers the transfers (from, to, value) that `each` produces, twice in the same order.
    /// Transfers from a node to itself are left out.
    pub fn gather(nodes: usize, each: impl Fn(&mut dyn FnMut(u32, u32, V))) -> Self {
        let mut row_start = vec![0usize; nodes + 2];
        each(&mut |from, to, _| {
            if from != to {
                row_start[from.min(to) as usize + 2] += 1;
            }
        });
        for node in 2..nodes + 2 {
            row_start[node] += row_start[node - 1];
        }
        let count = row_start[nodes + 1];
        let (mut other, mut value) = (vec![0; count], vec![V::default(); count]);
        each(&mut |from, to, sent| {
            if from != to {
                // Each row grows from its start, which is stored one place further on for now.
                let place = &mut row_start[from.min(to) as usize + 1];
                other[*place] = from.max(to) << 1 | u32::from(from > to);
                value[*place] = sent;
                *place += 1;
            }
        });
        NodePairs { nodes, row_start, other, value }
    }

    /// Visits each pair once, in ascending order of the lower, then the higher node.
    pub fn for_each(&self, tally_of: impl Fn(V) -> Tally, mut visit: impl FnMut(NodePair)) {
        // By higher node: both directions, up and down.
        let mut sums = vec![[Tally::default(); 2]; self.nodes];
        let mut touched = Vec::new();
        for low in 0..self.nodes {
            let row = self.row_start[low]..self.row_start[low + 1];
            for (&other, &value) in self.other[row.clone()].iter().zip(&self.value[row]) {
                let sums = &mut sums[(other >> 1) as usize];
                if sums[0].flows + sums[1].flows == 0 {
                    touched.push(other >> 1);
                }
                sums[(other & 1) as usize].add(tally_of(value));
            }
            touched.sort_unstable();
            for high in touched.drain(..) {
                let [up, down] = std::mem::take(&mut sums[high as usize]);
                visit(NodePair { low: low as u32, high, up, down });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_add_up_by_pair_and_direction() {
        let transfers = [(2, 0, 1.0), (1, 1, 9.0), (0, 2, 5.0), (3, 2, 7.0), (2, 0, 3.0)];
        let each = |visit: &mut dyn FnMut(u32, u32, f64)| {
            transfers.iter().for_each(|&(from, to, weight)| visit(from, to, weight));
        };
        let mut found = Vec::new();
        NodePairs::gather(4, each).for_each(Tally::one, |pair| found.push(pair));
        let tally = |weight, flows| Tally { weight, flows };
        let expected = [
            NodePair { low: 0, high: 2, up: tally(5.0, 1), down: tally(4.0, 2) },
            NodePair { low: 2, high: 3, up: tally(0.0, 0), down: tally(7.0, 1) },
        ];
        assert_eq!(found, expected);
    }
}
