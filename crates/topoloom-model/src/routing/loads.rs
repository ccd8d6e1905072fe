//! What each link carries.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use crate::ids::LinkId;
use crate::topology::{Lines, Stretch, Topology};

/// Up to this many link numbers per node outside lines, loads are kept in a flat array. Beyond it
/// (HAEC has hundreds per node), they are kept only for links that are used.
const FLAT_LINKS_PER_NODE: u64 = 16;

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
    /// Exact, while loads that are not whole numbers may leave a rounding error.
    flows: i64,
}

/// What links outside lines carry.
#[derive(Debug, Clone)]
enum Others {
    /// By link number.
    Flat(Vec<Tally>),
    /// Links that are used.
    Sparse(HashMap<u64, Tally, BuildHasherDefault<DefaultHasher>>),
}

/// What each directed link carries, in units of the weight.
#[derive(Debug, Clone)]
pub struct LinkLoads {
    lines: Lines,
    /// For links in lines: how much more a link carries than the one before it in its line. So a
    /// flow takes two entries per stretch, however long that is.
    differences: Vec<Tally>,
    others: Others,
    /// How many flows each flow that is added stands for.
    flows_at_once: i64,
}

impl LinkLoads {
    /// No load on any link. If flows run `straight`, the links of a line are kept together.
    pub fn new(topology: &dyn Topology, straight: bool) -> Self {
        let lines = if straight { topology.lines() } else { Lines::default() };
        let others = topology.link_id_bound() - lines.bound;
        let others = if others <= FLAT_LINKS_PER_NODE * topology.num_nodes() as u64 {
            Others::Flat(vec![Tally::default(); others as usize])
        } else {
            Others::Sparse(HashMap::default())
        };
        let differences = vec![Tally::default(); lines.bound as usize];
        LinkLoads { differences, lines, others, flows_at_once: 1 }
    }

    /// From now on, each flow that is added stands for this many between the same ends.
    pub fn count_flows_as(&mut self, flows: u64) {
        self.flows_at_once = flows as i64;
    }

    /// Adds a flow of `load` to a link.
    pub fn add(&mut self, link: LinkId, load: f64) {
        let Some(other) = link.0.checked_sub(self.lines.bound) else {
            let step = self.lines.steps[link.index() % self.lines.steps.len()];
            return self.add_difference(link.0, step, 1, load);
        };
        let tally = match &mut self.others {
            Others::Flat(tallies) => &mut tallies[other as usize],
            Others::Sparse(tallies) => tallies.entry(other).or_default(),
        };
        tally.load += load;
        tally.flows += self.flows_at_once;
    }

    /// Adds a flow of `load` to every link of a stretch. Takes O(1) in a line.
    pub fn add_stretch(&mut self, stretch: Stretch, load: f64) {
        if stretch.first.0 >= self.lines.bound {
            return stretch.links().for_each(|link| self.add(link, load));
        }
        let line = || self.lines.steps[stretch.first.index() % self.lines.steps.len()];
        let step = if stretch.step == 0 { line() } else { stretch.step.unsigned_abs() };
        debug_assert_eq!(step, line());
        let last = stretch.step * (i64::from(stretch.count) - 1);
        let lowest = stretch.first.0.min(stretch.first.0.wrapping_add_signed(last));
        self.add_difference(lowest, step, stretch.count, load);
    }

    /// Adds what the links of the same topology carry in `other`.
    pub fn add_all(&mut self, other: &LinkLoads) {
        let add = |to: &mut Tally, more: &Tally| {
            to.load += more.load;
            to.flows += more.flows;
        };
        for (to, more) in self.differences.iter_mut().zip(&other.differences) {
            add(to, more);
        }
        match (&mut self.others, &other.others) {
            (Others::Flat(to), Others::Flat(more)) => {
                to.iter_mut().zip(more).for_each(|(to, more)| add(to, more));
            }
            (Others::Sparse(to), Others::Sparse(more)) => {
                more.iter().for_each(|(&id, more)| add(to.entry(id).or_default(), more));
            }
            _ => unreachable!("the same topology keeps its loads the same way"),
        }
    }

    fn add_difference(&mut self, lowest: u64, step: u64, count: u32, load: f64) {
        let tally = &mut self.differences[lowest as usize];
        tally.load += load;
        tally.flows += self.flows_at_once;
        let after = lowest + step * u64::from(count);
        if let Some(tally) = self.differences.get_mut(after as usize) {
            tally.load -= load;
            tally.flows -= self.flows_at_once;
        }
    }

    /// Every link that carries anything, in the order of link numbers.
    pub fn into_used(mut self) -> Vec<UsedLink> {
        for (id, &step) in (0..self.differences.len()).zip(self.lines.steps.iter().cycle()) {
            let step = step as usize;
            if let Some(before) = id.checked_sub(step).map(|before| self.differences[before]) {
                self.differences[id].load += before.load;
                self.differences[id].flows += before.flows;
            }
        }
        let used = |(id, tally): (u64, Tally)| {
            let flows = u64::try_from(tally.flows).ok().filter(|&flows| flows > 0)?;
            Some(UsedLink { id: LinkId(id), load: tally.load, flows })
        };
        let bound = self.lines.bound;
        let mut links: Vec<UsedLink> = (0..).zip(self.differences).filter_map(used).collect();
        match self.others {
            Others::Flat(tallies) => links.extend((bound..).zip(tallies).filter_map(used)),
            Others::Sparse(tallies) => {
                let others = tallies.into_iter().map(|(id, tally)| (id + bound, tally));
                links.extend(others.filter_map(used));
                links.sort_unstable_by_key(|link| link.id);
            }
        }
        links
    }
}
