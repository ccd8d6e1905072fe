//! The ranks of a bisection and their traffic, part by part.
//!
//! A part is a range of places. Its rows are next to each other in memory, and what it exchanges
//! inside comes first in each row. A pass over a small part stays in the cache, and the passes that
//! look for exchanges never see partners that are elsewhere.

use std::ops::Range;

use super::coordinates::Point;
use crate::side_by_side;
use crate::traffic::CommunicationGraph;

/// The ranks and their traffic, part by part.
pub(super) struct Layout {
    /// The rank at each place.
    pub(super) ranks: Vec<u32>,
    /// The point of the rank at each place.
    pub(super) points: Vec<Point>,
    /// Where the row of each place begins, and the end of the last row.
    starts: Vec<usize>,
    /// How many partners of each place are in the same part.
    inside: Vec<u32>,
    /// The places of partners in the same part, then the ranks of the others.
    partners: Vec<u32>,
    weights: Vec<f32>,
}

/// What one part may write of a layout.
pub(super) struct Block<'a> {
    ranks: &'a mut [u32],
    points: &'a mut [Point],
    /// Where each row begins.
    starts: &'a mut [usize],
    inside: &'a mut [u32],
    partners: &'a mut [u32],
    weights: &'a mut [f32],
}

impl Layout {
    /// All ranks in one part, in this order.
    pub(super) fn new(graph: &CommunicationGraph, ranks: Vec<u32>, points: &[Point]) -> Self {
        let mut place_of_rank = vec![0; ranks.len()];
        for (place, &rank) in (0..).zip(&ranks) {
            place_of_rank[rank as usize] = place;
        }
        let entries = 2 * graph.num_pairs();
        let (mut partners, mut weights) =
            (Vec::with_capacity(entries), Vec::with_capacity(entries));
        let mut starts = vec![0];
        for &rank in &ranks {
            partners
                .extend(graph.partners(rank).iter().map(|&other| place_of_rank[other as usize]));
            weights.extend(graph.weights(rank).iter().map(|&weight| weight as f32));
            starts.push(partners.len());
        }
        Layout {
            inside: starts.windows(2).map(|row| (row[1] - row[0]) as u32).collect(),
            points: ranks.iter().map(|&rank| points[rank as usize]).collect(),
            ranks,
            starts,
            partners,
            weights,
        }
    }

    /// One of the same size, to be written part by part.
    pub(super) fn blank(&self) -> Self {
        Layout {
            ranks: vec![0; self.ranks.len()],
            points: vec![[0.0; _]; self.points.len()],
            starts: self.starts.clone(),
            inside: vec![0; self.inside.len()],
            partners: vec![0; self.partners.len()],
            weights: vec![0.0; self.weights.len()],
        }
    }

    /// The places of partners in the same part, with weights.
    #[inline(always)]
    pub(super) fn inside(&self, place: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let start = self.starts[place];
        self.entries(start..start + self.inside[place] as usize)
    }

    /// How many partners in the same part a place has.
    #[inline(always)]
    pub(super) fn num_inside(&self, place: usize) -> usize {
        self.inside[place] as usize
    }

    /// The ranks of partners in other parts, with weights.
    #[inline(always)]
    pub(super) fn outside(&self, place: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let start = self.starts[place] + self.inside[place] as usize;
        self.entries(start..self.starts[place + 1])
    }

    #[inline(always)]
    fn entries(&self, range: Range<usize>) -> impl Iterator<Item = (u32, f32)> + '_ {
        side_by_side(&self.partners[range.clone()], &self.weights[range])
    }

    /// The blocks of parts, which have to rise. `self` has the same parts as `previous`, because
    /// halves stay within the places and rows of their part.
    pub(super) fn blocks<'a>(
        &'a mut self,
        previous: &Layout,
        parts: impl Iterator<Item = Range<usize>>,
    ) -> Vec<Block<'a>> {
        let mut rest = Block {
            ranks: &mut self.ranks,
            points: &mut self.points,
            starts: &mut self.starts,
            inside: &mut self.inside,
            partners: &mut self.partners,
            weights: &mut self.weights,
        };
        let (mut place, mut entry) = (0, 0);
        let mut blocks = Vec::new();
        for part in parts {
            let (first, end) = (previous.starts[part.start], previous.starts[part.end]);
            rest.take(part.start - place, first - entry);
            blocks.push(rest.take(part.len(), end - first));
            (place, entry) = (part.end, end);
        }
        blocks
    }
}

impl<'a> Block<'a> {
    /// Takes the first places and entries away.
    fn take(&mut self, places: usize, entries: usize) -> Block<'a> {
        fn first<'a, T>(all: &mut &'a mut [T], count: usize) -> &'a mut [T] {
            let (first, rest) = std::mem::take(all).split_at_mut(count);
            *all = rest;
            first
        }
        Block {
            ranks: first(&mut self.ranks, places),
            points: first(&mut self.points, places),
            starts: first(&mut self.starts, places),
            inside: first(&mut self.inside, places),
            partners: first(&mut self.partners, entries),
            weights: first(&mut self.weights, entries),
        }
    }

    /// Writes a divided part: the first half, then the second. `new_places` is room for a number
    /// per member. Rows are left out if nobody will look at them.
    pub(super) fn write(
        &mut self,
        part: Range<usize>,
        in_second: &[bool],
        new_places: &mut [u32],
        previous: &Layout,
        with_rows: bool,
    ) {
        let low = in_second.iter().filter(|&&second| !second).count();
        let mut next = [part.start as u32, (part.start + low) as u32];
        for (new_place, &second) in new_places.iter_mut().zip(in_second) {
            *new_place = next[usize::from(second)];
            next[usize::from(second)] += 1;
        }
        for (place, &new_place) in part.clone().zip(&*new_places) {
            let slot = new_place as usize - part.start;
            self.ranks[slot] = previous.ranks[place];
            self.points[slot] = previous.points[place];
        }
        if !with_rows {
            return;
        }
        let first_entry = previous.starts[part.start];
        let mut cursor = 0;
        for half in [false, true] {
            for (place, &new_place) in part.clone().zip(&*new_places) {
                if in_second[place - part.start] != half {
                    continue;
                }
                let slot = new_place as usize - part.start;
                self.starts[slot] = first_entry + cursor;
                let row = cursor;
                for same in [true, false] {
                    for (partner, weight) in previous.inside(place) {
                        let member = partner as usize - part.start;
                        if (in_second[member] == half) == same {
                            let rank = previous.ranks[partner as usize];
                            self.partners[cursor] = if same { new_places[member] } else { rank };
                            self.weights[cursor] = weight;
                            cursor += 1;
                        }
                    }
                    if same {
                        self.inside[slot] = (cursor - row) as u32;
                    }
                }
                for (partner, weight) in previous.outside(place) {
                    self.partners[cursor] = partner;
                    self.weights[cursor] = weight;
                    cursor += 1;
                }
            }
        }
    }
}
