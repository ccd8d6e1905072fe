//! The placements that are kept, cheapest first.

use super::symmetry::Symmetries;
use crate::mapping::Mapping;
use crate::random::{self, Stream};

/// A placement and its cost.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) cost: f64,
    pub(super) mapping: Mapping,
}

/// The placements that are kept.
pub(super) struct Population {
    /// Cheapest first; never empty.
    members: Vec<Member>,
    best: Member,
    /// Members that came since the last gain.
    stale: u64,
}

/// Two placements of the same cost that differ for at most this share of the ranks are the same.
const SAME: f64 = 0.05;

impl Population {
    /// `None` without members.
    pub(super) fn new(mut members: Vec<Member>) -> Option<Population> {
        sort(&mut members);
        let best = members.first()?.clone();
        Some(Population { members, best, stale: 0 })
    }

    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The cheapest that there ever was.
    pub(super) fn best(&self) -> &Member {
        &self.best
    }

    pub(super) fn into_best(self) -> Member {
        self.best
    }

    pub(super) fn stale(&self) -> u64 {
        self.stale
    }

    /// Two members, cheap ones more often than others.
    pub(super) fn parents(&self, rng: &mut Stream) -> (&Member, &Member) {
        let count = self.members.len() as u32;
        let mut drawn = || random::below(rng, count);
        let one = drawn().min(drawn());
        let mut other = drawn().min(drawn());
        if other == one {
            other = (one + 1 + random::below(rng, count.max(2) - 1)) % count;
        }
        (&self.members[one as usize], &self.members[other as usize])
    }

    /// Takes a member in the place of the most expensive one, if it is cheaper and new.
    pub(super) fn admit(&mut self, member: Member, symmetries: &Symmetries) {
        self.note(&member);
        let last = self.members.last().expect("a population is never empty");
        if member.cost < last.cost
            && !self.members.iter().any(|known| same(known, &member, symmetries))
        {
            self.members.pop();
            self.members.push(member);
            sort(&mut self.members);
        }
    }

    /// Takes new members in the place of all.
    pub(super) fn replace(&mut self, members: Vec<Member>) {
        members.iter().for_each(|member| self.note(member));
        if !members.is_empty() {
            self.members = members;
            sort(&mut self.members);
        }
        self.stale = 0;
    }

    fn note(&mut self, member: &Member) {
        self.stale += 1;
        if member.cost < self.best.cost * (1.0 - 1e-12) {
            self.best = member.clone();
            self.stale = 0;
        }
    }
}

/// The order of arrival decides between equal costs.
fn sort(members: &mut [Member]) {
    members.sort_by(|a, b| a.cost.total_cmp(&b.cost));
}

fn same(a: &Member, b: &Member, symmetries: &Symmetries) -> bool {
    if (a.cost - b.cost).abs() > 1e-12 * a.cost {
        return false;
    }
    let a = a.mapping.nodes();
    let b = symmetries.laid_over(&a, &b.mapping.nodes());
    let different = a.iter().zip(&b).filter(|(a, b)| a != b).count();
    different as f64 <= SAME * a.len() as f64
}
