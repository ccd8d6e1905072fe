//! What a flow puts on the links of a box, which depends only on the offset between its ends.
//!
//! All nodes of a torus look alike, and on a mesh a route between two nodes looks like the route
//! between any other two with the same offset. So each offset is routed once.

use super::half::{Half, halves};
use super::kept::Kept;
use super::spread::{Split, spread};
use crate::ids::{LinkId, Vertex};
use crate::topology::{Lattice, Topology};

/// The share of a flow that crosses a link.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// The node that the link leaves, relative to the source, in each half of the dimensions.
    from_source: [u16; 2],
    port: u8,
    share: f64,
}

/// The footprints of all offsets, each computed when it is first needed.
#[derive(Debug)]
pub struct Footprints {
    lattice: Lattice,
    split: Split,
    /// The first dimensions and the others: a sum of coordinates takes two table lookups.
    halves: [Half; 2],
    by_offset: Kept<Mark>,
}

impl Footprints {
    /// The footprints on a lattice; `None` if it is too large to keep any.
    pub fn new(lattice: Lattice, split: Split) -> Option<Footprints> {
        let halves = halves(&lattice)?;
        let by_offset = Kept::new(halves[0].num_offsets().checked_mul(halves[1].num_offsets())?)?;
        Some(Footprints { lattice, split, halves, by_offset })
    }

    /// Visits every link that traffic from `from` to `to` crosses, with its share.
    #[inline]
    pub fn for_each(
        &self,
        topology: &dyn Topology,
        from: u32,
        to: u32,
        mut visit: impl FnMut(LinkId, f64),
    ) {
        if from == to {
            return;
        }
        let [low, high] = &self.halves;
        let source = [from % low.size(), from / low.size()];
        let target = [to % low.size(), to / low.size()];
        let offset = low.offset(source[0], target[0])
            + low.num_offsets() * high.offset(source[1], target[1]);
        let (low_sums, high_sums) = (low.sums(source[0]), high.sums(source[1]));
        let ports = 2 * self.lattice.lengths.len() as u32;
        let put_down = |marks: &[Mark]| {
            for mark in marks {
                let [low_step, high_step] = mark.from_source.map(usize::from);
                let node =
                    u32::from(low_sums[low_step]) + low.size() * u32::from(high_sums[high_step]);
                visit(LinkId(u64::from(node * ports + u32::from(mark.port))), mark.share);
            }
        };
        self.by_offset.with(offset, || self.make(topology, from, to), put_down);
    }

    /// Routes between two nodes, and expresses everything relative to the source.
    fn make(&self, topology: &dyn Topology, from: u32, to: u32) -> Vec<Mark> {
        let [low, high] = &self.halves;
        let ports = 2 * self.lattice.lengths.len() as u64;
        let mut marks = Vec::new();
        spread(topology, Vertex(from), Vertex(to), self.split, &mut |link, share| {
            let node = (link.0 / ports) as u32;
            let from_source = [
                low.steps(from % low.size(), node % low.size()),
                high.steps(from / low.size(), node / low.size()),
            ];
            marks.push(Mark { from_source, port: (link.0 % ports) as u8, share });
        });
        marks
    }
}
