//! The groups of a recording, equal ones once.

use std::collections::HashMap;

use topoloom_core::traffic::Group;

/// Gives groups numbers in the order in which they come.
#[derive(Default)]
pub struct Groups<'a> {
    groups: Vec<&'a Group>,
    strided: HashMap<(u32, u32, u32), u32>,
    lists: HashMap<&'a [u32], u32>,
    /// Lists by their address: most collectives share the list of their group.
    places: HashMap<(*const u32, usize), u32>,
}

impl<'a> Groups<'a> {
    pub fn number(&mut self, group: &'a Group) -> u32 {
        let next = self.groups.len() as u32;
        let number = match group {
            Group::Strided { first, stride, size } => {
                *self.strided.entry((*first, *stride, *size)).or_insert(next)
            }
            Group::List(ranks) => {
                let place = (ranks.as_ptr(), ranks.len());
                let of_list = || *self.lists.entry(ranks).or_insert(next);
                *self.places.entry(place).or_insert_with(of_list)
            }
        };
        if number == next {
            self.groups.push(group);
        }
        number
    }

    /// The groups by their numbers.
    pub fn all(&self) -> &[&'a Group] {
        &self.groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn equal_groups_have_one_number() {
        let list = |ranks: &[u32]| Group::List(Arc::from(ranks));
        let shared = list(&[3, 1]);
        let groups = [Group::first(4), shared.clone(), list(&[3, 1]), shared, list(&[1, 3])];
        let mut found = Groups::default();
        let numbers: Vec<u32> = groups.iter().map(|group| found.number(group)).collect();
        assert_eq!(numbers, [0, 1, 1, 1, 2]);
        assert_eq!(found.number(&groups[0]), 0);
        assert_eq!(found.all().len(), 3);
    }
}
