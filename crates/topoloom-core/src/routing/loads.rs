//! What each link carries.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::ids::LinkId;
use crate::machine::Topology;

/// Up to this many link numbers a node, loads are kept in flat arrays; beyond it (HAEC has
/// hundreds a node) only for links that are used.
const DENSE_LINKS_PER_NODE: u64 = 16;

/// Links in a straight line: `first`, `first + step`, ... `count` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The first link.
    pub first: LinkId,
    /// From the number of one link to that of the next; may be negative.
    pub step: i64,
    /// How many links.
    pub count: u32,
}

impl Stretch {
    /// One link alone.
    pub fn single(link: LinkId) -> Stretch {
        Stretch { first: link, step: 0, count: 1 }
    }

    /// The links one by one.
    pub fn links(self) -> impl Iterator<Item = LinkId> {
        (0..i64::from(self.count))
            .map(move |number| LinkId(self.first.0.wrapping_add_signed(number * self.step)))
    }
}

/// A link that carries something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsedLink {
    /// The link.
    pub id: LinkId,
    /// What it carries, in units of the weight.
    pub load: f64,
    /// How many flows cross it.
    pub flows: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    load: f64,
    /// Exact, where loads that are no whole numbers may leave a rest of rounding.
    flows: i64,
}

#[derive(Debug, Clone)]
enum Store {
    /// By link number.
    Flat(Vec<Tally>),
    /// By link number, what a link carries more than the one before it in its line; so a flow
    /// takes two entries a stretch, however long it is. The second field has the step from a
    /// link to the next in its line, by link number modulo its length.
    Differences(Vec<Tally>, Vec<u64>),
    /// Links that are used.
    Sparse(HashMap<u64, Tally, BuildHasherDefault<DefaultHasher>>),
}

/// What each directed link carries, in units of the weight.
#[derive(Debug, Clone)]
pub struct LinkLoads {
    store: Store,
}

impl LinkLoads {
    /// No load on any link.
    pub fn new(topology: &dyn Topology) -> Self {
        let bound = topology.link_id_bound();
        let flat = || vec![Tally::default(); bound as usize];
        let store = if bound > DENSE_LINKS_PER_NODE * topology.num_nodes() as u64 {
            Store::Sparse(HashMap::default())
        } else {
            match topology.line_steps() {
                steps if steps.is_empty() => Store::Flat(flat()),
                steps => Store::Differences(flat(), steps),
            }
        };
        LinkLoads { store }
    }

    /// Adds a flow of `load` to a link.
    pub fn add(&mut self, link: LinkId, load: f64) {
        let change = |tally: &mut Tally| {
            tally.load += load;
            tally.flows += 1;
        };
        match &mut self.store {
            Store::Flat(tallies) => change(&mut tallies[link.index()]),
            Store::Sparse(tallies) => change(tallies.entry(link.0).or_default()),
            Store::Differences(tallies, steps) => {
                let step = steps[link.index() % steps.len()];
                add_difference(tallies, link.0, step, 1, load);
            }
        }
    }

    /// Adds a flow of `load` to every link of a stretch. Takes O(1) on meshes and tori.
    pub fn add_stretch(&mut self, stretch: Stretch, load: f64) {
        match &mut self.store {
            Store::Differences(tallies, steps) => {
                let step = steps[stretch.first.index() % steps.len()];
                debug_assert!(stretch.count == 1 || stretch.step.unsigned_abs() == step);
                let last = stretch.step * (i64::from(stretch.count) - 1);
                let lowest = stretch.first.0.min(stretch.first.0.wrapping_add_signed(last));
                add_difference(tallies, lowest, step, stretch.count, load);
            }
            _ => stretch.links().for_each(|link| self.add(link, load)),
        }
    }

    /// Every link that carries anything, by rising link number.
    pub fn into_used(self) -> Vec<UsedLink> {
        let used = |(id, tally): (u64, Tally)| UsedLink {
            id: LinkId(id),
            load: tally.load,
            flows: tally.flows.unsigned_abs(),
        };
        let is_used = |(_, tally): &(u64, Tally)| tally.flows > 0;
        match self.store {
            Store::Flat(tallies) => (0..).zip(tallies).filter(is_used).map(used).collect(),
            Store::Differences(mut tallies, steps) => {
                for id in 0..tallies.len() {
                    let step = steps[id % steps.len()] as usize;
                    if let Some(before) = id.checked_sub(step).map(|before| tallies[before]) {
                        tallies[id].load += before.load;
                        tallies[id].flows += before.flows;
                    }
                }
                (0..).zip(tallies).filter(is_used).map(used).collect()
            }
            Store::Sparse(tallies) => {
                let mut links: Vec<UsedLink> =
                    tallies.into_iter().filter(is_used).map(used).collect();
                links.sort_unstable_by_key(|link| link.id);
                links
            }
        }
    }
}

fn add_difference(tallies: &mut [Tally], lowest: u64, step: u64, count: u32, load: f64) {
    tallies[lowest as usize].load += load;
    tallies[lowest as usize].flows += 1;
    let after = lowest + step * u64::from(count);
    if let Some(tally) = tallies.get_mut(after as usize) {
        tally.load -= load;
        tally.flows -= 1;
    }
}
