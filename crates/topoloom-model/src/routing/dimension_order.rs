//! One dimension after the other.

use std::sync::Arc;

use super::entry::RoutingEntry;
use super::interface::Routing;
use super::loads::LinkLoads;
use crate::ids::{LinkId, Vertex};
use crate::spec::{Spec, SpecError};
use crate::topology::Topology;

/// Dimension order on grids, hypercubes and HAEC.
pub static ENTRY: RoutingEntry = RoutingEntry {
    name: "dimension-order",
    summary: "travels along one dimension after another; on a ring the shorter way, ties upwards",
    example: "dimension-order:zyx",
    parameters: &[],
    build: |spec, topology| Ok(Arc::new(DimensionOrder::from_spec(spec, topology)?)),
};

/// The letters of the first six dimensions.
const LETTERS: &str = "xyzuvw";

/// Settles one dimension after the other.
#[derive(Debug, Clone)]
pub struct DimensionOrder {
    order: Vec<usize>,
    name: String,
}

impl DimensionOrder {
    /// The first dimension first.
    pub fn natural(topology: &dyn Topology) -> Self {
        let dimensions = topology.grid_lengths().map_or(0, <[u32]>::len);
        DimensionOrder { order: (0..dimensions).collect(), name: "dimension-order".to_string() }
    }

    fn from_spec(spec: &Spec, topology: &dyn Topology) -> Result<Self, SpecError> {
        if topology.grid_lengths().is_none() {
            return Err(SpecError::new(
                "dimension-order: the machine has no dimensions; expected ecmp or minimal-adaptive",
            ));
        }
        let natural = Self::natural(topology);
        let Some(shape) = &spec.shape else { return Ok(natural) };
        let dimensions = natural.order.len();
        let order: Option<Vec<usize>> = shape.chars().map(|letter| LETTERS.find(letter)).collect();
        let order = order.filter(|order| {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            sorted == natural.order
        });
        match order {
            Some(order) => Ok(DimensionOrder { order, name: spec.to_string() }),
            None => Err(SpecError::new(format!(
                "dimension-order: expected each of the letters {} once, found \"{shape}\"",
                LETTERS.get(..dimensions).unwrap_or(LETTERS)
            ))),
        }
    }
}

impl Routing for DimensionOrder {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn route(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        visit: &mut dyn FnMut(LinkId, f64),
    ) {
        topology.dimension_order_route(from, to, &self.order, &mut |stretch| {
            stretch.links().for_each(|link| visit(link, 1.0));
        });
    }

    fn add_flow(
        &self,
        topology: &dyn Topology,
        from: Vertex,
        to: Vertex,
        weight: f64,
        loads: &mut LinkLoads,
    ) {
        topology.dimension_order_route(from, to, &self.order, &mut |stretch| {
            loads.add_stretch(stretch, weight);
        });
    }
}
