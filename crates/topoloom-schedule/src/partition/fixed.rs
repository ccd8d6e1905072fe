//! Fixed blocks: the machine is halved again and again, as in a buddy system.
//!
//! Boxes are cut across their longest side, other machines by the numbers of their nodes. With
//! sides that are powers of two the blocks have 1, 2, 4, 8, ... nodes, as partitions of Blue Gene
//! had. A job gets one block, and the nodes that it does not need are lost.

use topoloom_core::Entry;

use super::entry::PartitionEntry;
use super::interface::{Partition, PartitionPolicy, Request};
use crate::box_search::BoxSearch;
use crate::node_set::NodeSet;

/// The registry's entry.
pub static ENTRY: PartitionEntry = Entry {
    name: "fixed",
    summary: "a block from a fixed set, made by halving the machine repeatedly; any machine",
    example: "fixed",
    parameters: &[],
    build: |spec, machine| {
        spec.no_shape()?;
        Ok(Box::new(match machine.topology().lattice() {
            Some(lattice) => Fixed::new(&lattice.lengths, true),
            None => Fixed::new(&[machine.num_nodes() as u32], false),
        }))
    },
};

/// A block of the machine.
#[derive(Debug)]
struct Block {
    origin: u32,
    lengths: Vec<u32>,
    volume: u32,
}

#[derive(Debug)]
struct Fixed {
    /// Smaller ones first, then by their first node.
    blocks: Vec<Block>,
    grid: BoxSearch,
    is_box: bool,
}

impl Fixed {
    fn new(lengths: &[u32], is_box: bool) -> Fixed {
        let mut blocks = Vec::new();
        let corner = vec![0; lengths.len()];
        halve(lengths, &corner, lengths, &mut blocks);
        blocks.sort_by_key(|block| (block.volume, block.origin));
        Fixed { blocks, grid: BoxSearch::new(lengths, false), is_box }
    }
}

/// Adds a box and, in turn, its halves.
fn halve(machine: &[u32], corner: &[u32], lengths: &[u32], blocks: &mut Vec<Block>) {
    let strides = machine.iter().scan(1, |stride, &length| {
        let own = *stride;
        *stride *= length;
        Some(own)
    });
    let origin = corner.iter().zip(strides).map(|(&at, stride)| at * stride).sum();
    let volume = lengths.iter().product();
    blocks.push(Block { origin, lengths: lengths.to_vec(), volume });
    if volume == 1 {
        return;
    }
    // The last of equal sides, which keeps blocks contiguous in node numbers as long as possible.
    let longest = (0..lengths.len()).max_by_key(|&at| lengths[at]).expect("a box has sides");
    let lower = lengths[longest].div_ceil(2);
    let (mut first, mut second, mut start) = (lengths.to_vec(), lengths.to_vec(), corner.to_vec());
    (first[longest], second[longest]) = (lower, lengths[longest] - lower);
    start[longest] += lower;
    halve(machine, corner, &first, blocks);
    halve(machine, &start, &second, blocks);
}

impl PartitionPolicy for Fixed {
    fn find(&mut self, request: &Request, free: &NodeSet) -> Option<Partition> {
        let large_enough = self.blocks.partition_point(|block| block.volume < request.nodes);
        for block in &self.blocks[large_enough..] {
            if block.volume > free.len() {
                return None;
            }
            // The first node is enough to rule out most blocks.
            if !free.contains(block.origin) {
                continue;
            }
            let nodes = self.grid.nodes(block.origin, &block.lengths);
            if nodes.iter().all(|&node| free.contains(node)) {
                let lengths = self.is_box.then(|| block.lengths.clone());
                return Some(Partition { nodes, lengths });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_cube_are_buddies() {
        let fixed = Fixed::new(&[4, 4, 4], true);
        let count = |volume| fixed.blocks.iter().filter(|block| block.volume == volume).count();
        // 64 blocks of 1, 32 of 2, ... 1 of 64.
        for power in 0..=6 {
            assert_eq!(count(1 << power), 64 >> power);
        }
        let eight = fixed.blocks.iter().find(|block| block.volume == 8).unwrap();
        assert_eq!(eight.lengths, [2, 2, 2]);
    }

    #[test]
    fn a_job_holds_a_whole_block_and_blocks_do_not_move() {
        let mut fixed = Fixed::new(&[8], true);
        let mut free = NodeSet::all(8);
        let ask = |nodes| Request { nodes, shapes: Vec::new() };
        let first = fixed.find(&ask(3), &free).unwrap();
        assert_eq!((&first.nodes[..], first.lengths), (&[0, 1, 2, 3][..], Some(vec![4])));
        // Nodes 1 to 4 are free, but no block of four is.
        free.remove_all(&[0, 5]);
        assert_eq!(fixed.find(&ask(3), &free), None);
        assert_eq!(fixed.find(&ask(2), &free).unwrap().nodes, [2, 3]);
    }

    #[test]
    fn odd_sides_are_cut_as_evenly_as_they_can_be() {
        let fixed = Fixed::new(&[5, 3], true);
        let mut volumes: Vec<u32> = fixed.blocks.iter().map(|block| block.volume).collect();
        volumes.dedup();
        assert_eq!(volumes, [1, 2, 3, 4, 6, 9, 15]);
        assert_eq!(fixed.blocks.iter().filter(|block| block.volume == 1).count(), 15);
    }
}
