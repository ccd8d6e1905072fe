//! Tags that tell messages of different communicators apart.

use std::collections::{HashMap, HashSet};

use topoloom_core::trace::NAMES_END;

/// Gives every tag of every communicator its own number, because a trace knows only tags.
#[derive(Default)]
pub struct Tags {
    numbers: HashMap<(u32, u32), u32>,
    taken: HashSet<u32>,
    /// How many numbers were given from the top.
    given: u32,
}

impl Tags {
    /// The number of a communicator's tag: the tag itself for the first communicator that uses it,
    /// for others a number from the top, above all MPI tags.
    pub fn number(&mut self, communicator: u32, tag: u32) -> u32 {
        if let Some(&number) = self.numbers.get(&(communicator, tag)) {
            return number;
        }
        let mut number = tag;
        while number >= NAMES_END || !self.taken.insert(number) {
            self.given += 1;
            number = NAMES_END - self.given;
        }
        self.numbers.insert((communicator, tag), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_tag_of_another_communicator_is_another_number() {
        let mut tags = Tags::default();
        assert_eq!(
            [tags.number(0, 5), tags.number(1, 5), tags.number(2, 5)],
            [5, NAMES_END - 1, NAMES_END - 2]
        );
        assert_eq!([tags.number(1, 5), tags.number(1, 6)], [NAMES_END - 1, 6]);
        // A communicator that uses such a tag gets the next one, and so does one with a tag beyond
        // all.
        assert_eq!(tags.number(0, NAMES_END - 1), NAMES_END - 3);
        assert_eq!(tags.number(0, u32::MAX), NAMES_END - 4);
    }
}
