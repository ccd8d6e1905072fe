//! The program of table II solved by branch and bound: a placement on a cube is one cut of the
//! clusters into two halves for each dimension.
//!
//! The traffic across a cut spreads over the links of its dimension, so few cuts need to be
//! considered: those with less across than the best known placement has on its links. One of them
//! is chosen for each dimension, the cut with the most across first. So every placement that has
//! not been examined yet has at least as much across its cuts. The cuts chosen so far make a cube
//! of fewer dimensions, whose corners hold several clusters. Its links are bundles of the links of
//! the whole cube, and link prices (`prices`) bound their load from below for every split. For
//! complete placements that prices do not rule out, the linear program of the split decides.
//!
//! The turns and reflections of the cube do not count as separate placements: the first cluster is
//! on the near side of every cut, and cuts of equally wide dimensions have a fixed order.

use super::cube::Cube;
use super::halves::{Exchange, Half, Halves, halves};
use super::prices::{Demand, Prices};
use crate::pace::Pace;
use crate::run::Run;

/// A placement has to be better by this share. The solver of the paper (CPLEX) leaves the same gap.
pub const GAP: f64 = 1e-4;

/// Two numbers that were computed in different ways may differ by this share.
const ROUNDING: f64 = 1e-9;

/// The maximum number of halves stored for one cube.
const MOST_HALVES: usize = 20_000;

/// Rounds of prices for cuts of some dimensions, and for complete placements.
const ROUNDS_OF_PARTS: u64 = 8;
const ROUNDS_OF_WHOLES: u64 = 1000;

/// The number of steps that the linear program of a split counts as.
const STEPS_OF_A_SPLIT: u64 = 2000;

/// Compatible halves that are examined in one step.
const HALVES_IN_A_STEP: usize = 64;

/// The result of the search.
#[derive(Debug, Clone)]
pub struct Found {
    /// The corner of each cluster: one bit per dimension.
    pub corner_of: Vec<u32>,
    /// The load of the most loaded link under the best split.
    pub load: f64,
    /// No placement has a lower load.
    pub bound: f64,
    /// Whether no placement is better by more than [`GAP`].
    pub proven: bool,
    /// The number of steps used.
    pub steps: u64,
}

/// The best placement found from `start`, whose best split has `load`, within this many steps. A
/// step is a round of prices of a whole cube, or about as much work.
pub fn search(cube: &Cube, start: &[u32], load: f64, most_steps: u64, run: &Run) -> Found {
    let exchange = Exchange::new(cube.clusters, &cube.flows);
    let lowest = cube.lowest_load().max(fewest_hops(cube, &exchange));
    let mut widths = cube.widths.clone();
    widths.sort_by(f64::total_cmp);
    widths.dedup();
    let mut search = Search {
        cube,
        exchange,
        widths,
        lowest,
        corner_of: start.to_vec(),
        load,
        cuts: Vec::new(),
        undecided: f64::INFINITY,
        prices: Prices::default(),
        steps: 0,
        most_steps,
        run,
        pace: Pace::default(),
        over: false,
    };
    let bound = search.go_through().max(lowest).min(search.load);
    let proven = bound >= search.load * (1.0 - GAP) * (1.0 - ROUNDING);
    let Search { corner_of, load, steps, .. } = search;
    Found { corner_of, load, bound, proven, steps }
}

/// A lower bound: the load if all flows cross as few links as possible and all links are used
/// equally. Partners of a cluster are on different corners, the heaviest on the nearest.
fn fewest_hops(cube: &Cube, exchange: &Exchange) -> f64 {
    let dimensions = cube.widths.len() as u32;
    let mut distances: Vec<u32> = (1..1u32 << dimensions).map(u32::count_ones).collect();
    distances.sort_unstable();
    let mut hops = 0.0;
    for cluster in 0..exchange.clusters {
        let mut both_ways: Vec<f64> = (0..exchange.clusters)
            .filter(|&other| other != cluster)
            .map(|other| exchange.amount(cluster, other) + exchange.amount(other, cluster))
            .collect();
        both_ways.sort_by(|a, b| b.total_cmp(a));
        let pairs = both_ways.iter().zip(&distances);
        hops += pairs.map(|(amount, &distance)| amount * f64::from(distance)).sum::<f64>();
    }
    // Each flow was counted at both of its ends.
    let links = cube.widths.iter().sum::<f64>() * f64::from(1u32 << dimensions);
    hops / 2.0 / links
}

/// A half as the cut of a dimension.
#[derive(Debug, Clone, Copy)]
struct Cut {
    half: Half,
    /// The class of the width of its dimension.
    class: usize,
    /// The minimum load of each link of the dimension.
    load: f64,
}

struct Search<'a> {
    cube: &'a Cube,
    exchange: Exchange,
    /// The different widths of dimensions.
    widths: Vec<f64>,
    /// Known from the start: no placement has a lower load.
    lowest: f64,
    corner_of: Vec<u32>,
    load: f64,
    /// All cuts to consider, ordered by load.
    cuts: Vec<Cut>,
    /// A lower bound for placements that neither prices nor a solver decided on.
    undecided: f64,
    prices: Prices,
    steps: u64,
    most_steps: u64,
    run: &'a Run,
    pace: Pace,
    over: bool,
}

/// The cuts that were chosen, and the clusters in each cell that they make.
#[derive(Debug, Clone)]
struct Chosen {
    cuts: Vec<Cut>,
    /// Indexed by corner: the first cut is the lowest bit.
    cells: Vec<u32>,
    /// Dimensions of each width that have no cut yet.
    open: Vec<usize>,
}

impl Chosen {
    /// Whether a cut leaves no cell with more clusters than it has corners.
    fn takes(&self, cut: &Cut, corners: usize) -> bool {
        let room = (corners / self.cells.len() / 2) as u32;
        self.open[cut.class] > 0
            && self.cells.iter().all(|&cell| {
                (cell & cut.half.far).count_ones() <= room
                    && (cell & !cut.half.far).count_ones() <= room
            })
    }

    fn with(&self, cut: Cut) -> Chosen {
        let mut chosen = self.clone();
        chosen.open[cut.class] -= 1;
        chosen.cells = self.cells.iter().map(|cell| cell & !cut.half.far).collect();
        chosen.cells.extend(self.cells.iter().map(|cell| cell & cut.half.far));
        chosen.cuts.push(cut);
        chosen
    }
}

impl Search<'_> {
    /// Placements that are not better than this are refused.
    fn bar(&self) -> f64 {
        self.load * (1.0 - GAP)
    }

    fn spend(&mut self, steps: u64) {
        self.steps += steps;
        self.over |=
            self.steps >= self.most_steps || self.pace.is_due(steps as usize) && self.run.is_over();
    }

    /// Examines every placement that may be better. Returns a lower bound for those that it did not
    /// examine or could not decide on.
    fn go_through(&mut self) -> f64 {
        if self.lowest >= self.bar() {
            return self.lowest;
        }
        let left_out = self.find_cuts();
        let open = self.widths.iter().map(|width| self.dimensions(*width).count()).collect();
        let everyone = u32::MAX >> (32 - self.cube.clusters);
        let nothing = Chosen { cuts: Vec::new(), cells: vec![everyone], open };
        for top in 0..self.cuts.len() {
            let cut = self.cuts[top];
            if cut.load >= self.bar() {
                break;
            }
            if self.over {
                return cut.load.min(self.undecided).min(left_out);
            }
            // If corners stay empty, the same cut again gives another placement.
            let below: Vec<usize> = (0..=top).collect();
            self.extend(&nothing, cut, &below);
            if self.over {
                return cut.load.min(self.undecided).min(left_out);
            }
        }
        if self.over {
            return self.undecided.min(left_out);
        }
        self.load.min(self.undecided).min(left_out.max(self.lowest))
    }

    fn dimensions(&self, width: f64) -> impl Iterator<Item = usize> + '_ {
        let all = self.cube.widths.iter().enumerate();
        all.filter(move |(_, other)| **other == width).map(|(dimension, _)| dimension)
    }

    /// Finds the cuts to consider. Returns the link load of those that were left out.
    fn find_cuts(&mut self) -> f64 {
        let half = 1usize << (self.cube.widths.len() - 1);
        let widest = self.widths.iter().copied().fold(0.0, f64::max);
        let bar = self.bar() * half as f64 * widest;
        let looks = self.most_steps.saturating_sub(self.steps);
        let Halves { kept, left_out, looks } =
            halves(&self.exchange, half, bar, MOST_HALVES, looks);
        let bar = self.bar();
        for (class, &width) in self.widths.iter().enumerate() {
            let links = half as f64 * width;
            let cut = |&half: &Half| Cut { half, class, load: half.across / links };
            self.cuts.extend(kept.iter().map(cut).filter(|cut| cut.load < bar));
        }
        let key = |cut: &Cut| (cut.class, cut.half.far);
        self.cuts.sort_by(|a, b| a.load.total_cmp(&b.load).then(key(a).cmp(&key(b))));
        self.spend(looks / 16);
        left_out / (half as f64 * widest)
    }

    /// Adds a cut, and examines all placements with further cuts from `below`.
    fn extend(&mut self, chosen: &Chosen, cut: Cut, below: &[usize]) {
        let corners = 1 << self.cube.widths.len();
        self.spend(1);
        if self.over || !chosen.takes(&cut, corners) {
            return;
        }
        let chosen = chosen.with(cut);
        let whole = chosen.cells.len() == corners;
        // The load of a single cut is known.
        if chosen.cuts.len() > 1 && self.refused(&chosen, whole) {
            return;
        }
        if whole {
            return self.judge(&chosen);
        }
        self.spend((below.len() / HALVES_IN_A_STEP) as u64);
        let below: Vec<usize> = below
            .iter()
            .copied()
            .filter(|&other| chosen.takes(&self.cuts[other], corners))
            .collect();
        for (position, &next) in below.iter().enumerate() {
            if self.over {
                return;
            }
            self.extend(&chosen, self.cuts[next], &below[..=position]);
        }
    }

    /// Whether prices show that no placement with these cuts is better.
    fn refused(&mut self, chosen: &Chosen, whole: bool) -> bool {
        let demand = self.demand(chosen);
        let rounds = if whole { ROUNDS_OF_WHOLES } else { ROUNDS_OF_PARTS };
        let bar = self.bar();
        let shown = self.prices.lower_bound(&demand, bar, rounds);
        let work = |dimensions: usize| (dimensions << (2 * dimensions)) as u64;
        let all = work(self.cube.widths.len());
        self.spend((shown.rounds * work(chosen.cuts.len())).div_ceil(all));
        shown.lower >= bar
    }

    /// What the cells exchange, and the links between them, bundled by dimension.
    fn demand(&self, chosen: &Chosen) -> Demand {
        let cells = chosen.cells.len();
        let together = ((1usize << self.cube.widths.len()) / cells) as f64;
        let mut cell_of = [0; u32::BITS as usize];
        for (cell, &clusters) in chosen.cells.iter().enumerate() {
            for cluster in (0..self.cube.clusters).filter(|at| clusters >> at & 1 == 1) {
                cell_of[cluster] = cell;
            }
        }
        let mut amounts = vec![0.0; cells * cells];
        for &(from, to, weight) in &self.cube.flows {
            let (from, to) = (cell_of[from as usize], cell_of[to as usize]);
            if from != to {
                amounts[from * cells + to] += weight;
            }
        }
        let widths = chosen.cuts.iter().map(|cut| self.widths[cut.class] * together).collect();
        Demand { widths, amounts }
    }

    /// Finds the best split of a complete placement, and keeps the placement if it is better.
    fn judge(&mut self, chosen: &Chosen) {
        let mut taken = vec![0; self.widths.len()];
        let mut corner_of = vec![0; self.cube.clusters];
        for cut in &chosen.cuts {
            let dimension = self.dimensions(self.widths[cut.class]).nth(taken[cut.class]);
            let dimension = dimension.expect("as many cuts of a width as dimensions");
            taken[cut.class] += 1;
            for (cluster, corner) in corner_of.iter_mut().enumerate() {
                *corner |= (cut.half.far >> cluster & 1) << dimension;
            }
        }
        self.spend(STEPS_OF_A_SPLIT);
        match self.cube.free_split(&corner_of, self.run) {
            Some(load) if load < self.bar() => (self.corner_of, self.load) = (corner_of, load),
            Some(_) => {}
            // If the solver fails, only the loads of the cuts are known.
            None => {
                let known = chosen.cuts.iter().map(|cut| cut.load).fold(self.lowest, f64::max);
                self.undecided = self.undecided.min(known);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{self, Stream};

    fn random_flows(rng: &mut Stream, clusters: u32, one_in: u32) -> Vec<(u32, u32, f64)> {
        let mut flows = Vec::new();
        for from in 0..clusters {
            for to in (0..clusters).filter(|&to| to != from) {
                if random::below(rng, one_in) == 0 {
                    flows.push((from, to, f64::from(1 + random::below(rng, 20))));
                }
            }
        }
        flows
    }

    /// The least load of the best split over all placements, each evaluated by the linear program:
    /// every order of the clusters on the corners, no symmetry left out.
    fn least_by_trying_all(cube: &Cube, run: &Run) -> f64 {
        fn extend(cube: &Cube, placed: &mut Vec<u32>, least: &mut f64, run: &Run) {
            if placed.len() == cube.clusters {
                *least = least.min(cube.free_split(placed, run).unwrap());
                return;
            }
            for corner in 0..1 << cube.widths.len() {
                if !placed.contains(&corner) {
                    placed.push(corner);
                    extend(cube, placed, least, run);
                    placed.pop();
                }
            }
        }
        let mut least = f64::INFINITY;
        extend(cube, &mut Vec::new(), &mut least, run);
        least
    }

    fn check(cube: &Cube, run: &Run) {
        let start: Vec<u32> = (0..cube.clusters as u32).collect();
        let load = cube.free_split(&start, run).unwrap();
        let found = search(cube, &start, load, u64::MAX, run);
        let least = least_by_trying_all(cube, run);
        assert!(found.proven, "{cube:?}");
        assert!(found.load <= least * (1.0 + 1.01 * GAP), "{found:?} against {least}: {cube:?}");
        assert!(found.bound <= least * (1.0 + 1e-6), "{found:?} against {least}: {cube:?}");
        let again = cube.free_split(&found.corner_of, run).unwrap();
        assert!((again - found.load).abs() <= 1e-6 * (1.0 + again));
    }

    #[test]
    fn on_squares_it_finds_what_trying_all_finds() {
        let (mut rng, run) = (random::stream(1, &[11]), Run::new(1));
        for number in 0..40 {
            let widths = if number % 2 == 0 { vec![1.0, 1.0] } else { vec![3.0, 1.0] };
            let clusters = 2 + number % 3;
            let flows = random_flows(&mut rng, clusters as u32, 2);
            check(&Cube { widths, clusters, flows }, &run);
        }
    }

    #[test]
    fn on_a_cube_with_empty_corners_and_wide_links_it_finds_what_trying_all_finds() {
        let (mut rng, run) = (random::stream(1, &[12]), Run::new(1));
        for widths in [vec![1.0; 3], vec![1.0, 2.0, 2.0]] {
            let flows = random_flows(&mut rng, 4, 2);
            check(&Cube { widths, clusters: 4, flows }, &run);
        }
    }

    #[test]
    fn on_a_full_cube_it_finds_what_the_program_proves() {
        let (mut rng, run) = (random::stream(1, &[13]), Run::new(1));
        let start: Vec<u32> = (0..8).collect();
        for one_in in [2, 5] {
            let flows = random_flows(&mut rng, 8, one_in);
            let cube = Cube { widths: vec![1.0; 3], clusters: 8, flows };
            let placed = cube.place(&start, 100_000, &run).unwrap();
            let load = cube.free_split(&start, &run).unwrap();
            let found = search(&cube, &start, load, u64::MAX, &run);
            assert!(placed.proven && found.proven);
            assert!((found.load - placed.load).abs() <= 1.01 * GAP * placed.load, "{cube:?}");
        }
    }

    #[test]
    fn sixteen_neighbours_of_a_torus_are_the_corners_of_a_cube_and_that_is_proven() {
        // A 4 x 4 torus is a cube of four dimensions: every flow has its own link.
        let at = |x: u32, y: u32| x % 4 * 4 + y % 4;
        let mut flows = Vec::new();
        for (x, y) in (0..4).flat_map(|x| (0..4).map(move |y| (x, y))) {
            for to in [at(x + 1, y), at(x + 3, y), at(x, y + 1), at(x, y + 3)] {
                flows.push((at(x, y), to, 10.0));
            }
        }
        let cube = Cube { widths: vec![1.0; 4], clusters: 16, flows };
        let start: Vec<u32> = (0..16).collect();
        let run = Run::new(1);
        let load = cube.free_split(&start, &run).unwrap();
        let found = search(&cube, &start, load, 1_000_000, &run);
        assert!(found.proven && load > 10.5, "{found:?}");
        assert!((found.load - 10.0).abs() < 1e-5);
    }

    #[test]
    fn a_search_that_runs_out_of_steps_keeps_its_start_and_a_bound_that_holds() {
        let (mut rng, run) = (random::stream(1, &[14]), Run::new(1));
        let cube = Cube { widths: vec![1.0; 3], clusters: 8, flows: random_flows(&mut rng, 8, 2) };
        let start: Vec<u32> = (0..8).collect();
        let load = cube.free_split(&start, &run).unwrap();
        let all = search(&cube, &start, load, u64::MAX, &run);
        for steps in [0, 1, 10, 50] {
            let found = search(&cube, &start, load, steps, &run);
            assert!(found.load <= load && found.bound <= all.load * (1.0 + 1e-9));
            assert!(!found.proven || found.load <= all.load * (1.0 + 1.01 * GAP));
        }
    }
}
