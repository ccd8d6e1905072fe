//! What one rank sends to another.

use super::weight::Weight;
use crate::ids::Rank;

/// What one rank sends to one other (or to itself) in the whole run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// The sender.
    pub from: Rank,
    /// The receiver.
    pub to: Rank,
    /// Bytes in total; whole numbers are exact up to 2^53.
    pub bytes: f64,
    /// Messages in total.
    pub messages: f64,
}

impl Flow {
    /// The number that `weight` selects.
    #[inline]
    pub fn weight(&self, weight: Weight) -> f64 {
        match weight {
            Weight::Bytes => self.bytes,
            Weight::Messages => self.messages,
        }
    }
}
