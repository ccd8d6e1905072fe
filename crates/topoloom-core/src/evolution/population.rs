//! The placements of an island.

use crate::crew::{Packed, Reader};
use crate::random::{self, Stream};

/// How good a placement is: what does not fit counts first, then the cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fitness {
    pub(crate) overload: f64,
    pub(crate) cost: f64,
}

impl Fitness {
    /// Worse than any placement.
    pub(super) const WORST: Fitness = Fitness { overload: f64::INFINITY, cost: f64::INFINITY };

    pub(crate) fn is_better_than(self, other: Fitness) -> bool {
        (self.overload, self.cost) < (other.overload, other.cost)
    }
}

/// A placement and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) fitness: Fitness,
    pub(super) places: Vec<u32>,
}

impl Packed for Member {
    fn pack(&self, bytes: &mut Vec<u8>) {
        self.fitness.overload.pack(bytes);
        self.fitness.cost.pack(bytes);
        self.places.pack(bytes);
    }

    fn unpack(from: &mut Reader<'_>) -> Option<Self> {
        let (overload, cost, places) = <(f64, f64, Vec<u32>)>::unpack(from)?;
        Some(Member { fitness: Fitness { overload, cost }, places })
    }
}

/// The placements of an island, in the order of their arrival.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Population {
    members: Vec<Member>,
}

impl Population {
    pub(super) fn new(members: Vec<Member>) -> Population {
        Population { members }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The best member; of equal ones the first.
    pub(super) fn best(&self) -> Option<&Member> {
        best_of(&self.members)
    }

    /// The better of two random members.
    pub(super) fn winner(&self, rng: &mut Stream) -> &Member {
        &self.members[self.winner_place(rng)]
    }

    /// Two winners, the better one first. They are different members if there are two.
    pub(super) fn parents(&self, rng: &mut Stream) -> (&Member, &Member) {
        let count = self.members.len();
        let one = self.winner_place(rng);
        let mut other = self.winner_place(rng);
        if other == one {
            other = (one + 1 + self.drawn(count.max(2) - 1, rng)) % count;
        }
        let (one, other) = (&self.members[one], &self.members[other]);
        if other.fitness.is_better_than(one.fitness) { (other, one) } else { (one, other) }
    }

    fn winner_place(&self, rng: &mut Stream) -> usize {
        let (one, other) = (self.drawn(self.len(), rng), self.drawn(self.len(), rng));
        let other_wins = self.members[other].fitness.is_better_than(self.members[one].fitness);
        if other_wins { other } else { one }
    }

    fn drawn(&self, count: usize, rng: &mut Stream) -> usize {
        random::below(rng, count as u32) as usize
    }

    /// The place that `member` should take: a free one, or that of the member most like it among
    /// those that are not better. So the population improves, and remains diverse. `None` if it is
    /// worse than all.
    pub(super) fn place_for(
        &self,
        member: &Member,
        most: usize,
        difference: impl Fn(&[u32], &[u32]) -> f64,
    ) -> Option<usize> {
        if self.members.len() < most {
            return Some(self.members.len());
        }
        let not_better = self
            .members
            .iter()
            .enumerate()
            .filter(|(_, m)| !m.fitness.is_better_than(member.fitness));
        let differences =
            not_better.map(|(place, other)| (place, difference(&member.places, &other.places)));
        differences.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
    }

    /// Puts a member where `place_for` said.
    pub(super) fn settle(&mut self, member: Member, place: usize) {
        match self.members.get_mut(place) {
            Some(old) => *old = member,
            None => self.members.push(member),
        }
    }
}

/// The best member; of equal ones the first.
pub(super) fn best_of<'a>(members: impl IntoIterator<Item = &'a Member>) -> Option<&'a Member> {
    members.into_iter().reduce(|best, member| {
        if member.fitness.is_better_than(best.fitness) { member } else { best }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(cost: f64, place: u32) -> Member {
        Member { fitness: Fitness { overload: 0.0, cost }, places: vec![place] }
    }

    fn difference(a: &[u32], b: &[u32]) -> f64 {
        f64::from(a[0].abs_diff(b[0]))
    }

    #[test]
    fn a_member_takes_the_place_of_the_most_similar_one_that_is_not_better() {
        let population = Population::new(vec![member(1.0, 10), member(5.0, 20), member(7.0, 90)]);
        let place = |cost, at| population.place_for(&member(cost, at), 3, difference);
        assert_eq!(place(4.0, 11), Some(1), "the first one is nearer, but better");
        assert_eq!(place(4.0, 80), Some(2));
        assert_eq!(place(7.0, 11), Some(2), "not worse than the worst");
        assert_eq!(place(8.0, 11), None, "worse than all");
        assert_eq!(population.place_for(&member(8.0, 1), 4, difference), Some(3), "there is room");
    }

    #[test]
    fn what_fits_is_better_than_what_is_cheap() {
        let too_full = Fitness { overload: 1.0, cost: 1.0 };
        assert!(Fitness { overload: 0.0, cost: 9.0 }.is_better_than(too_full));
    }

    #[test]
    fn parents_are_two_members_with_the_better_one_first() {
        let population = Population::new((0..5).map(|n| member(f64::from(n), n)).collect());
        let mut rng = random::stream(1, &[]);
        for _ in 0..100 {
            let (better, other) = population.parents(&mut rng);
            assert!(better.fitness.cost < other.fitness.cost);
        }
    }
}
