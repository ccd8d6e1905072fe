//! What a flow puts on the links of a box, by the offset between its ends alone.
//!
//! All nodes of a torus look alike, and on a mesh a route between two nodes looks like that
//! between any other two with the same offset. So each offset is routed once.

use super::kept::Kept;
use super::spread::{Split, spread};
use crate::ids::{LinkId, Vertex};
use crate::topology::{Lattice, MOST_DIMENSIONS, Topology};

type Coordinates = [i16; MOST_DIMENSIONS];

/// The share of a flow that crosses a link.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// The node that the link leaves, in steps from the source.
    steps: Coordinates,
    port: u8,
    share: f64,
}

/// The footprints of all offsets, each made when it is first asked for.
#[derive(Debug)]
pub struct Footprints {
    lattice: Lattice,
    split: Split,
    /// Of each dimension, what a coordinate adds to the number of a node; it may lie one length
    /// below or above the box.
    places: Vec<Vec<u32>>,
    by_offset: Kept<Mark>,
}

impl Footprints {
    /// The footprints on a lattice; `None` if it is too large to keep any.
    pub fn new(lattice: Lattice, split: Split) -> Option<Footprints> {
        let spans = || lattice.lengths.iter().map(|&length| span(&lattice, length) as usize);
        let offsets = spans().try_fold(1usize, |product, span| product.checked_mul(span))?;
        let fits = lattice.lengths.iter().all(|&length| length <= i16::MAX as u32);
        let by_offset = Kept::new(offsets).filter(|_| fits)?;
        let mut stride = 1;
        let mut places = Vec::new();
        for &length in &lattice.lengths {
            places.push((0..3 * length).map(|place| place % length * stride).collect());
            stride *= length;
        }
        Some(Footprints { lattice, split, places, by_offset })
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
        let source = self.lattice.coordinates(from);
        let offset = self.offset(source, self.lattice.coordinates(to));
        let ports = 2 * self.lattice.lengths.len() as u64;
        let put_down = |marks: &[Mark]| {
            for mark in marks {
                let mut node = 0;
                for (dimension, places) in self.places.iter().enumerate() {
                    let length = self.lattice.lengths[dimension] as i32;
                    let place = i32::from(source[dimension]) + i32::from(mark.steps[dimension]);
                    node += places[(place + length) as usize];
                }
                visit(LinkId(u64::from(node) * ports + u64::from(mark.port)), mark.share);
            }
        };
        self.by_offset.with(self.index(offset), || self.make(topology, offset), put_down);
    }

    /// Steps from one node to another, as few as it takes; upwards where both ways round are as
    /// long.
    fn offset(&self, from: Coordinates, to: Coordinates) -> Coordinates {
        let mut offset = [0; MOST_DIMENSIONS];
        for (dimension, &length) in self.lattice.lengths.iter().enumerate() {
            let steps = to[dimension] - from[dimension];
            let length = length as i16;
            offset[dimension] = if self.lattice.wraps { steps.rem_euclid(length) } else { steps };
        }
        offset
    }

    fn index(&self, offset: Coordinates) -> usize {
        let mut index = 0;
        for (dimension, &length) in self.lattice.lengths.iter().enumerate().rev() {
            let lowest = if self.lattice.wraps { 0 } else { length as i32 - 1 };
            let digit = (i32::from(offset[dimension]) + lowest) as usize;
            index = index * span(&self.lattice, length) as usize + digit;
        }
        index
    }

    /// Routes one offset, from where there is room for it.
    fn make(&self, topology: &dyn Topology, offset: Coordinates) -> Vec<Mark> {
        let source = offset.map(|steps| (-steps).max(0));
        let mut target = source;
        for (at, steps) in target.iter_mut().zip(offset) {
            *at += steps;
        }
        let ports = 2 * self.lattice.lengths.len() as u64;
        let mut marks = Vec::new();
        let (from, to) = (self.lattice.node(source), self.lattice.node(target));
        spread(topology, Vertex(from), Vertex(to), self.split, &mut |link, share| {
            let mut steps = self.lattice.coordinates((link.0 / ports) as u32);
            for (at, start) in steps.iter_mut().zip(source) {
                *at -= start;
            }
            marks.push(Mark { steps, port: (link.0 % ports) as u8, share });
        });
        marks
    }
}

/// How many different offsets a dimension of this length has.
fn span(lattice: &Lattice, length: u32) -> u32 {
    if lattice.wraps { length } else { 2 * length - 1 }
}
