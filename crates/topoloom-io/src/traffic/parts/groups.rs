//! The members of communicators, assembled from what each member knows.

use std::collections::BTreeMap;

use topoloom_core::traffic::Group;

use super::part::{Known, Part};

/// What distinguishes the members of a communicator from others.
pub type Identity = (u64, u32);

/// The members of every communicator that can be known. Either one member wrote them down, or they
/// increase by the same step and all members know them. If the member that wrote them left nothing,
/// all the others together may still know them.
pub fn groups<'a>(parts: impl Iterator<Item = &'a Part> + Clone) -> BTreeMap<Identity, Group> {
    let mut known = BTreeMap::new();
    let mut own_numbers: BTreeMap<Identity, Vec<(u32, u32)>> = BTreeMap::new();
    for part in parts {
        for group in &part.groups {
            let size = group.identity.1;
            let members = match &group.members {
                Known::Strided { first, stride } => {
                    let group = Group::Strided { first: *first, stride: *stride, size };
                    let last = u64::from(size.max(1) - 1) * u64::from(*stride) + u64::from(*first);
                    (size > 0 && last < u64::from(part.size)).then_some(group)
                }
                Known::Listed(ranks) => are_members(ranks, part.size)
                    .then(|| Group::of_members(ranks.as_slice().into())),
                Known::Elsewhere => {
                    own_numbers.entry(group.identity).or_default().push((group.own, part.rank));
                    None
                }
            };
            if let Some(members) = members {
                known.entry(group.identity).or_insert(members);
            }
        }
    }
    for (identity, mut own) in own_numbers {
        own.sort_unstable();
        own.dedup();
        let complete = own.len() == identity.1 as usize
            && own.iter().enumerate().all(|(number, &(own, _))| own as usize == number);
        if complete && !known.contains_key(&identity) {
            let ranks: Vec<u32> = own.iter().map(|&(_, rank)| rank).collect();
            known.insert(identity, Group::of_members(ranks.into()));
        }
    }
    known
}

/// Whether all of them are ranks of the world, each once.
fn are_members(ranks: &[u32], size: u32) -> bool {
    let mut sorted = ranks.to_vec();
    sorted.sort_unstable();
    sorted.last().is_some_and(|&last| last < size)
        && sorted.windows(2).all(|pair| pair[0] < pair[1])
}
