//! Tags that tell messages of different communicators apart.

use std::collections::{HashMap, HashSet};

use topoloom_core::trace::COLLECTIVE_TAG;

/// Gives every tag of every communicator a number of its own, for a trace knows tags alone.
#[derive(Default)]
pub struct Tags {
    numbers: HashMap<(u32, u32), u32>,
    taken: HashSet<u32>,
    /// How many were given from the top.
    given: u32,
}

impl Tags {
    /// The number of a communicator's tag: the tag itself for the first communicator that uses it,
    /// for others one from the top, where no tag of MPI is.
    pub fn number(&mut self, communicator: u32, tag: u32) -> u32 {
        if let Some(&number) = self.numbers.get(&(communicator, tag)) {
            return number;
        }
        let mut number = tag;
        while number == COLLECTIVE_TAG || !self.taken.insert(number) {
            self.given += 1;
            number = COLLECTIVE_TAG - self.given;
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
            [5, u32::MAX - 1, u32::MAX - 2]
        );
        assert_eq!([tags.number(1, 5), tags.number(1, 6)], [u32::MAX - 1, 6]);
        // Whoever uses such a tag gets the next one, and nobody that of collectives.
        assert_eq!(tags.number(0, u32::MAX - 1), u32::MAX - 3);
        assert_eq!(tags.number(0, u32::MAX), u32::MAX - 4);
    }
}
