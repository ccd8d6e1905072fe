//! The collectives that programs name by number.

use crate::traffic::{Collective, Group, Operation};

/// Collectives, each kept once however often it is called.
#[derive(Debug, Default)]
pub struct Calls(Vec<Collective>);

impl Calls {
    /// The number of this collective; a new one if it was not named before.
    pub fn number(&mut self, operation: Operation, group: &Group, bytes: u64) -> u32 {
        let collective = Collective { operation, group: group.clone(), calls: 1, bytes };
        let known = self.0.iter().position(|known| *known == collective);
        known.map_or_else(|| self.add(collective), |number| number as u32)
    }

    /// The numbers of broadcasts of these sizes, in this order.
    pub fn broadcasts(&mut self, group: &Group, sizes: &[u64]) -> Vec<u32> {
        sizes.iter().map(|&bytes| self.number(Operation::Broadcast, group, bytes)).collect()
    }

    /// The number of a collective that is known to be new. A comparison with thousands of others,
    /// or with large tables, would take long.
    pub fn add(&mut self, collective: Collective) -> u32 {
        self.0.push(collective);
        self.0.len() as u32 - 1
    }

    pub fn into_list(self) -> Vec<Collective> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_called_again_keeps_its_number() {
        let mut calls = Calls::default();
        let world = Group::first(4);
        assert_eq!(calls.broadcasts(&world, &[4, 8, 4]), [0, 1, 0]);
        assert_eq!(calls.number(Operation::Reduce, &world, 4), 2);
        assert_eq!(calls.number(Operation::Broadcast, &Group::first(3), 4), 3);
    }
}
