//! The dimensions of a machine whose nodes fill a box, and walks along them.

use super::definition::NotApplicable;
use crate::machine::Machine;

/// The error on a machine whose nodes do not fill a box.
pub(super) fn no_box() -> NotApplicable {
    NotApplicable("it needs a machine whose nodes fill a box".into())
}

/// The dimensions of a machine, each with its letter; the slots of a node come last.
pub(super) struct Dimensions {
    pub lengths: Vec<u32>,
    strides: Vec<u32>,
    letters: Vec<char>,
}

impl Dimensions {
    /// Those of `machine`.
    pub fn of(machine: &Machine) -> Result<Dimensions, NotApplicable> {
        let nodes = machine.topology().grid_lengths().ok_or_else(no_box)?;
        let slots = machine.slots_per_node();
        let mut strides = Vec::with_capacity(nodes.len() + 1);
        let mut stride = slots;
        for &length in nodes {
            strides.push(stride);
            stride *= length;
        }
        strides.push(1);
        let lengths: Vec<u32> = nodes.iter().copied().chain([slots]).collect();
        // Up to three dimensions are named x, y and z as in space, more are named as on Blue Gene;
        // t is the slot.
        let names = if nodes.len() <= 3 { "xyz" } else { "abcdefghijklmnopqrsuvwxyz" };
        let letters = names.chars().take(nodes.len()).chain(['t']).collect();
        Ok(Dimensions { lengths, strides, letters })
    }

    /// The slot at these coordinates, its number on the node last.
    pub fn slot(&self, coordinates: &[u32]) -> u32 {
        coordinates.iter().zip(&self.strides).map(|(at, stride)| at * stride).sum()
    }

    /// The dimensions that letters name, slowest first. Letters from a on work on any machine.
    /// Dimensions of length 1 and slots may be left out; slots are then fastest.
    pub fn order(&self, letters: &str) -> Result<Vec<usize>, NotApplicable> {
        let nodes = self.letters.len() - 1;
        let by_alphabet: Vec<char> =
            ('a'..='z').filter(|&c| c != 't').take(nodes).chain(['t']).collect();
        let find = |names: &[char]| -> Option<Vec<usize>> {
            letters.chars().map(|letter| names.iter().position(|&name| name == letter)).collect()
        };
        let named: String = self.letters.iter().collect();
        let unknown = || {
            NotApplicable(format!(
                "{letters} does not name each dimension of the machine once: {named}"
            ))
        };
        let mut order = find(&self.letters).or_else(|| find(&by_alphabet)).ok_or_else(unknown)?;
        for dimension in 0..self.lengths.len() {
            if order.contains(&dimension) {
                continue;
            }
            if self.lengths[dimension] > 1 && dimension != nodes {
                return Err(unknown());
            }
            order.push(dimension);
        }
        Ok(order)
    }

    /// The letters of an order.
    pub fn name(&self, order: &[usize]) -> String {
        order.iter().map(|&dimension| self.letters[dimension]).collect()
    }

    /// The slots in order, with the last dimension fastest.
    pub fn walk<'a>(&'a self, order: &'a [usize], snake: bool) -> impl Iterator<Item = u32> + 'a {
        let volume: u32 = order.iter().map(|&dimension| self.lengths[dimension]).product();
        (0..volume).map(move |number| {
            let mut rest = number;
            let mut slot = 0;
            for &dimension in order.iter().rev() {
                let length = self.lengths[dimension];
                let digit = rest % length;
                rest /= length;
                let back = snake && rest % 2 == 1;
                slot += self.strides[dimension] * if back { length - 1 - digit } else { digit };
            }
            slot
        })
    }
}
