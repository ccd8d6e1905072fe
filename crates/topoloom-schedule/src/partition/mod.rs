//! Which nodes a job gets.

mod any_nodes;
mod compact;
mod fixed;
mod free_box;
mod switches;

use std::fmt::Debug;

use topoloom_core::{Entry, Machine, Registry, Spec};

use crate::error::ScheduleError;
use crate::node_set::NodeSet;
use crate::shape::{Shape, ShapeRule};

/// What a job asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// How many nodes.
    pub nodes: u32,
    /// The boxes that it accepts, best first; none where the policy does not ask for shapes.
    pub shapes: Vec<Shape>,
}

/// The nodes that a job gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// In the order in which they are filled: rising, or through a box first dimension fastest.
    pub nodes: Vec<u32>,
    /// The lengths of the box that they are, on machines that are boxes.
    pub lengths: Option<Vec<u32>>,
}

/// Chooses nodes of a machine.
pub trait PartitionPolicy: Debug + Send {
    /// Nodes for a job, all of which are in `free`; `None` where it has to wait. The same request and
    /// the same free nodes always give the same answer.
    fn find(&mut self, request: &Request, free: &NodeSet) -> Option<Partition>;

    /// Whether [`PartitionPolicy::find`] would find some.
    fn could(&mut self, request: &Request, free: &NodeSet) -> bool {
        match self.takes_any_nodes() {
            true => request.nodes <= free.len(),
            false => self.find(request, free).is_some(),
        }
    }

    /// Whether any free nodes will do if there are enough of them, so that queues can plan by numbers.
    fn takes_any_nodes(&self) -> bool {
        false
    }

    /// Which shapes jobs ask for, if they ask for shapes.
    fn shape_rule(&self) -> Option<ShapeRule> {
        None
    }
}

/// Makes a policy for a machine, or says why the machine does not suit it.
pub type PartitionBuilder = fn(&Spec, &Machine) -> Result<Box<dyn PartitionPolicy>, ScheduleError>;

/// An entry of [`PARTITIONS`].
pub type PartitionEntry = Entry<PartitionBuilder>;

/// Every known way to choose nodes.
pub static PARTITIONS: Registry<PartitionBuilder> = Registry {
    kind: "partition policy",
    entries: &[
        &any_nodes::ENTRY,
        &fixed::ENTRY,
        &free_box::ENTRY,
        &compact::ENTRY,
        &switches::ENTRY,
    ],
    common: &[],
};

/// A partition policy that is known to suit a machine; every simulation makes its own copy.
#[derive(Debug, Clone)]
pub struct Divider {
    spec: Spec,
    machine: Machine,
}

impl Divider {
    /// The policy that `text` names, if the machine suits it.
    pub fn parse(text: &str, machine: &Machine) -> Result<Divider, ScheduleError> {
        let spec = Spec::parse(text)?;
        (PARTITIONS.find(&spec)?.build)(&spec, machine)?;
        Ok(Divider { spec, machine: machine.clone() })
    }

    /// As it was given.
    pub fn name(&self) -> String {
        self.spec.to_string()
    }

    /// A policy at the beginning of a run.
    pub fn policy(&self) -> Box<dyn PartitionPolicy> {
        let entry = PARTITIONS.find(&self.spec).expect("was found before");
        (entry.build)(&self.spec, &self.machine).expect("was built before")
    }
}

/// The box that a machine is, and whether its dimensions are rings, where distances depend on the
/// offset alone.
pub(crate) fn grid_of(
    machine: &Machine,
    policy: &'static str,
) -> Result<(Vec<u32>, bool), ScheduleError> {
    match machine.topology().lattice() {
        Some(lattice) => Ok((lattice.lengths, lattice.wraps)),
        None => Err(ScheduleError::NotForMachine {
            policy,
            needs: "a box of nodes, such as mesh:4x4x4 or torus:4x4x4",
            machine: machine.spec().to_string(),
        }),
    }
}
