//! What the trace of one rank says.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use topoloom_core::budget;
use topoloom_core::training::Operation;

use crate::text::fault::Fault;

/// Things with how often each was seen, in the order in which they were first seen.
#[derive(Debug, Clone)]
pub(super) struct Counted<K> {
    places: HashMap<K, usize>,
    entries: Vec<(K, u64)>,
}

impl<K> Default for Counted<K> {
    fn default() -> Self {
        Counted { places: HashMap::new(), entries: Vec::new() }
    }
}

impl<K: Clone + Eq + Hash> Counted<K> {
    /// Counts a thing this many times more.
    pub fn add(&mut self, thing: K, times: u64) {
        let place = *self.places.entry(thing.clone()).or_insert(self.entries.len());
        match self.entries.get_mut(place) {
            Some((_, known)) => *known = known.saturating_add(times),
            None => self.entries.push((thing, times)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &(K, u64)> {
        self.entries.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A group of the rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnGroup {
    /// What the trace calls it.
    pub name: String,
    /// The kind of groups that it is one of.
    pub kind: String,
    /// The world ranks of its members, in the order of the group.
    pub members: Arc<[u32]>,
}

/// A call of a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct GroupCall {
    /// Which of the rank's groups.
    pub group: usize,
    pub operation: Operation,
    /// As the operation counts them.
    pub bytes: u64,
}

/// A message that the rank sent or received.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Message {
    /// Which of the rank's groups it was sent in.
    pub group: Option<usize>,
    pub from: u32,
    pub to: u32,
    pub bytes: u64,
}

/// What the trace of one rank says.
#[derive(Debug, Default)]
pub(super) struct RankTrace {
    /// The file as the user named it.
    pub file: String,
    /// The rank, if the trace tells.
    pub rank: Option<u32>,
    /// How many ranks there are, if the trace tells.
    pub world: Option<u64>,
    /// How many GPUs the rank saw; 0 if the trace does not tell.
    pub devices: u64,
    pub groups: Vec<OwnGroup>,
    pub calls: Counted<GroupCall>,
    pub messages: Counted<Message>,
    /// What is not counted, with how many calls it concerns.
    pub left_out: BTreeMap<String, u64>,
    /// What is counted in a way that the user should know, with how many calls it concerns.
    pub notes: BTreeMap<String, u64>,
}

impl RankTrace {
    pub fn leave_out(&mut self, what: impl Into<String>, times: u64) {
        *self.left_out.entry(what.into()).or_default() += times;
    }

    pub fn note(&mut self, what: impl Into<String>, times: u64) {
        *self.notes.entry(what.into()).or_default() += times;
    }

    /// The only rank that is in all of its groups.
    pub fn rank_in_all_groups(&self) -> Option<u32> {
        let (first, others) = self.groups.split_first()?;
        let mut ranks: HashSet<u32> = first.members.iter().copied().collect();
        for group in others {
            ranks = group.members.iter().copied().filter(|rank| ranks.contains(rank)).collect();
        }
        let mut ranks = ranks.into_iter();
        ranks.next().filter(|_| ranks.next().is_none())
    }
}

/// Whether groups with this many members in total fit in memory. A trace of a few bytes may name
/// any number, so this is checked before memory is allocated.
pub(super) fn check_members(members: u64) -> Result<(), Fault> {
    // In the trace, in the list of all groups, and in sets while they are checked.
    const BYTES_EACH: u64 = 96;
    Ok(budget::memory().check_items("the members of the groups of a trace", members, BYTES_EACH)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_of_a_rank_may_have_it_alone_in_common() {
        let group = |members: &[u32]| OwnGroup {
            name: String::new(),
            kind: String::new(),
            members: Arc::from(members),
        };
        let rank = |groups: Vec<OwnGroup>| {
            RankTrace { groups, ..RankTrace::default() }.rank_in_all_groups()
        };
        assert_eq!(rank(vec![group(&[0, 1, 2, 3]), group(&[0, 2]), group(&[2, 3])]), Some(2));
        assert_eq!(rank(vec![group(&[0, 1, 2, 3]), group(&[0, 2])]), None);
        assert_eq!(rank(vec![group(&[0, 1]), group(&[2])]), None);
        assert_eq!(rank(vec![]), None);
    }
}
