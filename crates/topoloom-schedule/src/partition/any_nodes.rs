//! The free nodes with the lowest numbers.

use topoloom_core::Entry;

use super::entry::PartitionEntry;
use super::interface::{Partition, PartitionPolicy, Request};
use crate::node_set::NodeSet;

/// The registry's entry.
pub static ENTRY: PartitionEntry = Entry {
    name: "any-nodes",
    summary: "the free nodes with the lowest numbers; any machine",
    example: "any-nodes",
    parameters: &[],
    build: |spec, _| {
        spec.no_shape()?;
        Ok(Box::new(AnyNodes))
    },
};

#[derive(Debug)]
struct AnyNodes;

impl PartitionPolicy for AnyNodes {
    fn find(&mut self, request: &Request, free: &NodeSet) -> Option<Partition> {
        if request.nodes > free.len() {
            return None;
        }
        let nodes = free.iter().take(request.nodes as usize).collect();
        Some(Partition { nodes, lengths: None })
    }

    fn takes_any_nodes(&self) -> bool {
        true
    }
}
