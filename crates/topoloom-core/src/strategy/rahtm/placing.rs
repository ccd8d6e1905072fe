//! Phase 2: where each cluster of a block goes, from the top down.
//!
//! A search on the loads under equal shares finds good placements; the program of table II starts
//! from the best of them. A solver of such programs is first for up to four clusters. Branch and
//! bound (`halving`) solves the others; if that takes too long, the solver of programs continues. A block that was placed once is not placed again.

use std::collections::HashMap;

use super::cube::Cube;
use super::halving;
use super::hierarchy::Level;
use super::positions::Positions;
use super::report::{CubeReport, CubesReport, Onto, Proof};
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::objective::{LinkLoadMean, MaxLinkLoad, Objective};
use crate::problem::Problem;
use crate::random;
use crate::refiner::{Anneal, Refiner, Swap, Tabu};
use crate::routing::RelativeRoutes;
use crate::run::Run;
use crate::traffic::{Traffic, Weight};

/// Programs with more variables are not tried: their first relaxation takes minutes.
const MOST_VARIABLES: usize = 2000;

/// Up to this many clusters, a solver of linear programs comes first: it takes no time.
const MOST_FOR_PROGRAM: usize = 4;

/// Up to this many clusters, the search finds a start that exchanges do not improve.
const MOST_FOR_SEARCH: usize = 8;

/// The number of variables for a cube of eight clusters that all send.
const VARIABLES_OF_EIGHT: f64 = 256.0;

/// Exchanges that could be evaluated in the time of one search tree node.
const EVALUATIONS_OF_A_NODE: u64 = 50;

/// Up to this many clusters, the search also accepts losses.
const MOST_FOR_ESCAPES: usize = 128;

/// The number of the random stream of the starts.
const STARTS: u64 = 0x0072_6168_746d;

/// Flows count as equal if they are equal when rounded to this many steps up to the largest.
const STEPS: f64 = 50.0;

/// Blocks side by side, the lengths of one, and the traffic between them, in steps.
type Key = (Vec<u32>, Vec<u32>, Vec<(u32, u32, u8)>);

/// The budget for the cubes of a hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Nodes of the search trees of linear programs, for cubes of eight clusters; larger ones get
    /// fewer.
    pub nodes: u64,
    /// Steps of branch and bound.
    pub steps: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { nodes: 2000, steps: 1_000_000 }
    }
}

/// Places the clusters of blocks.
#[derive(Debug)]
pub struct Placing {
    /// The remaining budget of all programs, in search tree nodes for a cube of eight clusters.
    nodes_left: f64,
    steps_left: u64,
    known: HashMap<Key, Vec<u32>>,
    /// Indexed by number and size of parts; `None` if they have too many routes to store.
    positions: HashMap<(u32, u32), Option<Positions>>,
    /// The report on the cubes.
    pub report: CubesReport,
}

/// A placement and what is known about it.
struct Best {
    place_of: Vec<u32>,
    /// Under the best split.
    load: f64,
    bound: f64,
    proof: Proof,
}

impl Placing {
    /// A placing with this budget for all its cubes.
    pub fn new(budget: Budget) -> Placing {
        Placing {
            nodes_left: budget.nodes as f64,
            steps_left: budget.steps,
            known: HashMap::new(),
            positions: HashMap::new(),
            report: CubesReport::default(),
        }
    }

    /// Where each child of a block goes, given the traffic among them.
    pub fn place(
        &mut self,
        level: &Level,
        traffic: &Traffic,
        machine: &Machine,
        run: &mut Run,
    ) -> Vec<u32> {
        let clusters = traffic.num_ranks();
        if clusters < 2 || run.out_of_time() {
            return (0..clusters as u32).collect();
        }
        let key = (level.counts.clone(), level.block.clone(), quantised(traffic));
        if let Some(place_of) = self.known.get(&key) {
            self.report.repeated += 1;
            return place_of.clone();
        }
        let place_of = self.place_on_box(level, traffic, machine, run);
        self.known.insert(key, place_of.clone());
        place_of
    }

    /// The same on a machine of parts in parts.
    pub fn place_on_parts(
        &mut self,
        level: &Level,
        traffic: &Traffic,
        routes: &RelativeRoutes,
        run: &mut Run,
    ) -> Vec<u32> {
        let clusters = traffic.num_ranks();
        let in_order: Vec<u32> = (0..clusters as u32).collect();
        if clusters < 2 || run.out_of_time() {
            return in_order;
        }
        let key = (level.counts.clone(), level.block.clone(), quantised(traffic));
        if let Some(place_of) = self.known.get(&key) {
            self.report.repeated += 1;
            return place_of.clone();
        }
        let (parts, size) = (level.num_children() as u32, level.block.iter().product());
        let positions = self
            .positions
            .entry((parts, size))
            .or_insert_with(|| Positions::new(routes, parts, size));
        let steps = (self.steps_left / 2).min(run.evaluations_left());
        let flows: Vec<(u32, u32, f64)> =
            traffic.flows().map(|flow| (flow.from.0, flow.to.0, flow.bytes)).collect();
        let found =
            positions.as_ref().map(|positions| positions.search(&flows, clusters, steps, run));
        if let Some(found) = &found {
            self.steps_left = self.steps_left.saturating_sub(found.steps);
            run.count(found.steps);
        }
        self.report.cubes.push(CubeReport {
            onto: Onto::Parts,
            clusters,
            proof: match &found {
                Some(found) if found.proven => Proof::Branching,
                _ => Proof::Left,
            },
            load_and_bound: found.as_ref().map(|found| (found.load, found.bound)),
            search_went_on: false,
        });
        let place_of = found.map_or(in_order, |found| found.part_of);
        self.known.insert(key, place_of.clone());
        place_of
    }

    fn place_on_box(
        &mut self,
        level: &Level,
        traffic: &Traffic,
        machine: &Machine,
        run: &mut Run,
    ) -> Vec<u32> {
        let clusters = traffic.num_ranks();
        let candidates = search(level, traffic, machine, run);
        let by_search = candidates[0].clone();
        let best = self.solve(level, traffic, machine, candidates, run);
        // Joined blocks are evaluated by equal shares, and so is the placement with the best split.
        let equal = |place_of: &Vec<u32>| equal_split(level, traffic, machine, place_of);
        let search_went_on =
            best.as_ref().is_some_and(|best| equal(&by_search) < equal(&best.place_of));
        self.report.cubes.push(CubeReport {
            onto: Onto::Cube,
            clusters,
            proof: best.as_ref().map_or(Proof::Left, |best| best.proof),
            load_and_bound: best.as_ref().map(|best| (best.load, best.bound)),
            search_went_on,
        });
        match best {
            Some(best) if !search_went_on => best.place_of,
            _ => by_search,
        }
    }

    /// The best placement on a cube starting from those of the search; `None` if the level is not a
    /// cube, or is too large.
    fn solve(
        &mut self,
        level: &Level,
        traffic: &Traffic,
        machine: &Machine,
        candidates: Vec<Vec<u32>>,
        run: &mut Run,
    ) -> Option<Best> {
        if !level.is_cube() {
            return None;
        }
        let cube = Cube {
            widths: widths(level, machine),
            clusters: traffic.num_ranks(),
            flows: traffic.flows().map(|flow| (flow.from.0, flow.to.0, flow.bytes)).collect(),
        };
        if cube.num_variables() > MOST_VARIABLES || (self.nodes_left < 1.0 && self.steps_left == 0)
        {
            return None;
        }
        let mut best = best_split(&cube, candidates, run)?;
        // The program alone can solve eight clusters, as published, in about a second; branch and
        // bound proves the same in milliseconds. More clusters need a good start, for which the
        // program's first relaxation is of little use.
        if cube.clusters <= MOST_FOR_PROGRAM {
            self.solve_program(&cube, &mut best, run);
        } else if cube.clusters > MOST_FOR_SEARCH {
            self.descend(&cube, &mut best, run);
        }
        self.branch(&cube, &mut best, run);
        self.solve_program(&cube, &mut best, run);
        Some(best)
    }

    /// The number of search tree nodes for this cube, and the price of one. It is half of what is
    /// left, so the first cube does not use up everything.
    fn nodes_for(&self, cube: &Cube, run: &Run) -> (u64, f64) {
        // A node of a cube of 16 takes about ten times as long as that of a cube of 8.
        let price = (cube.num_variables() as f64 / VARIABLES_OF_EIGHT).powf(1.5);
        let affordable = (self.nodes_left / 2.0 / price) as u64;
        (affordable.min(run.evaluations_left() / EVALUATIONS_OF_A_NODE), price)
    }

    fn spend_nodes(&mut self, nodes: u64, price: f64, run: &mut Run) {
        self.nodes_left -= nodes as f64 * price;
        run.count(nodes * EVALUATIONS_OF_A_NODE);
    }

    /// Exchanges clusters while the best split gets better.
    fn descend(&mut self, cube: &Cube, best: &mut Best, run: &mut Run) {
        let (nodes, price) = self.nodes_for(cube, run);
        let looked_at = descend(cube, &mut best.place_of, &mut best.load, nodes / 3 * 2, run);
        self.spend_nodes(looked_at, price, run);
    }

    /// Continues with branch and bound.
    fn branch(&mut self, cube: &Cube, best: &mut Best, run: &mut Run) {
        let steps = (self.steps_left / 2).min(run.evaluations_left());
        if best.proof != Proof::Left || steps == 0 {
            return;
        }
        let found = halving::search(cube, &best.place_of, best.load, steps, run);
        self.steps_left = self.steps_left.saturating_sub(found.steps);
        run.count(found.steps);
        best.bound = best.bound.max(found.bound);
        (best.place_of, best.load) = (found.corner_of, found.load);
        if found.proven {
            best.proof = Proof::Branching;
        }
    }

    /// Continues with the linear program.
    fn solve_program(&mut self, cube: &Cube, best: &mut Best, run: &mut Run) {
        let (nodes, price) = self.nodes_for(cube, run);
        if best.proof != Proof::Left || nodes == 0 {
            return;
        }
        let Some(placed) = cube.place(&best.place_of, nodes, run) else { return };
        self.spend_nodes(placed.nodes, price, run);
        best.bound = best.bound.max(placed.bound);
        if placed.load <= best.load {
            (best.place_of, best.load) = (placed.corner_of, placed.load);
        }
        if placed.proven {
            best.proof = Proof::Program;
        }
    }
}

/// The first of the candidates whose best split has the least load.
fn best_split(cube: &Cube, candidates: Vec<Vec<u32>>, run: &mut Run) -> Option<Best> {
    let mut best: Option<Best> = None;
    for place_of in candidates {
        if best.is_some() && !run.spend_long(1) {
            break;
        }
        let Some(load) = cube.free_split(&place_of, run) else { continue };
        if best.as_ref().is_none_or(|best| load < best.load * (1.0 - 1e-9)) {
            best = Some(Best { place_of, load, bound: cube.lowest_load(), proof: Proof::Left });
        }
    }
    best
}

/// Exchanges clusters while the best split gets better, with at most this many splits evaluated;
/// returns how many were.
fn descend(cube: &Cube, places: &mut [u32], load: &mut f64, most: u64, run: &Run) -> u64 {
    let pairs: Vec<(usize, usize)> =
        (0..places.len()).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let (mut looked_at, mut in_vain) = (0, 0);
    for &(a, b) in pairs.iter().cycle() {
        let done = in_vain == pairs.len() || *load <= cube.lowest_load() * (1.0 + 1e-9);
        if done || looked_at == most || run.is_over() {
            break;
        }
        places.swap(a, b);
        looked_at += 1;
        match cube.free_split(places, run) {
            Some(less) if less < *load * (1.0 - 1e-9) => (*load, in_vain) = (less, 0),
            _ => {
                places.swap(a, b);
                in_vain += 1;
            }
        }
    }
    looked_at
}

/// The load of the most loaded link when every shortest route carries the same amount.
fn equal_split(level: &Level, traffic: &Traffic, machine: &Machine, place_of: &[u32]) -> f64 {
    let Some(problem) = problem(level, traffic, machine) else { return 0.0 };
    let mapping = Mapping::new(place_of.to_vec(), problem.machine()).expect("each place once");
    MaxLinkLoad.cost(&problem, &mapping)
}

/// The capacity of the links between blocks, for each dimension longer than 1: as many links as the
/// face of a block has nodes, and twice as many if they close a ring.
fn widths(level: &Level, machine: &Machine) -> Vec<f64> {
    let topology = machine.topology();
    let lengths = topology.grid_lengths().unwrap_or(&[]);
    let wraps = topology.lattice().is_some_and(|lattice| lattice.wraps);
    let nodes: u32 = level.block.iter().product();
    let mut stride = 1;
    let mut widths = Vec::new();
    for ((&length, &block), &count) in lengths.iter().zip(&level.block).zip(&level.counts) {
        if count > 1 {
            let closes = wraps && count * block == length;
            let mut next = Vec::new();
            topology.next_links(crate::Vertex(0), crate::Vertex(stride), &mut next);
            let ring = closes && (length > 2 || next.len() > 1);
            widths.push(f64::from(nodes / block) * if ring { 2.0 } else { 1.0 });
        }
        stride *= length;
    }
    // Relative to the narrowest: then loads are those of one link.
    let narrowest = widths.iter().copied().fold(f64::INFINITY, f64::min);
    widths.iter().map(|width| width / narrowest).collect()
}

/// Placements that are good when every shortest route carries the same amount, best first.
fn search(level: &Level, traffic: &Traffic, machine: &Machine, run: &mut Run) -> Vec<Vec<u32>> {
    let clusters = traffic.num_ranks();
    let in_order: Vec<u32> = (0..clusters as u32).collect();
    let Some(problem) = problem(level, traffic, machine) else { return vec![in_order] };
    let mut rng = random::stream(run.seed(), &[STARTS]);
    let starts = if clusters <= MOST_FOR_ESCAPES { 4 } else { 1 };
    let mut found: Vec<(f64, Vec<u32>)> = Vec::new();
    for number in 0..starts {
        if number > 0 && run.must_stop() {
            break;
        }
        let mut places: Vec<u32> = (0..level.num_children() as u32).collect();
        if number > 0 {
            random::shuffle(&mut rng, &mut places);
        }
        places.truncate(clusters);
        let start = Mapping::new(places, problem.machine()).expect("each place once");
        // Its costs are those of a part of the machine.
        let mut part = run.part().unreported();
        let mapping = improve(&problem, start, &mut part);
        run.absorb(part);
        // If there is nothing to compare it with, its cost does not matter.
        let cost = MaxLinkLoad.cost_within(&problem, &mapping, run);
        found.push((cost.unwrap_or(f64::INFINITY), mapping.slots().to_vec()));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.dedup_by(|a, b| a.1 == b.1);
    found.into_iter().map(|(_, places)| places).collect()
}

fn improve(problem: &Problem, start: Mapping, run: &mut Run) -> Mapping {
    let mean = LinkLoadMean::default();
    if problem.num_ranks() > MOST_FOR_ESCAPES {
        let swap = Swap { evaluations_per_rank: 100, ..Swap::default() };
        let mapping = swap.refine(problem, Some(&mean), start, run);
        return swap.refine(problem, Some(&MaxLinkLoad), mapping, run);
    }
    let anneal = Anneal { sweeps: 300, ..Anneal::default() };
    let mapping = anneal.refine(problem, Some(&mean), start, run);
    let iterations = 40 + problem.num_ranks() as u64;
    Tabu { iterations: Some(iterations), patience: None }.refine(
        problem,
        Some(&MaxLinkLoad),
        mapping,
        run,
    )
}

/// The blocks as nodes of a small machine.
fn problem(level: &Level, traffic: &Traffic, machine: &Machine) -> Option<Problem> {
    let wraps = machine.topology().lattice().is_some_and(|lattice| lattice.wraps);
    let lengths = machine.topology().grid_lengths()?;
    let closes = |(length, parent): (&u32, u32)| *length == parent;
    let ring = wraps && !level.is_cube() && lengths.iter().zip(level.parent()).all(closes);
    let sides: Vec<String> = level.counts.iter().map(u32::to_string).collect();
    let shape = format!("{}:{}", if ring { "torus" } else { "mesh" }, sides.join("x"));
    let machine = Machine::parse(&shape).ok()?.with_routing("minimal-adaptive").ok()?;
    Problem::new(traffic.clone(), machine, Weight::Bytes).ok()
}

fn quantised(traffic: &Traffic) -> Vec<(u32, u32, u8)> {
    let largest = traffic.flows().map(|flow| flow.bytes).fold(0.0, f64::max);
    let step = |bytes: f64| (bytes / largest * STEPS).round() as u8;
    traffic.flows().map(|flow| (flow.from.0, flow.to.0, step(flow.bytes))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrafficBuilder;

    fn level(dimensions: usize) -> Level {
        Level::of_box(vec![2; dimensions], vec![1; dimensions])
    }

    #[test]
    fn what_was_placed_once_is_not_placed_again() {
        let machine = Machine::parse("mesh:2x2").unwrap();
        let mut builder = TrafficBuilder::new(4);
        builder.add_both_ways(0, 3, 1.0, 100.0);
        builder.add_both_ways(1, 2, 1.0, 7.0);
        let traffic = builder.build();
        let mut placing = Placing::new(Budget::default());
        let once = placing.place(&level(2), &traffic, &machine, &mut Run::new(1));
        let again = placing.place(&level(2), &traffic, &machine, &mut Run::new(1));
        assert_eq!(once, again);
        assert_eq!((placing.report.count(Proof::Program), placing.report.repeated), (1, 1));
    }
}
