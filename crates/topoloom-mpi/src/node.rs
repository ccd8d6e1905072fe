//! Which processes of the job run on the same node.

use crate::tree;

/// The node of a process, as MPI sees it: processes on one node can share memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The ranks of its processes, rising.
    pub members: Vec<usize>,
    /// The place of this process among them.
    pub index: usize,
    /// The lowest rank of every node of the job, rising.
    pub first_ranks: Vec<usize>,
}

impl Node {
    /// From the lowest rank on the node of each process.
    pub(crate) fn new(rank: usize, first_of: &[usize]) -> Node {
        let ranks = 0..first_of.len();
        let members = ranks.clone().filter(|&other| first_of[other] == first_of[rank]).collect();
        let first_ranks = ranks.filter(|&other| first_of[other] == other).collect();
        let index = (0..rank).filter(|&other| first_of[other] == first_of[rank]).count();
        Node { members, index, first_ranks }
    }

    /// How many processes run on this node.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// The rank of the process that acts for this node.
    pub fn first(&self) -> usize {
        self.members[0]
    }

    /// The processes to which this one hands what concerns all: first on other nodes, then on its
    /// own.
    pub(crate) fn below(&self) -> Vec<usize> {
        let place = self.first_ranks.iter().position(|&first| first == self.first());
        let place = place.filter(|_| self.index == 0);
        let nodes = place.into_iter().flat_map(|place| tree::below(place, self.first_ranks.len()));
        let here = tree::below(self.index, self.size()).map(|index| self.members[index]);
        nodes.map(|place| self.first_ranks[place]).chain(here).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_nodes_with_ranks_in_turn() {
        // Ranks 0, 2, 4 on one node and 1, 3 on another.
        let first_of = [0, 1, 0, 1, 0];
        let node = Node::new(3, &first_of);
        assert_eq!(node, Node { members: vec![1, 3], index: 1, first_ranks: vec![0, 1] });
        let node = Node::new(4, &first_of);
        assert_eq!((node.size(), node.index, node.first()), (3, 2, 0));
    }
    #[test]
    fn what_concerns_all_reaches_everybody_once() {
        for size in 1..40 {
            let first_of: Vec<usize> = (0..size).map(|rank| rank % 5).collect();
            let mut reached = vec![0; size];
            let mut told = vec![0];
            while let Some(rank) = told.pop() {
                reached[rank] += 1;
                told.extend(Node::new(rank, &first_of).below());
            }
            assert!(reached.iter().all(|&times| times == 1), "{size}: {reached:?}");
        }
    }
}
