//! A set of nodes, one bit per node.

/// A set of the nodes of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSet {
    words: Vec<u64>,
    count: u32,
}

impl NodeSet {
    /// All of `nodes` nodes.
    pub fn all(nodes: usize) -> NodeSet {
        let mut words = vec![u64::MAX; nodes.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !nodes.is_multiple_of(64)) {
            *last = (1 << (nodes % 64)) - 1;
        }
        NodeSet { words, count: nodes as u32 }
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> u32 {
        self.count
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether a node is in it.
    #[inline]
    pub fn contains(&self, node: u32) -> bool {
        self.words[node as usize / 64] >> (node % 64) & 1 == 1
    }

    /// Removes nodes, all of which must be in the set.
    pub fn remove_all(&mut self, nodes: &[u32]) {
        for &node in nodes {
            debug_assert!(self.contains(node), "node {node} is taken twice");
            self.words[node as usize / 64] &= !(1 << (node % 64));
        }
        self.count -= nodes.len() as u32;
    }

    /// Adds nodes, none of which may be in the set.
    pub fn insert_all(&mut self, nodes: &[u32]) {
        for &node in nodes {
            debug_assert!(!self.contains(node), "node {node} is given back twice");
            self.words[node as usize / 64] |= 1 << (node % 64);
        }
        self.count += nodes.len() as u32;
    }

    /// Keeps the nodes that are also in `other`.
    pub fn intersect(&mut self, other: &NodeSet) {
        self.count = 0;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
            self.count += word.count_ones();
        }
    }

    /// The nodes in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.words).flat_map(|(index, &word): (u32, &u64)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(index * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_go_and_come_back() {
        for nodes in [1, 63, 64, 65, 200] {
            let mut set = NodeSet::all(nodes);
            assert_eq!(set.iter().collect::<Vec<_>>(), (0..nodes as u32).collect::<Vec<_>>());
            set.remove_all(&[0]);
            assert_eq!((set.len(), set.contains(0)), (nodes as u32 - 1, false));
            set.insert_all(&[0]);
            assert_eq!(set, NodeSet::all(nodes));
        }
    }

    #[test]
    fn an_intersection_counts_what_both_have() {
        let (mut one, mut other) = (NodeSet::all(100), NodeSet::all(100));
        one.remove_all(&[3, 70]);
        other.remove_all(&[4, 70, 99]);
        one.intersect(&other);
        assert_eq!(one.len(), 96);
        assert!([3, 4, 70, 99].iter().all(|&node| !one.contains(node)));
    }
}
