//! Ranks and machine, halved together.

use std::ops::Range;

use super::coordinates::{DIMENSIONS, Point, coordinates_of_ranks};
use super::exchange::{Exchanging, Halves};
use super::region::{Region, Regions};
use crate::clock::Clock;
use crate::effort::Effort;
use crate::pace::Pace;
use crate::problem::Problem;
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// Ranks of a part that are used to decide its orientation; a sample is enough.
const MOST_ASKED: usize = 1024;

/// The result of a bisection.
pub(crate) struct Bisected {
    /// The slot of each rank.
    pub(crate) slots: Vec<u32>,
    /// Whether the time ran out before every part was halved; in the unfinished parts the ranks are
    /// in order.
    pub(crate) was_cut_short: bool,
}

/// Places the ranks of `problem`; `None` if the time runs out before they have coordinates. Takes
/// O((ranks + flows) log nodes).
pub(crate) fn bisect(problem: &Problem, run: &Run) -> Option<Bisected> {
    let clock = Clock::new(run);
    let slots = with_metric!(problem.machine().metric(), metric => {
        Halving::new(problem, metric, run.effort(), &clock).map(Halving::place)
    })?;
    Some(Bisected { slots, was_cut_short: clock.rang() })
}

/// A part of the ranks and the part of the machine they will be in.
struct Part {
    ranks: Range<usize>,
    region: Region,
}

/// The number of a part, which separates partners inside from those outside, and the middle of its
/// part of the machine.
#[derive(Clone, Copy)]
struct Whereabouts {
    part: u32,
    node: u32,
}

struct Halving<'a, M> {
    problem: &'a Problem,
    metric: &'a M,
    points: Vec<Point>,
    /// The ranks, part by part.
    order: Vec<u32>,
    /// The part of each rank, and roughly where it will be.
    whereabouts: Vec<Whereabouts>,
    keys: Vec<(f32, u32)>,
    exchanging: Exchanging,
    clock: &'a Clock<'a>,
}

impl<'a, M: Metric> Halving<'a, M> {
    /// `None` if the time runs out before ranks have coordinates.
    fn new(
        problem: &'a Problem,
        metric: &'a M,
        effort: Effort,
        clock: &'a Clock<'a>,
    ) -> Option<Self> {
        let ranks = problem.num_ranks();
        // Ranks without partners go last, into the remaining room.
        let talks = |&rank: &u32| !problem.graph().partners(rank).is_empty();
        let (mut order, silent): (Vec<u32>, Vec<u32>) = (0..ranks as u32).partition(talks);
        order.extend(silent);
        Some(Halving {
            problem,
            metric,
            points: coordinates_of_ranks(problem.graph(), clock)?,
            order,
            whereabouts: vec![Whereabouts { part: 0, node: 0 }; ranks],
            keys: Vec::new(),
            exchanging: Exchanging::new(ranks, effort),
            clock,
        })
    }

    /// The slot of each rank.
    fn place(mut self) -> Vec<u32> {
        let per_node = self.problem.machine().slots_per_node();
        let mut slots = vec![0; self.problem.num_ranks()];
        let (mut regions, whole) = Regions::new(self.problem.machine());
        let mut parts = vec![Part { ranks: 0..self.order.len(), region: whole }];
        let mut next_part = 1;
        let mut pace = Pace::default();
        // All parts of one size before the next size: then partners are about equally well known.
        while !parts.is_empty() {
            let mut halves = Vec::with_capacity(2 * parts.len());
            for part in parts {
                if part.ranks.is_empty() {
                    continue;
                }
                if let Some(node) = part.region.single_node(&regions) {
                    for (slot, &rank) in (node * per_node..).zip(&self.order[part.ranks]) {
                        slots[rank as usize] = slot;
                    }
                    continue;
                }
                if self.clock.is_over_after(part.ranks.len(), &mut pace) {
                    let nodes = part.region.nodes(&regions).into_iter();
                    let places = nodes.flat_map(|node| node * per_node..(node + 1) * per_node);
                    for (slot, &rank) in places.zip(&self.order[part.ranks]) {
                        slots[rank as usize] = slot;
                    }
                    continue;
                }
                let [first, second] = part.region.halves(&mut regions, self.metric);
                let room = first.num_nodes() * per_node as usize;
                let middle = [first.middle(&regions), second.middle(&regions)];
                // If there is more room than ranks, the ranks stay together.
                let cut = part.ranks.start + room.min(part.ranks.len());
                self.divide(part.ranks.clone(), cut, middle);
                for (ranks, region) in
                    [(part.ranks.start..cut, first), (cut..part.ranks.end, second)]
                {
                    let now = Whereabouts { part: next_part, node: region.middle(&regions) };
                    for &rank in &self.order[ranks.clone()] {
                        self.whereabouts[rank as usize] = now;
                    }
                    next_part += 1;
                    halves.push(Part { ranks, region });
                }
            }
            parts = halves;
        }
        slots
    }

    /// Puts the ranks for the first half of a region before `cut`, the others after it.
    fn divide(&mut self, ranks: Range<usize>, cut: usize, middle: [u32; 2]) {
        if cut == ranks.end {
            return;
        }
        let low = cut - ranks.start;
        self.sort_along_direction(ranks.clone(), low, 1.0);
        if self.is_wrong_way_round(&ranks, cut, middle) {
            self.sort_along_direction(ranks.clone(), low, -1.0);
        }
        self.exchange(ranks, cut, middle);
    }

    /// Exchanges ranks of the two halves as long as that brings them closer to their partners.
    fn exchange(&mut self, ranks: Range<usize>, cut: usize, middle: [u32; 2]) {
        let between = self.metric.distance(middle[0], middle[1]) as f32;
        let part = self.whereabouts[self.order[ranks.start] as usize].part;
        let (graph, metric, whereabouts) = (self.problem.graph(), self.metric, &self.whereabouts);
        // How much nearer a rank is to those outside if it is in the second half.
        let nearer_in_second = |rank: u32| -> f32 {
            let outside = graph.edges(rank).filter_map(|(partner, weight)| {
                let other = whereabouts[partner as usize];
                let distances = middle.map(|node| metric.distance(node, other.node) as f32);
                (other.part != part).then_some(weight as f32 * (distances[0] - distances[1]))
            });
            outside.sum()
        };
        let inside = |partner: u32| whereabouts[partner as usize].part == part;
        let cut = cut - ranks.start;
        let halves = Halves { graph, inside, between, cut, clock: self.clock };
        self.exchanging.improve(&halves, &mut self.order[ranks], nearer_in_second);
    }

    /// Orders the ranks so that the `low` lowest along their main direction come first.
    fn sort_along_direction(&mut self, ranks: Range<usize>, low: usize, sign: f32) {
        let direction = main_direction(&self.points, &self.order[ranks.clone()]);
        self.keys.clear();
        for &rank in &self.order[ranks.clone()] {
            let point = &self.points[rank as usize];
            let key: f32 = point.iter().zip(&direction).map(|(x, d)| x * d).sum();
            self.keys.push((sign * key, rank));
        }
        self.keys.select_nth_unstable_by(low, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (place, &(_, rank)) in self.order[ranks].iter_mut().zip(&self.keys) {
            *place = rank;
        }
    }

    /// Whether the two halves would be closer to their partners outside if they were swapped.
    fn is_wrong_way_round(&self, ranks: &Range<usize>, cut: usize, middle: [u32; 2]) -> bool {
        let mut excess = 0.0;
        for place in ranks.clone().step_by(ranks.len().div_ceil(MOST_ASKED)) {
            let rank = self.order[place];
            let part = self.whereabouts[rank as usize].part;
            let mut nearer = 0.0;
            for (partner, weight) in self.problem.graph().edges(rank) {
                let other = self.whereabouts[partner as usize];
                if other.part != part {
                    let [first, second] =
                        middle.map(|node| f64::from(self.metric.distance(node, other.node)));
                    nearer += weight * (first - second);
                }
            }
            excess += if place < cut { nearer } else { -nearer };
        }
        excess > 0.0
    }
}

/// The direction in which the points of `ranks` spread most.
fn main_direction(points: &[Point], ranks: &[u32]) -> Point {
    let mut mean = [0.0f64; DIMENSIONS];
    for &rank in ranks {
        for (sum, &x) in mean.iter_mut().zip(&points[rank as usize]) {
            *sum += f64::from(x);
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= ranks.len() as f64);
    let mut spread = [[0.0f64; DIMENSIONS]; DIMENSIONS];
    for &rank in ranks {
        let point = &points[rank as usize];
        let offset: [f64; DIMENSIONS] = std::array::from_fn(|d| f64::from(point[d]) - mean[d]);
        for (row, x) in spread.iter_mut().zip(offset) {
            for (entry, y) in row.iter_mut().zip(offset) {
                *entry += x * y;
            }
        }
    }
    // Power iteration from the coordinate of the largest spread, which is already close.
    let widest = (0..DIMENSIONS).max_by(|&a, &b| spread[a][a].total_cmp(&spread[b][b]));
    let mut direction = [0.0f64; DIMENSIONS];
    direction[widest.unwrap_or(0)] = 1.0;
    for _ in 0..if ranks.len() > 16 { 16 } else { 2 } {
        let product: [f64; DIMENSIONS] =
            std::array::from_fn(|d| spread[d].iter().zip(&direction).map(|(s, x)| s * x).sum());
        let length = product.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(length > 0.0 && length.is_finite()) {
            break;
        }
        direction = product.map(|x| x / length);
    }
    direction.map(|x| x as f32)
}
