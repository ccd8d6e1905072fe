//! What every partition policy can do.

use std::fmt::Debug;

use crate::node_set::NodeSet;
use crate::shape::{Shape, ShapeRule};

/// What a job asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// How many nodes.
    pub nodes: u32,
    /// The boxes that it accepts, best first; none if the policy does not ask for shapes.
    pub shapes: Vec<Shape>,
}

/// The nodes that a job gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// In the order in which they are filled: ascending, or through a box with the first dimension
    /// fastest.
    pub nodes: Vec<u32>,
    /// The lengths of the box that they form, on machines that are boxes.
    pub lengths: Option<Vec<u32>>,
}

/// Chooses nodes of a machine.
pub trait PartitionPolicy: Debug + Send {
    /// Nodes for a job, all of which are in `free`; `None` if it has to wait. The same request and
    /// the same free nodes always give the same answer.
    fn find(&mut self, request: &Request, free: &NodeSet) -> Option<Partition>;

    /// Whether [`PartitionPolicy::find`] would find some.
    fn could(&mut self, request: &Request, free: &NodeSet) -> bool {
        match self.takes_any_nodes() {
            true => request.nodes <= free.len(),
            false => self.find(request, free).is_some(),
        }
    }

    /// Whether any free nodes will do if there are enough of them. Queues can then plan with counts
    /// alone.
    fn takes_any_nodes(&self) -> bool {
        false
    }

    /// Which shapes jobs ask for, if they ask for shapes.
    fn shape_rule(&self) -> Option<ShapeRule> {
        None
    }
}
