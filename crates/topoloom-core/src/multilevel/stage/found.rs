//! A division that a search found.

use crate::crew::{Packed, Reader};

/// A division that was found, and how good it is.
pub(super) struct Found {
    pub(super) overload: f64,
    pub(super) cost: f64,
    pub(super) block_of: Vec<u32>,
}

impl Found {
    /// Less is better.
    pub(super) fn rank(&self) -> (f64, f64) {
        (self.overload, self.cost)
    }
}

impl Packed for Found {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.overload.pack(bytes);
        self.cost.pack(bytes);
        self.block_of.pack(bytes);
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let (overload, cost, block_of) = <(f64, f64, Vec<u32>)>::unpack(from)?;
        Some(Found { overload, cost, block_of })
    }
}
