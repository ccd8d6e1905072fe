//! Several short axes along one dimension of the machine: a small grid on a line or a ring.

use super::shape::{Dimension, Kind};
use crate::random::{self, Stream};
use crate::run::Run;

/// The largest grid whose layout is searched exchange by exchange.
const MOST_SEARCHED: usize = 256;

/// Random layouts that the search starts from.
const RESTARTS: u64 = 24;

/// The maximum number of evaluated exchanges in the search for one layout.
const MOST_EXCHANGES: u64 = 150_000;

/// A small grid: how much its cells exchange.
#[derive(Debug, Clone)]
pub(super) struct SmallGrid {
    /// Lengths, first axis fastest in the numbers of cells.
    lengths: Vec<u32>,
    /// For each axis, the steps taken along it: from, to, weight.
    steps: Vec<Vec<(u32, u32, f64)>>,
}

impl SmallGrid {
    /// A grid of these lengths without exchanges so far.
    pub(super) fn new(lengths: Vec<u32>) -> SmallGrid {
        let steps = vec![Vec::new(); lengths.len()];
        SmallGrid { lengths, steps }
    }

    /// Adds a step along an axis, taken `weight` times by all lines together.
    pub(super) fn add_step(&mut self, axis: usize, from: u32, to: u32, weight: f64) {
        let (from, to) = (from.min(to), from.max(to));
        match self.steps[axis].iter_mut().rev().find(|step| (step.0, step.1) == (from, to)) {
            Some(step) => step.2 += weight,
            None => self.steps[axis].push((from, to, weight)),
        }
    }

    fn cells(&self) -> u32 {
        self.lengths.iter().product()
    }

    fn stride(&self, axis: usize) -> u32 {
        self.lengths[..axis].iter().product()
    }

    /// Every pair of cells that exchange, with its weight.
    fn pairs(&self) -> Vec<(u32, u32, f64)> {
        let mut pairs = Vec::new();
        for (axis, steps) in self.steps.iter().enumerate() {
            let (stride, length) = (self.stride(axis), self.lengths[axis]);
            let lines = self.cells() / length;
            for line in 0..lines {
                let first = line / stride * stride * length + line % stride;
                pairs.extend(steps.iter().map(|&(from, to, weight)| {
                    (first + from * stride, first + to * stride, weight / f64::from(lines))
                }));
            }
        }
        pairs
    }

    /// The best of the regular layouts: any axis fastest, rows all forwards or alternately forwards
    /// and backwards, rings folded or not.
    pub(super) fn regular_layout(&self, dimension: &Dimension) -> Layout {
        let mut best: Option<Layout> = None;
        let pairs = self.pairs();
        let mut order: Vec<usize> = (0..self.lengths.len()).collect();
        for_each_order(&mut order, 0, &mut |order| {
            for reversed in [true, false] {
                for folded in [false, true] {
                    let position = self.in_rows(order, reversed, folded);
                    let cost = cost(&pairs, &position, dimension);
                    if best.as_ref().is_none_or(|best| cost < best.cost) {
                        best = Some(Layout { position, cost });
                    }
                }
            }
        });
        best.expect("there is at least one order")
    }

    /// A layout row by row, the axes of `order` fastest first.
    fn in_rows(&self, order: &[usize], reversed: bool, folded: bool) -> Vec<u32> {
        (0..self.cells())
            .map(|cell| {
                let mut position = 0;
                // From the slowest axis down: a row begins where the previous one ended.
                for &axis in order.iter().rev() {
                    let length = self.lengths[axis];
                    let mut digit = cell / self.stride(axis) % length;
                    if folded {
                        digit = fold_ring(digit, length);
                    }
                    if reversed && position % 2 == 1 {
                        digit = length - 1 - digit;
                    }
                    position = position * length + digit;
                }
                position
            })
            .collect()
    }

    /// Improves a layout by exchanges, starting from it and from random ones.
    pub(super) fn search(&self, start: Layout, dimension: &Dimension, run: &mut Run) -> Layout {
        let cells = self.cells() as usize;
        if self.lengths.len() < 2 || cells > MOST_SEARCHED || dimension.kind == Kind::Free {
            return start;
        }
        let mut exchange = Exchange::new(cells, &self.pairs(), dimension);
        let mut best = exchange.descend(start, run);
        for restart in 0..RESTARTS {
            if exchange.examined > MOST_EXCHANGES || run.must_stop() {
                break;
            }
            let mut rng = random::stream(run.seed(), &[LAYOUT, restart]);
            let mut position = best.position.clone();
            if restart % 2 == 0 {
                random::shuffle(&mut rng, &mut position);
            } else {
                disturb(&mut rng, &mut position);
            }
            let cost = cost(&self.pairs(), &position, dimension);
            let found = exchange.descend(Layout { position, cost }, run);
            if found.cost < best.cost {
                best = found;
            }
        }
        best
    }
}

/// The number of the random stream of this search.
const LAYOUT: u64 = 0x6c61_796f_7574;

/// Where each cell of a small grid lies along a dimension, and what its steps cost.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) position: Vec<u32>,
    pub(super) cost: f64,
}

/// A ring on a path: out on even positions and back on odd ones. No step is longer than two.
fn fold_ring(digit: u32, length: u32) -> u32 {
    if 2 * digit < length { 2 * digit } else { 2 * (length - 1 - digit) + 1 }
}

fn for_each_order(order: &mut Vec<usize>, settled: usize, visit: &mut dyn FnMut(&[usize])) {
    if settled + 1 >= order.len() {
        return visit(order);
    }
    for next in settled..order.len() {
        order.swap(settled, next);
        for_each_order(order, settled + 1, visit);
        order.swap(settled, next);
    }
}

fn cost(pairs: &[(u32, u32, f64)], position: &[u32], dimension: &Dimension) -> f64 {
    let hops =
        |a: u32, b: u32| f64::from(dimension.hops(position[a as usize], position[b as usize]));
    pairs.iter().map(|&(a, b, weight)| weight * hops(a, b)).sum()
}

/// Reverses a section of positions: a change that single exchanges cannot undo.
fn disturb(rng: &mut Stream, position: &mut [u32]) {
    let cells = position.len() as u32;
    let mut cell_at = vec![0; position.len()];
    position.iter().enumerate().for_each(|(cell, &at)| cell_at[at as usize] = cell);
    let (a, b) = (random::below(rng, cells), random::below(rng, cells));
    cell_at[a.min(b) as usize..=a.max(b) as usize].reverse();
    cell_at.iter().enumerate().for_each(|(at, &cell)| position[cell] = at as u32);
}

/// Exchanges of cells along a dimension.
struct Exchange<'a> {
    partners: Vec<Vec<(u32, f64)>>,
    dimension: &'a Dimension,
    examined: u64,
}

impl<'a> Exchange<'a> {
    fn new(cells: usize, pairs: &[(u32, u32, f64)], dimension: &'a Dimension) -> Self {
        let mut partners = vec![Vec::new(); cells];
        for &(a, b, weight) in pairs {
            partners[a as usize].push((b, weight));
            partners[b as usize].push((a, weight));
        }
        Exchange { partners, dimension, examined: 0 }
    }

    /// Exchanges pairs until none has a gain.
    fn descend(&mut self, mut layout: Layout, run: &mut Run) -> Layout {
        let cells = self.partners.len();
        loop {
            let mut gained = false;
            for a in 0..cells {
                for b in a + 1..cells {
                    let delta = self.swap_delta(&layout.position, a, b);
                    if delta < -1e-9 * layout.cost {
                        layout.position.swap(a, b);
                        layout.cost += delta;
                        gained = true;
                    }
                }
                self.examined += (cells - a - 1) as u64;
                if !run.spend((cells - a - 1) as u64) {
                    return layout;
                }
            }
            if !gained {
                return layout;
            }
        }
    }

    /// What exchanging two cells adds to the cost; negative is better.
    fn swap_delta(&self, position: &[u32], a: usize, b: usize) -> f64 {
        let moved = |cell: usize, other: usize| -> f64 {
            let (from, to) = (position[cell], position[other]);
            self.partners[cell]
                .iter()
                .filter(|&&(partner, _)| partner as usize != other)
                .map(|&(partner, weight)| {
                    let there = position[partner as usize];
                    let hops = |at: u32| f64::from(self.dimension.hops(at, there));
                    weight * (hops(to) - hops(from))
                })
                .sum()
        };
        moved(a, b) + moved(b, a)
    }
}
