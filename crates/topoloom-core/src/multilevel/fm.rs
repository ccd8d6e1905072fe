//! Localised moves of single vertices: the search of Fiduccia and Mattheyses, started at one
//! place of a boundary at a time, with the cost of the real distances between blocks.

use std::collections::{BinaryHeap, VecDeque};

use super::blocks::BlockDistance;
use super::graph::Graph;
use super::work::Patience;
use crate::clock::Clock;
use crate::pace::Pace;
use crate::random::{self, Stream};
use crate::refiner::hubs::least_degree;

/// With at most this many blocks, what each vertex exchanges with each block is kept.
const FEW_BLOCKS: usize = 16;

/// How many of the nearest blocks are tried for what an overloaded block holds too much.
const REFUGES: usize = 12;

/// What chance explains of the losses of a search, in squares of a usual weight.
const UNITS_OF_CHANCE: f32 = 5.0;

/// Searches between two looks at the clock.
const BETWEEN_LOOKS: usize = 256;

/// A graph divided into blocks, under change.
pub struct Division<'a, D> {
    pub graph: &'a Graph,
    pub distance: &'a D,
    /// The room in each block.
    pub capacity: &'a [f64],
    /// What each vertex in each block costs apart from the edges; empty if nothing.
    pub bias: &'a [f32],
    pub block_of: Vec<u32>,
    load: Vec<f64>,
    /// What each vertex exchanges with each block, row by row, where there are few blocks.
    pulls: Vec<f32>,
    /// What a search may overload a block by on its way.
    leeway: f64,
    /// From so many edges on a vertex is a hub.
    hub_degree: usize,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    pull: Vec<f32>,
    touched: Vec<u32>,
    /// The round in which each vertex was moved last.
    moved: Vec<u32>,
    /// Which entry of the queue is the latest of each vertex.
    version: Vec<u32>,
    queue: BinaryHeap<Candidate>,
    trail: Vec<(u32, u32)>,
    pace: Pace,
}

/// A vertex that may move; the greatest gain comes first.
#[derive(PartialEq)]
struct Candidate {
    gain: f32,
    tie: u32,
    vertex: u32,
    version: u32,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.gain
            .total_cmp(&other.gain)
            .then(self.tie.cmp(&other.tie))
            .then(self.vertex.cmp(&other.vertex))
    }
}

/// The moves of a search since its last best, seen as a random walk: when the losses so far are
/// more than chance explains, it will hardly come back (Osipov and Sanders 2010).
struct Trend {
    moves: f32,
    sum: f32,
    sum_of_squares: f32,
    /// What a trend is measured against, so that it does not hang on the unit of the weights.
    unit: f32,
}

impl Trend {
    fn new(graph: &Graph, seeds: &[u32]) -> Trend {
        let edges = seeds.first().map_or(&[][..], |&seed| graph.edges(seed));
        let sum: f32 = edges.iter().map(|edge| edge.weight).sum();
        Trend { moves: 0.0, sum: 0.0, sum_of_squares: 0.0, unit: sum / edges.len().max(1) as f32 }
    }

    fn forget(&mut self) {
        *self = Trend { moves: 0.0, sum: 0.0, sum_of_squares: 0.0, unit: self.unit };
    }

    /// Whether to give up after a move that gained `gain`.
    fn is_hopeless_after(&mut self, gain: f32) -> bool {
        self.moves += 1.0;
        self.sum += gain;
        self.sum_of_squares += gain * gain;
        let mean = self.sum / self.moves;
        let variance = self.sum_of_squares / self.moves - mean * mean;
        let chance = variance.max(0.0) + UNITS_OF_CHANCE * self.unit * self.unit;
        self.moves >= 2.0 && mean < 0.0 && self.moves * mean * mean > chance
    }
}

fn overload(load: &[f64], capacity: &[f64]) -> f64 {
    load.iter().zip(capacity).map(|(load, room)| (load - room).max(0.0)).sum()
}

/// By how much the blocks of a division are overloaded, from scratch.
pub fn overload_of(graph: &Graph, capacity: &[f64], block_of: &[u32]) -> f64 {
    let mut load = vec![0.0; capacity.len()];
    for (&block, &size) in block_of.iter().zip(&graph.sizes) {
        load[block as usize] += size;
    }
    overload(&load, capacity)
}

/// By how much the blocks of a division are overloaded and what it costs, from scratch.
pub fn judge<D: BlockDistance>(
    graph: &Graph,
    distance: &D,
    capacity: &[f64],
    bias: &[f32],
    block_of: &[u32],
) -> (f64, f64) {
    let mut load = vec![0.0; capacity.len()];
    let mut cost = 0.0;
    for (vertex, &home) in (0u32..).zip(block_of) {
        load[home as usize] += graph.sizes[vertex as usize];
        for edge in graph.edges(vertex) {
            let there = block_of[edge.to as usize];
            if there != home {
                cost += f64::from(edge.weight * distance.between(home, there)) / 2.0;
            }
        }
        if !bias.is_empty() {
            cost += f64::from(bias[vertex as usize * capacity.len() + home as usize]);
        }
    }
    (overload(&load, capacity), cost)
}

/// What each vertex exchanges with each block, row by row.
fn pulls(graph: &Graph, block_of: &[u32], blocks: usize) -> Vec<f32> {
    let mut pulls = vec![0.0; graph.len() * blocks];
    for (vertex, row) in (0..).zip(pulls.chunks_exact_mut(blocks)) {
        for edge in graph.edges(vertex) {
            row[block_of[edge.to as usize] as usize] += edge.weight;
        }
    }
    pulls
}

impl<'a, D: BlockDistance> Division<'a, D> {
    pub fn new(
        graph: &'a Graph,
        distance: &'a D,
        capacity: &'a [f64],
        bias: &'a [f32],
        block_of: Vec<u32>,
    ) -> Self {
        let mut load = vec![0.0; capacity.len()];
        for (&block, &size) in block_of.iter().zip(&graph.sizes) {
            load[block as usize] += size;
        }
        let room: f64 = capacity.iter().sum::<f64>() - graph.total_size();
        let largest = graph.largest_size();
        let tight = room < largest * capacity.len() as f64;
        let scratch = Scratch {
            pull: vec![0.0; capacity.len()],
            moved: vec![0; graph.len()],
            version: vec![0; graph.len()],
            ..Scratch::default()
        };
        let leeway = if tight { largest } else { 0.0 };
        let pulls = if capacity.len() <= FEW_BLOCKS {
            pulls(graph, &block_of, capacity.len())
        } else {
            Vec::new()
        };
        let hub_degree = least_degree(graph.len(), graph.edges.len());
        Division {
            graph,
            distance,
            capacity,
            bias,
            block_of,
            load,
            pulls,
            leeway,
            hub_degree,
            scratch,
        }
    }

    fn blocks(&self) -> usize {
        self.capacity.len()
    }

    /// By how much the blocks are overloaded.
    pub fn overload(&self) -> f64 {
        overload(&self.load, self.capacity)
    }

    #[inline]
    fn overload_of(&self, block: u32, load: f64) -> f64 {
        (load - self.capacity[block as usize]).max(0.0)
    }

    /// The cost of the division, from scratch.
    pub fn cost(&self) -> f64 {
        judge(self.graph, self.distance, self.capacity, self.bias, &self.block_of).1
    }

    pub fn is_at_boundary(&self, vertex: u32) -> bool {
        let home = self.block_of[vertex as usize];
        if !self.pulls.is_empty() {
            let row = self.pulls[vertex as usize * self.blocks()..].iter().take(self.blocks());
            return (0..).zip(row).any(|(block, &pull)| block != home && pull > 0.0);
        }
        self.graph.edges(vertex).iter().any(|edge| self.block_of[edge.to as usize] != home)
    }

    /// Lists what `vertex` exchanges with each block.
    #[inline]
    fn gather(&mut self, vertex: u32) {
        let blocks = self.capacity.len();
        let scratch = &mut self.scratch;
        scratch.touched.clear();
        if !self.pulls.is_empty() {
            let row = &self.pulls[vertex as usize * blocks..(vertex as usize + 1) * blocks];
            scratch.pull.copy_from_slice(row);
            scratch.touched.extend((0..).zip(row).filter(|&(_, &pull)| pull > 0.0).map(|(b, _)| b));
            return;
        }
        for edge in self.graph.edges(vertex) {
            let block = self.block_of[edge.to as usize];
            let pull = &mut scratch.pull[block as usize];
            if *pull == 0.0 {
                scratch.touched.push(block);
            }
            *pull += edge.weight;
        }
    }

    #[inline]
    fn forget(&mut self) {
        if !self.pulls.is_empty() {
            return;
        }
        for &block in &self.scratch.touched {
            self.scratch.pull[block as usize] = 0.0;
        }
    }

    /// What `vertex` costs in `block`, after `gather`.
    #[inline]
    fn cost_in(&self, vertex: u32, block: u32) -> f32 {
        let scratch = &self.scratch;
        let mut sum = 0.0;
        for &there in &scratch.touched {
            sum += scratch.pull[there as usize] * self.distance.between(block, there);
        }
        sum + self.bias_of(vertex, block)
    }

    #[inline]
    pub fn bias_of(&self, vertex: u32, block: u32) -> f32 {
        if self.bias.is_empty() {
            return 0.0;
        }
        self.bias[vertex as usize * self.blocks() + block as usize]
    }

    /// The best block for `vertex` where the cost is the cut and pulls are kept; if `anywhere`,
    /// also one without partners. No leeway then.
    #[inline]
    fn best_by_pulls(&self, vertex: u32, anywhere: bool) -> Option<(f32, u32)> {
        let home = self.block_of[vertex as usize];
        let size = self.graph.sizes[vertex as usize];
        let leeway = if anywhere { 0.0 } else { self.leeway };
        let blocks = self.capacity.len();
        let row = &self.pulls[vertex as usize * blocks..][..blocks];
        let stay = row[home as usize] - self.bias_of(vertex, home);
        let mut best: Option<(f32, u32)> = None;
        for (block, &pull) in (0..).zip(row) {
            if block == home || !(anywhere || pull > 0.0) {
                continue;
            }
            let gain = pull - self.bias_of(vertex, block) - stay;
            if best.is_some_and(|(most, _)| gain < most) {
                continue;
            }
            let load = self.load[block as usize];
            if load + size > self.capacity[block as usize] + leeway {
                continue;
            }
            let lighter = |chosen: u32| {
                load * self.capacity[chosen as usize]
                    < self.load[chosen as usize] * self.capacity[block as usize]
            };
            if best.is_none_or(|(most, chosen)| gain > most || lighter(chosen)) {
                best = Some((gain, block));
            }
        }
        best
    }

    /// The best block for `vertex` among those of its partners that have room: (gain, block).
    fn best_move(&mut self, vertex: u32) -> Option<(f32, u32)> {
        if D::UNIFORM && !self.pulls.is_empty() {
            return self.best_by_pulls(vertex, false);
        }
        let home = self.block_of[vertex as usize];
        self.gather(vertex);
        if self.scratch.touched.iter().all(|&block| block == home) {
            self.forget();
            return None;
        }
        let size = self.graph.sizes[vertex as usize];
        let mut best: Option<(f32, u32)> = None;
        let stay = if D::UNIFORM {
            self.bias_of(vertex, home) - self.scratch.pull[home as usize]
        } else {
            self.cost_in(vertex, home)
        };
        for index in 0..self.scratch.touched.len() {
            let block = self.scratch.touched[index];
            let load = self.load[block as usize] + size;
            if block == home || load > self.capacity[block as usize] + self.leeway {
                continue;
            }
            let gain = if D::UNIFORM {
                stay + self.scratch.pull[block as usize] - self.bias_of(vertex, block)
            } else {
                stay - self.cost_in(vertex, block)
            };
            let better = |(most, chosen): (f32, u32)| {
                gain > most
                    || gain == most
                        && self.load[block as usize] * self.capacity[chosen as usize]
                            < self.load[chosen as usize] * self.capacity[block as usize]
            };
            if best.is_none_or(better) {
                best = Some((gain, block));
            }
        }
        self.forget();
        best
    }

    pub fn load(&self, block: u32) -> f64 {
        self.load[block as usize]
    }

    pub fn shift(&mut self, vertex: u32, block: u32) {
        let size = self.graph.sizes[vertex as usize];
        let home = std::mem::replace(&mut self.block_of[vertex as usize], block);
        self.load[home as usize] -= size;
        self.load[block as usize] += size;
        if !self.pulls.is_empty() {
            let blocks = self.capacity.len();
            for edge in self.graph.edges(vertex) {
                let row = &mut self.pulls[edge.to as usize * blocks..][..blocks];
                row[home as usize] -= edge.weight;
                row[block as usize] += edge.weight;
            }
        }
    }

    /// Improves the division; never raises the overload, nor the cost at equal overload.
    /// Returns the gain.
    pub fn improve(&mut self, patience: Patience, clock: &Clock<'_>, rng: &mut Stream) -> f64 {
        let mut total = 0.0;
        for _ in 0..patience.rounds {
            let mut seeds: Vec<u32> =
                (0..self.graph.len() as u32).filter(|&v| self.is_at_boundary(v)).collect();
            random::shuffle(rng, &mut seeds);
            self.scratch.moved.fill(0);
            let mut gain = 0.0;
            for some in seeds.chunks(BETWEEN_LOOKS) {
                if clock.is_over() {
                    return total + gain;
                }
                for &seed in some {
                    if self.scratch.moved[seed as usize] == 0 {
                        gain += self.search_from(&[seed], patience, clock, rng);
                    }
                }
            }
            total += gain;
            if gain <= 0.0 {
                break;
            }
        }
        total
    }

    /// Moves single vertices while there is gain, each to its best block; those whose partners
    /// moved come in again.
    pub fn descend(&mut self, clock: &Clock<'_>, rng: &mut Stream) {
        let n = self.graph.len();
        let mut queue: VecDeque<u32> = (0..n as u32).filter(|&v| self.is_at_boundary(v)).collect();
        random::shuffle(rng, queue.make_contiguous());
        let mut waiting = vec![false; n];
        queue.iter().for_each(|&vertex| waiting[vertex as usize] = true);
        // Rounding could let two moves gain in turn for ever.
        let mut turns = 20 * n;
        while let Some(vertex) = queue.pop_front() {
            let work = 1 + self.graph.degree(vertex);
            if clock.is_over_after(work, &mut self.scratch.pace) {
                return;
            }
            waiting[vertex as usize] = false;
            let best = self.best_move(vertex);
            let Some((_, block)) = best.filter(|&(gain, _)| gain > 0.0) else { continue };
            if self.load[block as usize] + self.graph.sizes[vertex as usize]
                > self.capacity[block as usize]
            {
                continue;
            }
            self.shift(vertex, block);
            let graph = self.graph;
            for edge in graph.edges(vertex) {
                if !std::mem::replace(&mut waiting[edge.to as usize], true) {
                    queue.push_back(edge.to);
                }
            }
            turns -= 1;
            if turns == 0 {
                return;
            }
        }
    }

    /// One search that starts at the whole boundary at once.
    pub fn improve_at_once(&mut self, patience: Patience, clock: &Clock<'_>, rng: &mut Stream) {
        for _ in 0..patience.rounds {
            let seeds: Vec<u32> =
                (0..self.graph.len() as u32).filter(|&v| self.is_at_boundary(v)).collect();
            self.scratch.moved.fill(0);
            if self.search_from(&seeds, patience, clock, rng) <= 0.0 || clock.rang() {
                return;
            }
        }
    }

    fn enqueue(&mut self, vertex: u32, rng: &mut Stream) {
        let version = &mut self.scratch.version[vertex as usize];
        *version = version.wrapping_add(1);
        let version = *version;
        if let Some((gain, _)) = self.best_move(vertex) {
            let tie = random::below(rng, u32::MAX);
            self.scratch.queue.push(Candidate { gain, tie, vertex, version });
        }
    }

    fn search_from(
        &mut self,
        seeds: &[u32],
        patience: Patience,
        clock: &Clock<'_>,
        rng: &mut Stream,
    ) -> f64 {
        self.scratch.queue.clear();
        self.scratch.trail.clear();
        for &seed in seeds {
            self.enqueue(seed, rng);
            if clock.is_over_after(self.graph.degree(seed), &mut self.scratch.pace) {
                return 0.0;
            }
        }
        let mut trend = Trend::new(self.graph, seeds);
        let mut overload = 0.0;
        let mut gain = 0.0;
        let (mut best_overload, mut best_gain, mut best_length) = (0.0, 0.0, 0);
        while let Some(candidate) = self.scratch.queue.pop() {
            let vertex = candidate.vertex;
            if self.scratch.version[vertex as usize] != candidate.version {
                continue;
            }
            if clock.is_over_after(self.graph.degree(vertex), &mut self.scratch.pace) {
                break;
            }
            // Rooms may have filled since it was queued.
            let Some((now, block)) = self.best_move(vertex) else { continue };
            if now < candidate.gain {
                self.enqueue(vertex, rng);
                continue;
            }
            let home = self.block_of[vertex as usize];
            let over = |division: &Self| {
                division.overload_of(home, division.load[home as usize])
                    + division.overload_of(block, division.load[block as usize])
            };
            let before = over(self);
            self.shift(vertex, block);
            overload += over(self) - before;
            gain += f64::from(now);
            self.scratch.moved[vertex as usize] = 1;
            self.scratch.trail.push((vertex, home));
            if overload < best_overload || overload <= best_overload && gain > best_gain {
                (best_overload, best_gain) = (overload, gain);
                best_length = self.scratch.trail.len();
                trend.forget();
            } else if self.scratch.trail.len() - best_length > patience.moves
                || trend.is_hopeless_after(now)
            {
                break;
            }
            let graph = self.graph;
            for edge in graph.edges(vertex) {
                // A hub moves in a search of its own: in those of all its partners, each would
                // take as long as it has partners.
                let is_hub = graph.degree(edge.to) >= self.hub_degree;
                if self.scratch.moved[edge.to as usize] == 0 && !is_hub {
                    self.enqueue(edge.to, rng);
                }
            }
        }
        while self.scratch.trail.len() > best_length {
            let (vertex, home) = self.scratch.trail.pop().expect("longer than the best");
            self.shift(vertex, home);
        }
        best_gain
    }

    /// Moves vertices out of overloaded blocks, the cheapest moves first, until none is
    /// overloaded, nothing fits anywhere, or the time is up.
    pub fn relieve(&mut self, clock: &Clock<'_>) {
        for full in 0..self.blocks() as u32 {
            if self.overload_of(full, self.load[full as usize]) > 0.0 {
                if clock.is_over() {
                    return;
                }
                self.relieve_block(full, clock);
            }
        }
    }

    fn relieve_block(&mut self, full: u32, clock: &Clock<'_>) {
        // Vertices at the boundary to blocks nearby: nearly always enough.
        let near = self.nearest_with_room(full);
        self.move_out_of(full, &near, clock, |division, vertex| division.is_at_boundary(vertex));
        if self.overload_of(full, self.load[full as usize]) > 0.0 {
            let all: Vec<u32> = (0..self.blocks() as u32).filter(|&block| block != full).collect();
            self.move_out_of(full, &all, clock, |_, _| true);
        }
    }

    /// The blocks with room that are nearest to `full`; all, where none is nearer than another.
    fn nearest_with_room(&self, full: u32) -> Vec<u32> {
        let has_room = |&block: &u32| {
            block != full && self.load[block as usize] < self.capacity[block as usize]
        };
        let mut blocks: Vec<u32> = (0..self.blocks() as u32).filter(has_room).collect();
        if !D::UNIFORM && blocks.len() > REFUGES {
            let distance = |&block: &u32| self.distance.between(full, block);
            blocks.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
            blocks.truncate(REFUGES);
        }
        blocks
    }

    /// Moves those vertices of `full` that `may_move` allows, the cheapest first, to blocks of
    /// `refuges` and of their partners.
    fn move_out_of(
        &mut self,
        full: u32,
        refuges: &[u32],
        clock: &Clock<'_>,
        may_move: impl Fn(&Self, u32) -> bool,
    ) {
        let mut queue: BinaryHeap<Candidate> = BinaryHeap::new();
        let candidate =
            |gain, vertex| Candidate { gain, tie: u32::MAX - vertex, vertex, version: 0 };
        for vertex in 0..self.graph.len() as u32 {
            if self.block_of[vertex as usize] == full
                && may_move(self, vertex)
                && let Some((gain, _)) = self.best_refuge(vertex, refuges)
            {
                queue.push(candidate(gain, vertex));
                let work = self.graph.degree(vertex) + refuges.len();
                if clock.is_over_after(work, &mut self.scratch.pace) {
                    return;
                }
            }
        }
        while self.overload_of(full, self.load[full as usize]) > 0.0 {
            if clock.is_over_after(1 + refuges.len(), &mut self.scratch.pace) {
                return;
            }
            let Some(Candidate { gain: before, vertex, .. }) = queue.pop() else { return };
            if self.block_of[vertex as usize] != full {
                continue;
            }
            let Some((gain, block)) = self.best_refuge(vertex, refuges) else { continue };
            if gain < before {
                queue.push(candidate(gain, vertex));
                continue;
            }
            self.shift(vertex, block);
            // Partners left behind may now leave more cheaply.
            let graph = self.graph;
            for edge in graph.edges(vertex) {
                // Hubs have been asked once, and that takes long.
                if self.block_of[edge.to as usize] == full
                    && graph.degree(edge.to) < self.hub_degree
                    && let Some((gain, _)) = self.best_refuge(edge.to, refuges)
                {
                    queue.push(candidate(gain, edge.to));
                    if clock.is_over_after(1 + refuges.len(), &mut self.scratch.pace) {
                        return;
                    }
                }
            }
        }
    }

    /// The best block with room for `vertex`, of `refuges` and those of its partners, by gain
    /// for the room it takes.
    fn best_refuge(&mut self, vertex: u32, refuges: &[u32]) -> Option<(f32, u32)> {
        let size = self.graph.sizes[vertex as usize];
        let per_room = |(gain, block): (f32, u32)| (gain / size.max(1.0) as f32, block);
        if D::UNIFORM && !self.pulls.is_empty() {
            return self.best_by_pulls(vertex, true).map(per_room);
        }
        let home = self.block_of[vertex as usize];
        self.gather(vertex);
        let stay = self.cost_in(vertex, home);
        let mut best: Option<(f32, u32)> = None;
        for &block in refuges.iter().chain(&self.scratch.touched) {
            if block == home || self.load[block as usize] + size > self.capacity[block as usize] {
                continue;
            }
            let gain = stay - self.cost_in(vertex, block);
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, block));
            }
        }
        self.forget();
        best.map(per_room)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::multilevel::blocks::{Table, Uniform};
    use crate::multilevel::graph::examples::grid;
    use crate::run::Run;

    const PATIENCE: Patience = Patience { moves: 10, rounds: 3 };

    fn random_blocks(n: u32, blocks: u32, seed: u64) -> Vec<u32> {
        let mut rng = random::stream(seed, &[]);
        let mut block_of: Vec<u32> = (0..n).map(|vertex| vertex % blocks).collect();
        random::shuffle(&mut rng, &mut block_of);
        block_of
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn gains_are_those_of_the_definition(seed in 0u64..500, blocks in 2u32..20) {
            let graph = grid(8, 10);
            let line = Table::new(blocks as usize, |a, b| a.abs_diff(b) as f32);
            let capacity = vec![f64::from(80 / blocks + 3); blocks as usize];
            let start = random_blocks(80, blocks, seed);
            let mut rng = random::stream(seed, &[1]);

            let mut cut = Division::new(&graph, &Uniform, &capacity, &[], start.clone());
            let before = cut.cost();
            let run = Run::new(seed);
            let clock = Clock::new(&run);
            let gain = cut.improve(PATIENCE, &clock, &mut rng);
            prop_assert_eq!(before - gain, cut.cost());
            prop_assert_eq!(cut.overload(), 0.0);

            let mut along = Division::new(&graph, &line, &capacity, &[], start);
            let before = along.cost();
            let gain = along.improve(PATIENCE, &clock, &mut rng);
            prop_assert_eq!(before - gain, along.cost());
            along.descend(&clock, &mut rng);
            prop_assert!(along.cost() <= before - gain);
            prop_assert_eq!(along.overload(), 0.0);
        }
    }

    #[test]
    fn overloaded_blocks_are_relieved() {
        let graph = grid(6, 6);
        let mut division = Division::new(&graph, &Uniform, &[12.0; 3], &[], vec![0; 36]);
        assert_eq!(division.overload(), 24.0);
        division.relieve(&Clock::new(&Run::new(1)));
        assert_eq!(division.overload(), 0.0);
    }
}
