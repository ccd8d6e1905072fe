//! What an island made in a generation, for its way to other processes.

use super::population::Member;
use crate::crew::{Packed, Reader, Used};

/// A new placement.
pub(super) struct Newborn {
    pub(super) member: Member,
    /// Its place in the population. The process that makes a placement also compares it with the
    /// others: this takes long, and the other processes need only the answer.
    pub(super) place: Option<u32>,
    pub(super) used: Used,
    /// Whether it was finished in time.
    pub(super) in_time: bool,
}

impl Packed for Newborn {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.member.pack(bytes);
        self.place.pack(bytes);
        self.used.pack(bytes);
        self.in_time.pack(bytes);
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let (member, place, used, in_time) = Packed::unpack(from)?;
        Some(Newborn { member, place, used, in_time })
    }
}
