//! Where ranks run: a topology, how it routes, and its slots.

use std::sync::Arc;

use crate::ids::{Slot, Vertex};
use crate::routing::{self, Routing};
use crate::spec::{Spec, SpecError};
use crate::topology::{MetricKind, TOPOLOGIES, Topology};

/// The largest number of slots a machine may have. It keeps 32-bit numbers safe everywhere.
const MAX_SLOTS: u64 = 1 << 28;

/// A topology, how it routes, and how many ranks a node can run.
#[derive(Debug, Clone)]
pub struct Machine {
    spec: String,
    topology: Arc<dyn Topology>,
    metric: Arc<MetricKind>,
    routing: Arc<dyn Routing>,
    slots_per_node: u32,
}

impl Machine {
    /// The option that names a file with what is inside each node.
    pub const NODE: &'static str = "node";

    /// Options that go with [`Machine::NODE`].
    pub const OF_NODES: [&'static str; 3] = ["place", "adapter-bandwidth", "adapter-latency"];

    /// The machine that `text` describes, with its default routing.
    ///
    /// ```
    /// use topoloom_model::{Machine, Vertex};
    /// let machine = Machine::parse("torus:4x4x4,slots=2").unwrap();
    /// assert_eq!(machine.num_slots(), 128);
    /// assert_eq!(machine.topology().distance(Vertex(0), Vertex(3)), 1);
    /// ```
    pub fn parse(text: &str) -> Result<Machine, SpecError> {
        let spec = Spec::parse(text)?;
        let entry = TOPOLOGIES.find(&spec)?;
        if let Some(file) = spec.get::<String>(Machine::NODE, "a file")? {
            let name = &spec.name;
            return Err(SpecError::new(format!(
                "{name}: the node must first be read from \"{file}\""
            )));
        }
        for key in Machine::OF_NODES {
            if spec.options.iter().any(|(known, _)| known == key) {
                let name = &spec.name;
                return Err(SpecError::new(format!("{name}: \"{key}\" needs a node=FILE")));
            }
        }
        Machine::new(&spec, || (entry.build)(&spec))
    }

    /// The machine that `text` describes, on a topology that was made elsewhere, such as one read
    /// from a file.
    pub fn with_topology(text: &str, topology: Arc<dyn Topology>) -> Result<Machine, SpecError> {
        let spec = Spec::parse(text)?;
        TOPOLOGIES.find(&spec)?;
        Machine::new(&spec, || Ok(topology))
    }

    fn new(
        spec: &Spec,
        topology: impl FnOnce() -> Result<Arc<dyn Topology>, SpecError>,
    ) -> Result<Machine, SpecError> {
        let slots_per_node = spec.get("slots", "a number of at least 1")?.unwrap_or(1u32);
        if slots_per_node == 0 {
            return Err(SpecError::new(format!(
                "{}: expected a number of at least 1 for \"slots\", found \"0\"",
                spec.name
            )));
        }
        let topology = topology()?;
        let slots = topology.num_nodes() as u64 * u64::from(slots_per_node);
        if slots > MAX_SLOTS {
            return Err(too_large(spec, u128::from(slots)));
        }
        let metric = Arc::new(MetricKind::of(&topology));
        let routing = routing::default_for(topology.as_ref());
        Ok(Machine { spec: spec.to_string(), topology, metric, routing, slots_per_node })
    }

    /// The same machine with another routing, such as `dimension-order:zyx`.
    pub fn with_routing(mut self, text: &str) -> Result<Machine, SpecError> {
        let is_known = routing::ROUTINGS.find(&Spec::parse(text)?).map(|_| ());
        if is_known.is_ok() && !self.topology.is_wired() {
            return Err(SpecError::new(format!(
                "{} has no links, so no routing can be chosen",
                self.spec
            )));
        }
        self.routing = routing::routing_for(text, self.topology.as_ref())?;
        Ok(self)
    }

    /// The same machine with one slot per node.
    pub fn with_one_slot(&self) -> Machine {
        Machine { slots_per_node: 1, ..self.clone() }
    }

    /// The specification this machine was made from.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// The nodes, the switches and the links between them.
    pub fn topology(&self) -> &dyn Topology {
        self.topology.as_ref()
    }

    /// The same, to be kept.
    pub fn shared_topology(&self) -> Arc<dyn Topology> {
        self.topology.clone()
    }

    /// How messages travel.
    pub fn routing(&self) -> &dyn Routing {
        self.routing.as_ref()
    }

    /// Distances between nodes for inner loops.
    pub fn metric(&self) -> &MetricKind {
        &self.metric
    }

    /// The number of nodes.
    pub fn num_nodes(&self) -> usize {
        self.topology.num_nodes()
    }

    /// The number of slots of all nodes.
    pub fn num_slots(&self) -> usize {
        self.num_nodes() * self.slots_per_node as usize
    }

    /// How many ranks one node can run.
    pub fn slots_per_node(&self) -> u32 {
        self.slots_per_node
    }

    /// The node that a slot belongs to.
    #[inline]
    pub fn node_of(&self, slot: Slot) -> Vertex {
        Vertex(slot.0 / self.slots_per_node)
    }
}

fn too_large(spec: &Spec, count: u128) -> SpecError {
    SpecError::new(format!("{spec} has {count} slots; at most {MAX_SLOTS} are possible"))
}
