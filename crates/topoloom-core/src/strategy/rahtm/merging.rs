//! Phase 3: blocks are joined, each in the rotation or reflection that keeps the most loaded link
//! low.
//!
//! Blocks with the heaviest exchanges come first, while all choices are still open. After each
//! block, the best few combinations are kept.

use std::collections::{BinaryHeap, HashMap};
use std::sync::Mutex;

use rayon::prelude::*;

use super::hierarchy::{Level, Turns};
use super::orientation::Orientations;
use super::sheet::{Load, Sheet, Total};
use crate::clock::Clock;
use crate::machine::Machine;
use crate::routing::RelativeRoutes;
use crate::run::Run;
use crate::traffic::Traffic;

/// A place that holds no cluster.
pub const EMPTY: u32 = u32::MAX;

/// Orientations that are tried to find which blocks interfere most.
const MOST_FOR_ORDER: usize = 64;

/// The minimum number of combinations kept.
const LEAST_KEPT: usize = 4;

/// The cluster at each place of a block, with the first dimension fastest.
pub type Block = Vec<u32>;

/// Joins blocks.
#[derive(Debug)]
pub struct Merging<'a> {
    /// The lengths of the machine's box.
    lengths: Vec<u32>,
    routes: RelativeRoutes<'a>,
    /// What clusters exchange, with one cluster per node.
    traffic: &'a Traffic,
    /// How many combinations are kept.
    beam: usize,
    /// Links that may be visited while blocks are joined.
    most_looks: usize,
}

/// A flow between two places.
#[derive(Debug, Clone, Copy)]
struct Flow {
    from: u32,
    to: u32,
    weight: f64,
}

/// A block, its position and its traffic.
#[derive(Debug, Default)]
struct Child {
    /// The node of each place.
    node_at: Vec<u32>,
    inside: Vec<Flow>,
    /// What it sends to each other block: from a place here to a place there.
    to_other: Vec<Vec<Flow>>,
}

/// Some blocks joined.
#[derive(Debug, Clone)]
struct Joined {
    /// The orientation of each block that has joined.
    orientation_of: Vec<Option<u32>>,
    load: Load,
}

/// A possible next step: the joined blocks, the orientation of the next, and what that gives.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Step {
    total: Total,
    joined: usize,
    orientation: u32,
}

impl<'a> Merging<'a> {
    /// Joins blocks of a machine whose nodes hold one cluster each and fill a box of these lengths.
    /// If the machine has no dimensions, the box has one, whose length is the number of nodes.
    pub fn new(
        machine: &'a Machine,
        lengths: &[u32],
        traffic: &'a Traffic,
        beam: usize,
        most_looks: usize,
    ) -> Merging<'a> {
        let (lengths, routes) = (lengths.to_vec(), RelativeRoutes::new(machine));
        Merging { lengths, routes, traffic, beam, most_looks }
    }

    /// The routes of the machine.
    pub fn routes(&self) -> &RelativeRoutes<'a> {
        &self.routes
    }

    /// The block made from `blocks`, and the load of its most loaded link: block b lies at place
    /// `place_of[b]` of the parent.
    pub fn join(
        &self,
        level: &Level,
        blocks: &[Block],
        place_of: &[u32],
        run: &mut Run,
    ) -> (Block, f64) {
        let parent = Parent::new(level, &self.lengths);
        if run.out_of_time() {
            return (parent.joined(blocks, place_of, |_, place| place), 0.0);
        }
        let orientations = Orientations::of_level(level, &self.lengths);
        let children = self.children(&parent, blocks, place_of);
        // If blocks turn in other dimensions than those in which they lie side by side, turning all
        // of them changes nothing: the first may stay as it is.
        let apart = level.turns == Turns::Box
            && level.counts.iter().zip(&level.block).all(|(&count, &side)| count.min(side) == 1);
        let (chosen, load) = self.orient(&children, &orientations, apart, run);
        let turned = |number: usize, place| orientations.get(chosen[number])[place as usize];
        (parent.joined(blocks, place_of, turned), load)
    }

    fn children(&self, parent: &Parent, blocks: &[Block], place_of: &[u32]) -> Vec<Child> {
        let mut home: HashMap<u32, (u32, u32)> = HashMap::new();
        for (number, block) in (0..).zip(blocks) {
            for (place, &cluster) in (0..).zip(block).filter(|&(_, &cluster)| cluster != EMPTY) {
                home.insert(cluster, (number, place));
            }
        }
        let child = |(number, block): (usize, &Block)| {
            let node_at =
                (0..block.len() as u32).map(|place| parent.node(place_of[number], place)).collect();
            let mut child =
                Child { node_at, inside: Vec::new(), to_other: vec![Vec::new(); blocks.len()] };
            for (from, &cluster) in (0..).zip(block).filter(|&(_, &cluster)| cluster != EMPTY) {
                for flow in self.traffic.flows_from(crate::Rank(cluster)) {
                    let Some(&(other, to)) = home.get(&flow.to.0) else { continue };
                    let flow = Flow { from, to, weight: flow.bytes };
                    match other as usize == number {
                        true => child.inside.push(flow),
                        false => child.to_other[other as usize].push(flow),
                    }
                }
            }
            child
        };
        blocks.iter().enumerate().map(child).collect()
    }

    /// The orientation of each block.
    fn orient(
        &self,
        children: &[Child],
        orientations: &Orientations,
        first_stays: bool,
        run: &mut Run,
    ) -> (Vec<u32>, f64) {
        let all = orientations.len();
        let view = View { children, orientations };
        // The traffic of all blocks is evaluated once for each orientation of a block and of those
        // that it meets.
        let looks_once = self.looks(&view).max(1);
        let looks = all * looks_once;
        let beam = self.beam.min((self.most_looks / looks).max(LEAST_KEPT));
        let order = match all {
            1 => (0..children.len()).collect(),
            _ => self.order(&view, looks_once, &Clock::new(run)),
        };
        let nothing = Joined {
            orientation_of: vec![None; children.len()],
            load: Load::nothing(self.routes.link_bound()),
        };
        let mut kept = vec![nothing];
        for (position, &next) in order.iter().enumerate() {
            let combinations = (kept.len() * all) as u64;
            if run.evaluations_left() <= combinations || run.must_stop() {
                run.cut_short();
                break;
            }
            run.count(combinations);
            run.progress("merging", position as u64, order.len() as u64);
            // The first block is kept in every orientation if the budget allows. So the first two
            // meet in all orientations.
            let first = self.most_looks / 4 * children.len() / looks;
            let most = if position == 0 { first.max(beam) } else { beam };
            let turns = if position == 0 && first_stays { 1 } else { all };
            let clock = Clock::new(run);
            let steps = self.best_steps(&view, &kept, next, turns as u32, most, &clock);
            if clock.rang() || steps.is_empty() {
                run.cut_short();
                break;
            }
            kept = steps.par_iter().map(|step| self.after(&view, &kept, next, *step)).collect();
        }
        let best = &kept[0];
        let chosen = best.orientation_of.iter().map(|orientation| orientation.unwrap_or(0));
        (chosen.collect(), best.load.total().largest)
    }

    /// How many links all flows cross, counted per flow, with blocks as they are now.
    fn looks(&self, view: &View) -> usize {
        let mut looks = 0;
        for a in 0..view.children.len() {
            for (b, flows) in view.children[a].to_other.iter().enumerate() {
                let (in_a, in_b) = (view.nodes(a, 0), view.nodes(b, 0));
                for flow in flows {
                    self.routes.for_each(in_a(flow.from), in_b(flow.to), |_, _| looks += 1);
                }
            }
        }
        looks
    }

    /// The joined blocks after a step.
    fn after(&self, view: &View, kept: &[Joined], next: usize, step: Step) -> Joined {
        let mut joined = kept[step.joined].clone();
        let mut sheet = Sheet::new(self.routes.link_bound());
        self.put_inside(view, next, step.orientation, &mut sheet);
        for (other, their) in joined.orientation_of.iter().enumerate() {
            if let Some(their) = their {
                self.put_between(view, next, step.orientation, other, *their, &mut sheet);
            }
        }
        sheet.add_to(&mut joined.load);
        joined.orientation_of[next] = Some(step.orientation);
        joined
    }

    /// The best ways to add a block, best first.
    ///
    /// The traffic of the block with another in two given orientations does not depend on the other
    /// blocks, and few orientations of the joined blocks are left. So it is computed once.
    fn best_steps(
        &self,
        view: &View,
        kept: &[Joined],
        next: usize,
        turns: u32,
        most: usize,
        clock: &Clock<'_>,
    ) -> Vec<Step> {
        let cutoff = Mutex::new(Cutoff { loads: BinaryHeap::new(), most });
        let steps_of = |sheets: &mut [Sheet; 2], orientation: u32| {
            let [sheet, scratch] = sheets;
            let mut known: HashMap<(usize, u32), Vec<(u32, f64)>> = HashMap::new();
            if clock.is_over() {
                return Vec::new();
            }
            self.put_inside(view, next, orientation, scratch);
            let inside = scratch.take();
            let mut steps = Vec::new();
            for (joined, state) in kept.iter().enumerate() {
                if clock.is_over() {
                    break;
                }
                sheet.add(&inside);
                for (other, their) in state.orientation_of.iter().enumerate() {
                    let Some(their) = *their else { continue };
                    let between = known.entry((other, their)).or_insert_with(|| {
                        self.put_between(view, next, orientation, other, their, scratch);
                        scratch.take()
                    });
                    sheet.add(between);
                }
                let bar = cutoff.lock().expect("no thread panics").bar();
                if let Some(total) = sheet.total(&state.load, bar) {
                    cutoff.lock().expect("no thread panics").add(total.largest);
                    steps.push(Step { total, joined, orientation });
                }
                sheet.clear();
            }
            steps
        };
        let links = self.routes.link_bound();
        let mut steps: Vec<Step> = (0..turns)
            .into_par_iter()
            .map_init(|| [Sheet::new(links), Sheet::new(links)], steps_of)
            .flatten_iter()
            .collect();
        steps.sort_by(|a, b| a.partial_cmp(b).expect("loads are numbers"));
        steps.truncate(most);
        steps
    }

    /// Puts on the sheet the traffic inside a block.
    fn put_inside(&self, view: &View, block: usize, orientation: u32, sheet: &mut Sheet) {
        let here = view.nodes(block, orientation);
        for flow in &view.children[block].inside {
            sheet.put(&self.routes, here(flow.from), here(flow.to), flow.weight);
        }
    }

    /// Puts on the sheet the traffic between two blocks.
    fn put_between(
        &self,
        view: &View,
        a: usize,
        orientation_of_a: u32,
        b: usize,
        orientation_of_b: u32,
        sheet: &mut Sheet,
    ) {
        let (in_a, in_b) = (view.nodes(a, orientation_of_a), view.nodes(b, orientation_of_b));
        for flow in &view.children[a].to_other[b] {
            sheet.put(&self.routes, in_a(flow.from), in_b(flow.to), flow.weight);
        }
        for flow in &view.children[b].to_other[a] {
            sheet.put(&self.routes, in_b(flow.from), in_a(flow.to), flow.weight);
        }
    }

    /// The blocks in descending order of the average, over all others, of the least load that the
    /// pair can have.
    fn order(&self, view: &View, looks: usize, clock: &Clock<'_>) -> Vec<usize> {
        let count = view.children.len();
        let some = (self.most_looks / 8 / looks).clamp(1, MOST_FOR_ORDER);
        let step = view.orientations.len().div_ceil(some);
        let pairs: Vec<(usize, usize)> =
            (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))).collect();
        let links = self.routes.link_bound();
        let loads: Vec<f64> = pairs
            .par_iter()
            .map_init(
                || Sheet::new(links),
                |sheet, &(a, b)| self.least_of_pair(view, a, b, step, sheet, clock),
            )
            .collect();
        let mut sums = vec![0.0; count];
        for (&(a, b), load) in pairs.iter().zip(loads) {
            sums[a] += load;
            sums[b] += load;
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]).then(a.cmp(&b)));
        order
    }

    /// The least load of two blocks alone: the best orientation of one, then of the other, trying
    /// every `step`-th one.
    fn least_of_pair(
        &self,
        view: &View,
        a: usize,
        b: usize,
        step: usize,
        sheet: &mut Sheet,
        clock: &Clock<'_>,
    ) -> f64 {
        if view.children[a].to_other[b].is_empty() && view.children[b].to_other[a].is_empty() {
            return 0.0;
        }
        let mut chosen = (0, f64::INFINITY);
        for (turning, fixed) in [(a, b), (b, a)] {
            let their = chosen.0;
            let mut load = Load::nothing(self.routes.link_bound());
            self.put_inside(view, fixed, their, sheet);
            sheet.add_to(&mut load);
            chosen = (0, f64::INFINITY);
            for orientation in (0..view.orientations.len() as u32).step_by(step) {
                if clock.is_over() {
                    return 0.0;
                }
                self.put_inside(view, turning, orientation, sheet);
                self.put_between(view, turning, orientation, fixed, their, sheet);
                if let Some(total) = sheet.total(&load, chosen.1)
                    && total.largest < chosen.1
                {
                    chosen = (orientation, total.largest);
                }
                sheet.clear();
            }
        }
        chosen.1
    }
}

/// The blocks and how they can be turned.
struct View<'a> {
    children: &'a [Child],
    orientations: &'a Orientations,
}

impl View<'_> {
    /// The node of each place of a block in an orientation.
    fn nodes(&self, block: usize, orientation: u32) -> impl Fn(u32) -> u32 + '_ {
        let turned = self.orientations.get(orientation);
        let node_at = &self.children[block].node_at;
        move |place| node_at[turned[place as usize] as usize]
    }
}

/// The largest loads of the best few so far: a combination above all of them need not be examined.
struct Cutoff {
    /// As bits, which have the same order: no load is below 0.
    loads: BinaryHeap<u64>,
    most: usize,
}

impl Cutoff {
    fn bar(&self) -> f64 {
        match self.loads.peek() {
            Some(largest) if self.loads.len() >= self.most => f64::from_bits(*largest),
            _ => f64::INFINITY,
        }
    }

    fn add(&mut self, load: f64) {
        self.loads.push(load.to_bits());
        if self.loads.len() > self.most {
            self.loads.pop();
        }
    }
}

/// A block made of blocks: the positions of places and nodes.
struct Parent {
    counts: Vec<u32>,
    block: Vec<u32>,
    /// What a step along each dimension adds to the number of a node.
    strides: Vec<u32>,
}

impl Parent {
    fn new(level: &Level, lengths: &[u32]) -> Parent {
        let mut stride = 1;
        let strides = lengths.iter().map(|&length| {
            let this = stride;
            stride *= length;
            this
        });
        let strides = strides.collect();
        Parent { counts: level.counts.clone(), block: level.block.clone(), strides }
    }

    /// The block made from blocks, each at its place, with its own places turned.
    fn joined(
        &self,
        blocks: &[Block],
        place_of: &[u32],
        turned: impl Fn(usize, u32) -> u32,
    ) -> Block {
        let mut joined = vec![EMPTY; self.num_places()];
        for (number, block) in blocks.iter().enumerate() {
            for (place, &cluster) in (0..).zip(block) {
                joined[self.place(place_of[number], turned(number, place))] = cluster;
            }
        }
        joined
    }

    fn num_places(&self) -> usize {
        self.counts
            .iter()
            .zip(&self.block)
            .map(|(count, length)| (count * length) as usize)
            .product()
    }

    /// The coordinates of a place of a child.
    fn coordinates(&self, mut child: u32, mut place: u32) -> impl Iterator<Item = u32> + '_ {
        self.counts.iter().zip(&self.block).map(move |(&count, &length)| {
            let at = child % count * length + place % length;
            child /= count;
            place /= length;
            at
        })
    }

    /// The place in the parent of a place of a child.
    fn place(&self, child: u32, place: u32) -> usize {
        let (mut number, mut stride) = (0, 1);
        for (at, (&count, &length)) in
            self.coordinates(child, place).zip(self.counts.iter().zip(&self.block))
        {
            number += at * stride;
            stride *= count * length;
        }
        number as usize
    }

    /// The node of a place of a child, counted from the parent's lowest.
    fn node(&self, child: u32, place: u32) -> u32 {
        self.coordinates(child, place).zip(&self.strides).map(|(at, stride)| at * stride).sum()
    }
}
