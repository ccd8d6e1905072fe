//! The Hilbert curve on boxes of any lengths in any number of dimensions.
//!
//! A box is walked from one corner to the corner across one axis. It is cut in two along some of
//! its axes, the sub-boxes are visited in the order of the reflected Gray code, and each is walked
//! in the same way. So every step leads to a neighbour. `subdivision` plans where the cuts are and
//! which way each sub-box is crossed. On cubes of side 2^k this is the curve of Butz ("Alternative
//! algorithm for Hilbert's space-filling curve", 1971).

use std::collections::HashMap;
use std::rc::Rc;

use super::lines::scan;
use super::subdivision::{Lengths, MAX_DIMENSIONS, Subdivision, plan};

/// The walk through a box.
pub(super) fn hilbert(lengths: &[u32]) -> Vec<u32> {
    if lengths.iter().all(|&length| length <= 2) {
        // The curve of order 1 is the Gray code itself, which is the same as scan here.
        return scan(lengths);
    }
    assert!(lengths.len() <= MAX_DIMENSIONS, "longer boxes have at most 6 dimensions");
    let volume: u32 = lengths.iter().product();
    let mut walker = Walker {
        strides: [0; MAX_DIMENSIONS],
        nodes: Vec::with_capacity(volume as usize),
        plans: HashMap::new(),
    };
    let mut padded = [1; MAX_DIMENSIONS];
    let mut stride = 1;
    for (axis, &length) in lengths.iter().enumerate() {
        padded[axis] = length;
        walker.strides[axis] = stride;
        stride *= length;
    }
    walker.walk(0, padded, 0, across(&padded));
    walker.nodes
}

/// The axis to cross the whole box along: a walk of unit steps exists along an even one, or along
/// any if all are odd. The longest of these is used.
fn across(lengths: &Lengths) -> usize {
    let longest = |even: bool| {
        (0..MAX_DIMENSIONS)
            .filter(|&axis| lengths[axis] % 2 == u32::from(!even))
            .max_by_key(|&axis| (lengths[axis], std::cmp::Reverse(axis)))
    };
    longest(true).or_else(|| longest(false)).expect("a length is even or odd")
}

struct Walker {
    strides: Lengths,
    nodes: Vec<u32>,
    plans: HashMap<(Lengths, usize), Option<Rc<Subdivision>>>,
}

impl Walker {
    /// Walks the box whose lowest node is `origin`, from the corner `start` (one bit per axis: 0
    /// low, 1 high) to the corner across `axis`.
    fn walk(&mut self, origin: u32, lengths: Lengths, start: u32, axis: usize) {
        if lengths.iter().all(|&length| length == 1) {
            self.nodes.push(origin);
            return;
        }
        let plan =
            self.plans.entry((lengths, axis)).or_insert_with(|| plan(&lengths, axis).map(Rc::new));
        let Some(plan) = plan.clone() else { return self.walk_rows(origin, &lengths, start) };
        for step in &plan.steps {
            let mut part_origin = origin;
            let mut part_lengths = lengths;
            for cut in 0..MAX_DIMENSIONS {
                let near_length = plan.near_lengths[cut];
                let far = step.part >> cut & 1 == 1;
                if near_length == lengths[cut] {
                    continue;
                }
                let length = if far { lengths[cut] - near_length } else { near_length };
                // Near is low if the walk starts low, and high if it starts high.
                let starts_high = start >> cut & 1 == 1;
                if far != starts_high {
                    part_origin += (lengths[cut] - length) * self.strides[cut];
                }
                part_lengths[cut] = length;
            }
            self.walk(part_origin, part_lengths, step.entry ^ start, step.axis);
        }
    }

    /// Row by row from the start corner: for boxes without a plan.
    fn walk_rows(&mut self, origin: u32, lengths: &Lengths, start: u32) {
        for position in scan(lengths) {
            let mut rest = position;
            let mut node = origin;
            for (axis, (&length, &stride)) in lengths.iter().zip(&self.strides).enumerate() {
                let digit = rest % length;
                rest /= length;
                let backwards = start >> axis & 1 == 1;
                node += stride * if backwards { length - 1 - digit } else { digit };
            }
            self.nodes.push(node);
        }
    }
}
