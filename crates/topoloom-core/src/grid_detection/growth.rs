//! Grows a grid from one rank: a rank beside two placed ranks gets a place too.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use super::frame::Frame;
use super::logical::MOST_AXES;
use super::neighbours::{Neighbours, common};
use crate::clock::Clock;
use crate::pace::Pace;

/// A place on an endless grid; rings are unrolled.
pub(super) type Position = [i32; MOST_AXES];

/// The place of each rank that found one; growth starts from `seed`.
pub(super) fn grow(
    neighbours: &Neighbours,
    seed: &Frame,
    clock: &Clock<'_>,
) -> Vec<Option<Position>> {
    let mut growth = Growth {
        neighbours,
        axes: seed.axes(),
        position: vec![None; neighbours.ranks()],
        occupant: HashMap::default(),
        to_try: VecDeque::new(),
        is_to_try: vec![false; neighbours.ranks()],
        doubtful: VecDeque::new(),
        undecided: VecDeque::new(),
    };
    growth.place(seed.rank, [0; MOST_AXES]);
    for (axis, &(one, other)) in seed.along.iter().enumerate() {
        growth.place(one, step([0; MOST_AXES], axis, 1));
        if let Some(other) = other {
            growth.place(other, step([0; MOST_AXES], axis, -1));
        }
    }
    growth.run(clock);
    growth.position
}

/// The position one step along an axis.
pub(super) fn step(mut position: Position, axis: usize, by: i32) -> Position {
    position[axis] += by;
    position
}

struct Growth<'a> {
    neighbours: &'a Neighbours,
    axes: usize,
    position: Vec<Option<Position>>,
    occupant: HashMap<Position, u32, BuildHasherDefault<PositionHasher>>,
    /// Ranks around which something has changed.
    to_try: VecDeque<u32>,
    /// Whether a rank is in that queue: once is enough.
    is_to_try: Vec<bool>,
    /// Ranks with one neighbour in place, used only when there is nothing better.
    doubtful: VecDeque<u32>,
    /// Ranks for which several places are equally good.
    undecided: VecDeque<u32>,
}

impl Growth<'_> {
    fn run(&mut self, clock: &Clock<'_>) {
        let mut pace = Pace::default();
        while !clock.is_over_after(1, &mut pace) {
            if let Some(rank) = self.to_try.pop_front() {
                self.is_to_try[rank as usize] = false;
                match self.claim(rank) {
                    Some((place, votes)) if votes > 1 => self.place(rank, place),
                    Some(_) => self.doubtful.push_back(rank),
                    None if self.position[rank as usize].is_none() => {
                        self.undecided.push_back(rank);
                    }
                    None => {}
                }
            } else if let Some(rank) = self.doubtful.pop_front() {
                if let Some((place, _)) = self.claim(rank) {
                    self.place(rank, place);
                }
            } else if let Some(rank) = self.undecided.pop_front() {
                if let Some(place) = self.straight_on(rank).or_else(|| self.either_end(rank)) {
                    self.place(rank, place);
                }
            } else {
                return;
            }
        }
    }

    /// Puts a rank in its place and queues the ranks that this may affect: its own neighbours, and
    /// those of the ranks around the place, which is no longer free.
    fn place(&mut self, rank: u32, place: Position) {
        if self.position[rank as usize].is_some() || self.occupant.contains_key(&place) {
            return;
        }
        self.position[rank as usize] = Some(place);
        self.occupant.insert(place, rank);
        self.look_around(rank);
        for axis in 0..self.axes {
            for by in [-1, 1] {
                if let Some(&beside) = self.occupant.get(&step(place, axis, by)) {
                    self.look_around(beside);
                }
            }
        }
    }

    fn look_around(&mut self, rank: u32) {
        for &neighbour in self.neighbours.of(rank) {
            let index = neighbour as usize;
            if self.position[index].is_none() && !self.is_to_try[index] {
                self.is_to_try[index] = true;
                self.to_try.push_back(neighbour);
            }
        }
    }

    /// The place of a rank that lies straight on from two placed ranks: it has only the nearer one
    /// in common with the other. At a right angle it would have two. Along a boundary there may be
    /// no other evidence.
    fn straight_on(&self, rank: u32) -> Option<Position> {
        if self.position[rank as usize].is_some() {
            return None;
        }
        let own = self.neighbours.of(rank);
        let mut found = None;
        for &near in own {
            let Some(here) = self.position[near as usize] else { continue };
            for &far in self.neighbours.of(near) {
                let Some(there) = self.position[far as usize] else { continue };
                let apart: i32 = (0..self.axes).map(|axis| (here[axis] - there[axis]).abs()).sum();
                if apart != 1 || common(own, self.neighbours.of(far)) != 1 {
                    continue;
                }
                let mut place = here;
                (0..self.axes).for_each(|axis| place[axis] += here[axis] - there[axis]);
                if self.occupant.contains_key(&place) || found.is_some_and(|known| known != place) {
                    return None;
                }
                found = Some(place);
            }
        }
        found
    }

    /// The free place that most neighbours of a rank agree on, and how many; `None` if several
    /// places are equally good.
    fn claim(&self, rank: u32) -> Option<(Position, u32)> {
        let (places, votes) = self.best_places(rank);
        match places[..] {
            [place] => Some((place, votes)),
            _ => None,
        }
    }

    /// Any of several equal places that lie far apart: the two ends of an unrolled ring, between
    /// which the choice is arbitrary.
    fn either_end(&self, rank: u32) -> Option<Position> {
        let (places, _) = self.best_places(rank);
        let apart = |a: &Position, b: &Position| -> u32 {
            a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum()
        };
        let first = places.first()?;
        places[1..].iter().all(|place| apart(first, place) > 2).then_some(*first)
    }

    /// The free places that most neighbours of a rank agree on, and how many do.
    fn best_places(&self, rank: u32) -> (Vec<Position>, u32) {
        let mut votes: Vec<(Position, u32)> = Vec::with_capacity(16);
        if self.position[rank as usize].is_some() {
            return (Vec::new(), 0);
        }
        for &neighbour in self.neighbours.of(rank) {
            let Some(beside) = self.position[neighbour as usize] else { continue };
            for axis in 0..self.axes {
                for by in [-1, 1] {
                    let place = step(beside, axis, by);
                    match votes.iter_mut().find(|known| known.0 == place) {
                        Some(known) => known.1 += 1,
                        None if self.occupant.contains_key(&place) => {}
                        None => votes.push((place, 1)),
                    }
                }
            }
        }
        let most = votes.iter().map(|place| place.1).max().unwrap_or(0);
        let best = votes.iter().filter(|place| place.1 == most).map(|place| place.0);
        (best.collect(), most)
    }
}

/// Mixes the few words of a position; the default hasher would take longer than the growth.
#[derive(Debug, Default)]
struct PositionHasher(u64);

impl Hasher for PositionHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, _length: usize) {
        // Positions all have the same length.
    }
}
