//! Better borders between two blocks, by minimum cuts.
//!
//! A region around the border of two blocks is freed; everything else stays. The minimum cut
//! through the region is the best border there is, if it leaves the blocks in balance. If it does
//! not, the lighter side permanently takes one more vertex, and the cut is found again from the
//! flow so far, until it is balanced or no longer better (FlowCutter, Hamann and Strasser 2018; as
//! a refinement: Gottesbüren, Hamann, Wagner 2019).

use super::blocks::BlockDistance;
use super::fm::Division;
use super::max_flow::{Network, UNLIMITED};
use super::work::Reach;
use crate::clock::Clock;

/// Memory for all regions of a division.
pub struct FlowScratch {
    /// The position in the region of each vertex of the graph.
    local: Vec<u32>,
    edges: Vec<(u32, u32, i32)>,
    network: Network,
}

/// A region never takes more of a block: a part of it must stay where it is.
const LARGEST_SHARE: f64 = 0.45;

/// The capacity that the heaviest edge of a region gets.
const LARGEST_CAPACITY: f64 = 1e8;

const OUTSIDE: u32 = u32::MAX;

impl FlowScratch {
    pub fn new(vertices: usize) -> FlowScratch {
        FlowScratch {
            local: vec![OUTSIDE; vertices],
            edges: Vec::new(),
            network: Network::default(),
        }
    }
}

/// Finds better borders for all pairs of adjacent blocks, and repeats while there is a gain.
pub fn improve_borders<D: BlockDistance>(
    division: &mut Division<'_, D>,
    reach: Reach,
    clock: &Clock<'_>,
) -> f64 {
    let blocks = division.capacity.len();
    let mut scratch = FlowScratch::new(division.graph.len());
    let mut active = vec![true; blocks];
    let mut total = 0.0;
    for _ in 0..reach.rounds {
        let mut changed = vec![false; blocks];
        let borders = borders(division);
        for (a, b, border) in borders {
            if !active[a as usize] && !active[b as usize] {
                continue;
            }
            if clock.is_over() {
                return total;
            }
            let gain = improve_border(division, a, b, &border, reach, &mut scratch, clock);
            if gain > 0.0 {
                total += gain;
                changed[a as usize] = true;
                changed[b as usize] = true;
            }
        }
        if !changed.iter().any(|&changed| changed) {
            break;
        }
        active = changed;
    }
    total
}

/// The pairs of adjacent blocks, each with the vertices along the border.
fn borders<D: BlockDistance>(division: &Division<'_, D>) -> Vec<(u32, u32, Vec<u32>)> {
    let mut ends: Vec<(u32, u32, u32)> = Vec::new();
    for vertex in 0..division.graph.len() as u32 {
        let home = division.block_of[vertex as usize];
        if !division.is_at_boundary(vertex) {
            continue;
        }
        for edge in division.graph.edges(vertex) {
            let there = division.block_of[edge.to as usize];
            if there != home {
                ends.push((home.min(there), home.max(there), vertex));
            }
        }
    }
    ends.sort_unstable();
    ends.dedup();
    ends.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1))
        .map(|pair| (pair[0].0, pair[0].1, pair.iter().map(|&(_, _, vertex)| vertex).collect()))
        .collect()
}

/// A region around a border, with its vertices in the order in which they were reached.
struct Region {
    vertices: Vec<u32>,
    /// The number of steps from the border in which each vertex was reached.
    depth: Vec<u32>,
}

fn improve_border<D: BlockDistance>(
    division: &mut Division<'_, D>,
    a: u32,
    b: u32,
    border: &[u32],
    reach: Reach,
    scratch: &mut FlowScratch,
    clock: &Clock<'_>,
) -> f64 {
    let region = lay_free(division, a, b, border, reach, scratch);
    // If the border alone is larger than a region may be, the blocks are intertwined, and no cut
    // nearby is better.
    let whole_border = border.iter().all(|&v| scratch.local[v as usize] != OUTSIDE);
    let gain = if whole_border { cut_region(division, a, b, &region, scratch, clock) } else { 0.0 };
    for &vertex in &region.vertices {
        scratch.local[vertex as usize] = OUTSIDE;
    }
    gain
}

/// Breadth first from the border into both blocks.
fn lay_free<D: BlockDistance>(
    division: &Division<'_, D>,
    a: u32,
    b: u32,
    border: &[u32],
    reach: Reach,
    scratch: &mut FlowScratch,
) -> Region {
    let graph = division.graph;
    let mut region = Region { vertices: Vec::new(), depth: Vec::new() };
    let mut size = [0.0; 2];
    let mut count = [0usize; 2];
    let least = reach.least as f64 * graph.largest_size();
    let limit = [a, b].map(|block| {
        let load = division.load(block);
        (load * reach.share).max(least.min(load * LARGEST_SHARE))
    });
    let mut add = |vertex: u32, depth: u32, region: &mut Region, local: &mut [u32]| {
        let block = division.block_of[vertex as usize];
        if (block != a && block != b) || local[vertex as usize] != OUTSIDE {
            return;
        }
        let side = usize::from(block == b);
        let more = graph.sizes[vertex as usize];
        if size[side] + more > limit[side] || count[side] >= reach.most {
            return;
        }
        size[side] += more;
        count[side] += 1;
        local[vertex as usize] = region.vertices.len() as u32;
        region.vertices.push(vertex);
        region.depth.push(depth);
    };
    for &vertex in border {
        add(vertex, 0, &mut region, &mut scratch.local);
    }
    let mut done = 0;
    while done < region.vertices.len() {
        let (vertex, depth) = (region.vertices[done], region.depth[done]);
        done += 1;
        for edge in graph.edges(vertex) {
            // Only through its own block: then the depth is the distance from the border.
            if division.block_of[edge.to as usize] == division.block_of[vertex as usize] {
                add(edge.to, depth + 1, &mut region, &mut scratch.local);
            }
        }
    }
    region
}

/// Weights as whole numbers: fine enough to distinguish borders, small enough to add up.
fn scale_of<D: BlockDistance>(division: &Division<'_, D>, region: &Region, apart: f32) -> f64 {
    let graph = division.graph;
    if D::UNIFORM && division.bias.is_empty() && graph.whole {
        return 1.0;
    }
    let weights = || region.vertices.iter().flat_map(|&v| graph.edges(v)).map(|e| e.weight);
    if D::UNIFORM && division.bias.is_empty() && weights().all(|w| w.fract() == 0.0 && w < 1e8) {
        return 1.0;
    }
    let largest = f64::from(weights().fold(f32::MIN_POSITIVE, f32::max));
    LARGEST_CAPACITY / (largest * f64::from(apart).max(1.0))
}

fn cut_region<D: BlockDistance>(
    division: &mut Division<'_, D>,
    a: u32,
    b: u32,
    region: &Region,
    scratch: &mut FlowScratch,
    clock: &Clock<'_>,
) -> f64 {
    let n = region.vertices.len();
    let apart = division.distance.between(a, b);
    let scale = scale_of(division, region, apart);
    let apart = f64::from(apart) * scale;
    let FlowScratch { local, edges, network } = scratch;
    edges.clear();
    let mut costs = vec![[0.0f64; 2]; n];
    let mut has = [false; 2];
    for (index, &vertex) in (0u32..).zip(&region.vertices) {
        let cost = &mut costs[index as usize];
        for edge in division.graph.edges(vertex) {
            let weight = f64::from(edge.weight);
            let other = local[edge.to as usize];
            if other == OUTSIDE {
                let there = division.block_of[edge.to as usize];
                has[0] |= there == a;
                has[1] |= there == b;
                cost[0] += weight * f64::from(division.distance.between(a, there)) * scale;
                cost[1] += weight * f64::from(division.distance.between(b, there)) * scale;
            } else if index < other {
                edges.push((index, other, (weight * apart).round() as i32));
            }
        }
        if !division.bias.is_empty() {
            for (cost, block) in cost.iter_mut().zip([a, b]) {
                *cost += f64::from(division.bias_of(vertex, block)) * scale;
            }
        }
    }
    // Both blocks must keep a part outside the region, otherwise one could vanish.
    if !(has[0] && has[1]) {
        return 0.0;
    }
    network.set(n, edges);
    let mut cost_now = 0i64;
    for (index, cost) in costs.iter().enumerate() {
        // Only the difference counts: the common cost is left out.
        let difference = (cost[1] - cost[0]).round() as i64;
        if difference > 0 {
            network.supply[index] = difference;
        } else {
            network.demand[index] = -difference;
        }
    }
    let side_now: Vec<bool> =
        region.vertices.iter().map(|&v| division.block_of[v as usize] == a).collect();
    for (index, &in_a) in side_now.iter().enumerate() {
        cost_now += if in_a { network.demand[index] } else { network.supply[index] };
    }
    for &(x, y, capacity) in edges.iter() {
        if side_now[x as usize] != side_now[y as usize] {
            cost_now += i64::from(capacity);
        }
    }
    let sizes: Vec<f64> =
        region.vertices.iter().map(|&v| division.graph.sizes[v as usize]).collect();
    let balancing = Balancing {
        loads: [a, b].map(|block| division.load(block)),
        room: [a, b].map(|block| division.capacity[block as usize]),
        sizes: &sizes,
        side_now: &side_now,
        depth: &region.depth,
    };
    let found = balancing.find(network, cost_now, clock);
    let Some(in_a) = found else { return 0.0 };
    let gain = (cost_now - network.flow()) as f64 / scale;
    for (index, &vertex) in region.vertices.iter().enumerate() {
        let block = if in_a[index] { a } else { b };
        if division.block_of[vertex as usize] != block {
            division.shift(vertex, block);
        }
    }
    gain
}

/// The search for a cut between two blocks that leaves both within their room.
struct Balancing<'a> {
    /// The present loads of both blocks, and what they may take.
    loads: [f64; 2],
    room: [f64; 2],
    /// The size of each vertex of the region, whether it is in the first block now, and its depth.
    sizes: &'a [f64],
    side_now: &'a [bool],
    depth: &'a [u32],
}

impl Balancing<'_> {
    /// Which vertices should be in block a, if that costs less than `cost_now` (or as much, in
    /// better balance) and fits; nothing if the time runs out before that is known.
    fn find(&self, network: &mut Network, cost_now: i64, clock: &Clock<'_>) -> Option<Vec<bool>> {
        let n = self.sizes.len();
        let total: f64 = self.sizes.iter().sum();
        let in_a_now: f64 =
            self.sizes.iter().zip(self.side_now).filter(|(_, a)| **a).map(|(size, _)| size).sum();
        let core_a = self.loads[0] - in_a_now;
        let core_b = self.loads[1] - (total - in_a_now);
        let room = self.room;
        let fits = |in_a: f64| core_a + in_a <= room[0] && core_b + total - in_a <= room[1];
        let mut source = vec![false; n];
        let mut sink = vec![false; n];
        loop {
            if !network.augment(cost_now, clock) || clock.is_over() {
                return None;
            }
            if network.flow() >= cost_now {
                return None;
            }
            network.mark_source_side(&mut source);
            network.mark_sink_side(&mut sink);
            let weigh = |mark: &[bool]| -> f64 {
                self.sizes.iter().zip(mark).filter(|(_, mark)| **mark).map(|(size, _)| size).sum()
            };
            let (with_source, with_sink) = (weigh(&source), weigh(&sink));
            if fits(with_source) {
                return Some(source);
            }
            if fits(total - with_sink) {
                return Some(sink.iter().map(|&sink| !sink).collect());
            }
            // Both sides of the cut are fixed; the lighter one takes more.
            let grow_source = core_a + with_source <= core_b + with_sink;
            let (from, to) = if grow_source { (&source, &sink) } else { (&sink, &source) };
            if grow_source && core_a + with_source > room[0]
                || !grow_source && core_b + with_sink > room[1]
            {
                return None;
            }
            let missing = ((core_a + with_source) - (core_b + with_sink)).abs() / 2.0;
            let pierced = self.pierce(network, from, to, grow_source, missing);
            if pierced.is_empty() {
                return None;
            }
            let grown = (0..n as u32).filter(|&v| from[v as usize]).chain(pierced);
            let ends = if grow_source { &mut network.supply } else { &mut network.demand };
            grown.for_each(|vertex| ends[vertex as usize] = UNLIMITED);
        }
    }

    /// The vertices next to `from` to take next. Those that cause no new flow are free, and up to
    /// `missing` of them are taken at once; otherwise one is taken. Those that were deepest on that
    /// side come first.
    fn pierce(
        &self,
        network: &Network,
        from: &[bool],
        to: &[bool],
        source: bool,
        missing: f64,
    ) -> Vec<u32> {
        let mut next: Vec<((bool, i64), u32)> = Vec::new();
        for vertex in (0..from.len() as u32).filter(|&v| from[v as usize]) {
            for beyond in network.neighbours(vertex) {
                let index = beyond as usize;
                if from[index] {
                    continue;
                }
                let own = self.side_now[index] == source;
                let depth = i64::from(self.depth[index]);
                next.push(((!to[index], if own { depth } else { -1 - depth }), beyond));
            }
        }
        if !next.iter().any(|((free, _), _)| *free) {
            return next.into_iter().max().map(|(_, vertex)| vertex).into_iter().collect();
        }
        next.retain(|((free, _), _)| *free);
        next.sort_unstable_by(|a, b| b.cmp(a));
        next.dedup();
        let mut taken = 0.0;
        let mut fits = |&(_, vertex): &(_, u32)| {
            let first = taken == 0.0;
            taken += self.sizes[vertex as usize];
            first || taken <= missing
        };
        next.into_iter().take_while(|next| fits(next)).map(|(_, vertex)| vertex).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multilevel::blocks::Uniform;
    use crate::multilevel::graph::examples::grid;
    use crate::run::Run;

    const REACH: Reach = Reach { share: 0.4, least: 0, most: 1_000, rounds: 3 };

    #[test]
    fn a_ragged_border_becomes_straight() {
        // 8 x 16, halved by a saw-tooth line: row r is cut at 7 or 9.
        let graph = grid(8, 16);
        let saw = |v: u32| u32::from(v % 16 >= if (v / 16).is_multiple_of(2) { 7 } else { 9 });
        let block_of = (0..128).map(saw).collect();
        let mut division = Division::new(&graph, &Uniform, &[66.0, 66.0], &[], block_of);
        let before = division.cost();
        let gain = improve_borders(&mut division, REACH, &Clock::new(&Run::new(1)));
        assert_eq!(division.cost(), 8.0);
        assert_eq!(gain, before - 8.0);
        assert_eq!(division.overload(), 0.0);
    }

    #[test]
    fn a_border_that_is_no_better_or_does_not_fit_is_not_taken() {
        // A strip of 2 x 8: every straight cut costs the same, and only the middle one fits.
        let graph = grid(2, 8);
        let block_of = (0..16).map(|v| u32::from(v % 8 >= 4)).collect();
        let mut division = Division::new(&graph, &Uniform, &[8.0, 8.0], &[], block_of);
        assert_eq!(improve_borders(&mut division, REACH, &Clock::new(&Run::new(1))), 0.0);
        assert_eq!((division.load(0), division.load(1)), (8.0, 8.0));
    }

    #[test]
    fn a_cheaper_border_that_overfills_a_block_is_refused() {
        // A strip of 3 x 12, with light edges between columns 4 and 5 and cut between 6 and 7. The
        // light edges would be the cheapest border if the right block had room for everything
        // beyond.
        let mut graph = grid(3, 12);
        let is_thin = |a: u32, b: u32| a % 12 == 4 && b % 12 == 5 && a / 12 != 1;
        for vertex in 0..36 {
            for at in graph.start[vertex as usize]..graph.start[vertex as usize + 1] {
                let edge = &mut graph.edges[at as usize];
                if is_thin(vertex, edge.to) || is_thin(edge.to, vertex) {
                    edge.weight = 0.01;
                }
            }
        }
        graph.whole = false;
        let block_of: Vec<u32> = (0..36).map(|v| u32::from(v % 12 >= 7)).collect();
        let cut = |capacity: [f64; 2]| {
            let mut division = Division::new(&graph, &Uniform, &capacity, &[], block_of.clone());
            let gain = improve_borders(&mut division, REACH, &Clock::new(&Run::new(1)));
            (gain > 0.0, division.load(1), division.overload())
        };
        assert_eq!(cut([24.0, 21.0]), (true, 21.0, 0.0));
        assert_eq!(cut([24.0, 20.0]), (false, 15.0, 0.0));
    }
}
