//! A machine as folds see it: dimensions with a length, each a path, a ring or free.

use crate::ids::Vertex;
use crate::machine::Machine;
use crate::topology::MetricKind;

/// What a step along a dimension costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// The difference of the coordinates.
    Path,
    /// The same, or the way round the ring.
    Ring,
    /// Nothing: the slots of one node.
    Free,
}

/// One dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dimension {
    pub(super) length: u32,
    pub(super) kind: Kind,
    /// What one step adds to the number of the slot.
    pub(super) stride: u32,
}

impl Dimension {
    /// Hops between two positions.
    #[inline]
    pub(super) fn hops(&self, from: u32, to: u32) -> u32 {
        let straight = from.abs_diff(to);
        match self.kind {
            Kind::Path => straight,
            Kind::Ring => straight.min(self.length - straight),
            Kind::Free => 0,
        }
    }
}

/// The dimensions of a machine whose nodes fill a box, the slots of a node among them.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// Those longer than 1.
    pub(super) dimensions: Vec<Dimension>,
    /// Which of them counts layers, if each node is wired to each node of the next layer.
    pub(super) layers: Option<usize>,
}

impl Shape {
    /// The shape of a machine, if its nodes fill a box.
    pub(super) fn of(machine: &Machine) -> Option<Shape> {
        let lengths = machine.topology().grid_lengths()?;
        let layered = matches!(machine.metric(), MetricKind::Haec(_));
        let slots = machine.slots_per_node();
        let mut dimensions = vec![Dimension { length: slots, kind: Kind::Free, stride: 1 }];
        let mut nodes_below = 1;
        for &length in lengths {
            // The far end is one hop away: a ring, whatever the topology calls it.
            let far_end = Vertex(nodes_below * (length - 1));
            let round = length > 2 && machine.topology().distance(Vertex(0), far_end) == 1;
            let kind = if round { Kind::Ring } else { Kind::Path };
            dimensions.push(Dimension { length, kind, stride: nodes_below * slots });
            nodes_below *= length;
        }
        let last_stride = dimensions[dimensions.len() - 1].stride;
        dimensions.retain(|dimension| dimension.length > 1);
        let layers = dimensions.iter().position(|dimension| {
            layered && dimension.stride == last_stride && dimension.kind != Kind::Free
        });
        Some(Shape { dimensions, layers })
    }
}
