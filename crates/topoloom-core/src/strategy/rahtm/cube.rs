//! The program of table II: clusters are placed on the corners of a 2-ary n-cube. The most loaded
//! link is to carry least when every flow may be split freely over its shortest routes.
//!
//! In a cube, a flow leaves its source in every dimension that it crosses. So its direction in a
//! dimension (r in the table) is given by the source's side, and needs no variable. All flows of a
//! source go in the same directions and share their variables: the amount that arrives at each
//! corner (C2) separates them.

use super::solver::{Answer, Program, Sense};
use crate::run::Run;

/// The tolerance for a solver's numbers; flows are scaled to make the largest 1.
const TOLERANCE: f64 = 1e-6;

/// Clusters to be placed on the corners of a cube.
#[derive(Debug, Clone)]
pub struct Cube {
    /// How much each dimension's links carry, compared with the others.
    pub widths: Vec<f64>,
    /// The number of clusters, at most as many as corners.
    pub clusters: usize,
    /// (from, to, weight), without repeated pairs and self pairs.
    pub flows: Vec<(u32, u32, f64)>,
}

/// Where clusters go, and how good that is.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The corner of each cluster: one bit per dimension.
    pub corner_of: Vec<u32>,
    /// The load of the most loaded link under the best split.
    pub load: f64,
    /// No placement has a lower load.
    pub bound: f64,
    /// Whether nothing better exists.
    pub proven: bool,
    /// The number of search tree nodes used.
    pub nodes: u64,
}

impl Cube {
    fn corners(&self) -> usize {
        1 << self.widths.len()
    }

    fn largest_flow(&self) -> f64 {
        self.flows.iter().map(|flow| flow.2).fold(0.0, f64::max)
    }

    /// What a cluster sends and receives in total.
    fn volumes(&self) -> Vec<(f64, f64)> {
        let mut volumes = vec![(0.0, 0.0); self.clusters];
        for &(from, to, weight) in &self.flows {
            volumes[from as usize].0 += weight;
            volumes[to as usize].1 += weight;
        }
        volumes
    }

    /// No placement is better than this: everything that a cluster sends or receives crosses the
    /// links of its corner.
    pub fn lowest_load(&self) -> f64 {
        let width: f64 = self.widths.iter().sum();
        let volumes = self.volumes();
        volumes.iter().map(|&(out, into)| out.max(into) / width).fold(0.0, f64::max)
    }

    /// The size of the program: a measure of its running time.
    pub fn num_variables(&self) -> usize {
        let sources = self.volumes().iter().filter(|volume| volume.0 > 0.0).count();
        self.corners() * (self.clusters + sources * self.widths.len())
    }

    /// The load of the most loaded link when clusters are on these corners and each flow is split
    /// optimally; `None` if the solver fails.
    pub fn free_split(&self, corner_of: &[u32], run: &Run) -> Option<f64> {
        if self.flows.is_empty() {
            return Some(0.0);
        }
        let table = Table::new(self, Choice::Fixed(corner_of));
        let answer = table.program.minimise(None, u64::MAX, run)?;
        let load = table.load(&answer)?;
        (answer.proven && table.program.allows(&answer.values, TOLERANCE))
            .then_some(load * self.largest_flow())
    }

    /// The best placement that the program finds from `start` within this many nodes of its search
    /// tree; `None` if the solver fails or its answer is wrong.
    pub fn place(&self, start: &[u32], most_nodes: u64, run: &Run) -> Option<Placed> {
        if self.flows.is_empty() {
            let corner_of = start.to_vec();
            return Some(Placed { corner_of, load: 0.0, bound: 0.0, proven: true, nodes: 0 });
        }
        let [first, second] = self.heaviest_pair();
        let start = self.turned(start, first, second);
        let table = Table::new(self, Choice::Free { first, second });
        let warm: Vec<(usize, f64)> = (0..self.clusters)
            .flat_map(|cluster| (0..self.corners()).map(move |corner| (cluster, corner)))
            .map(|(cluster, corner)| {
                let here = start[cluster] as usize == corner;
                (table.at(cluster, corner), f64::from(u8::from(here)))
            })
            .collect();
        let answer = table.program.minimise(Some(&warm), most_nodes, run)?;
        if !table.program.allows(&answer.values, TOLERANCE) {
            return None;
        }
        let corner_of = table.corners(&answer)?;
        let scale = self.largest_flow();
        let load = table.load(&answer)? * scale;
        let bound = answer.bound.max(self.lowest_load() / scale) * scale;
        Some(Placed { corner_of, load, bound, proven: answer.proven, nodes: answer.nodes })
    }

    /// The cluster with the most traffic, and its heaviest partner.
    fn heaviest_pair(&self) -> [u32; 2] {
        let most = |volumes: Vec<f64>| {
            let heavier =
                |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0));
            volumes.into_iter().enumerate().max_by(heavier).map_or(0, |(cluster, _)| cluster as u32)
        };
        let first = most(self.volumes().into_iter().map(|(out, into)| out + into).collect());
        let mut with_first = vec![0.0; self.clusters];
        for &(from, to, weight) in &self.flows {
            if from == first {
                with_first[to as usize] += weight;
            } else if to == first {
                with_first[from as usize] += weight;
            }
        }
        with_first[first as usize] = -1.0;
        [first, most(with_first)]
    }

    fn is_uniform(&self) -> bool {
        self.widths.iter().all(|&width| width == self.widths[0])
    }

    /// The same placement, turned to put `first` in corner 0 and, if all dimensions are alike,
    /// `second` across the first few of them.
    fn turned(&self, corner_of: &[u32], first: u32, second: u32) -> Vec<u32> {
        let origin = corner_of[first as usize];
        let across = corner_of[second as usize] ^ origin;
        let mut order: Vec<usize> = (0..self.widths.len()).collect();
        if self.is_uniform() {
            order.sort_by_key(|&dimension| across >> dimension & 1 == 0);
        }
        let turn = |&corner: &u32| {
            let bits = order.iter().enumerate();
            bits.fold(0, |turned, (to, &from)| turned | ((corner ^ origin) >> from & 1) << to)
        };
        corner_of.iter().map(turn).collect()
    }
}

/// What the program may choose.
enum Choice<'a> {
    /// Nothing: the clusters are on these corners.
    Fixed(&'a [u32]),
    /// Everything except what follows from symmetry: `first` is in corner 0, and `second`, if all
    /// dimensions are alike, is across the first few of them.
    Free { first: u32, second: u32 },
}

/// The program and the numbers of its variables.
struct Table<'a> {
    cube: &'a Cube,
    program: Program,
    /// The largest load.
    load: usize,
    /// Whether a cluster is in a corner.
    at: Vec<usize>,
    /// The corners of all clusters, if they are given.
    fixed: Option<&'a [u32]>,
    /// What each link carries.
    carried: Vec<Vec<usize>>,
}

impl<'a> Table<'a> {
    fn new(cube: &'a Cube, choice: Choice<'a>) -> Table<'a> {
        let mut program = Program::default();
        let scale = cube.largest_flow();
        let load = program.add_column(1.0, cube.lowest_load() / scale, f64::INFINITY, false);
        let fixed = match choice {
            Choice::Fixed(corner_of) => Some(corner_of),
            Choice::Free { .. } => None,
        };
        let carried = vec![Vec::new(); cube.corners() * cube.widths.len()];
        let mut table = Table { cube, program, load, at: Vec::new(), fixed, carried };
        table.add_places(&choice);
        for source in 0..cube.clusters as u32 {
            let flows: Vec<(u32, f64)> = cube
                .flows
                .iter()
                .filter(|flow| flow.0 == source)
                .map(|&(_, to, weight)| (to, weight / scale))
                .collect();
            if !flows.is_empty() {
                table.add_source(source, &flows);
            }
        }
        for (number, columns) in table.carried.iter().enumerate() {
            let width = cube.widths[number % cube.widths.len()];
            let mut terms: Vec<(usize, f64)> =
                columns.iter().map(|&column| (column, 1.0)).collect();
            terms.push((load, -width));
            table.program.add_row(terms, Sense::AtMost, 0.0);
        }
        table
    }

    fn at(&self, cluster: usize, corner: usize) -> usize {
        self.at[cluster * self.cube.corners() + corner]
    }

    /// C1: each cluster is in one corner, with at most one in each.
    fn add_places(&mut self, choice: &Choice) {
        let (clusters, corners) = (self.cube.clusters, self.cube.corners());
        for cluster in 0..clusters as u32 {
            for corner in 0..corners as u32 {
                let (low, high) = match *choice {
                    Choice::Fixed(corner_of) => {
                        let here = f64::from(u8::from(corner_of[cluster as usize] == corner));
                        (here, here)
                    }
                    Choice::Free { first, .. } if cluster == first || corner == 0 => {
                        let here = f64::from(u8::from(cluster == first && corner == 0));
                        (here, here)
                    }
                    Choice::Free { second, .. } if cluster == second && self.cube.is_uniform() => {
                        // 1, 11, 111, ...: others are the same with the dimensions in another
                        // order.
                        (0.0, f64::from(u8::from((corner + 1).is_power_of_two())))
                    }
                    Choice::Free { .. } => (0.0, 1.0),
                };
                let integer = matches!(choice, Choice::Free { .. });
                let column = self.program.add_column(0.0, low, high, integer);
                self.at.push(column);
            }
        }
        if matches!(choice, Choice::Fixed(_)) {
            return;
        }
        for cluster in 0..clusters {
            let terms = (0..corners).map(|corner| (self.at(cluster, corner), 1.0)).collect();
            self.program.add_row(terms, Sense::Equal, 1.0);
        }
        for corner in 0..corners {
            let terms = (0..clusters).map(|cluster| (self.at(cluster, corner), 1.0)).collect();
            let sense = if clusters == corners { Sense::Equal } else { Sense::AtMost };
            self.program.add_row(terms, sense, 1.0);
        }
    }

    /// Adds C2 and C3 for all flows of a source, and records what they put on each link.
    fn add_source(&mut self, source: u32, flows: &[(u32, f64)]) {
        let (corners, dimensions) = (self.cube.corners(), self.cube.widths.len());
        let sent: f64 = flows.iter().map(|flow| flow.1).sum();
        let mut leaving = vec![None; corners * dimensions];
        for corner in 0..corners {
            for dimension in 0..dimensions {
                let other_side = |other: u32| (other as usize ^ corner) >> dimension & 1 == 1;
                // C3: only from the source's side of the dimension to the other.
                if self.fixed.is_some_and(|corner_of| other_side(corner_of[source as usize])) {
                    continue;
                }
                let on_link = self.program.add_column(0.0, 0.0, f64::INFINITY, false);
                if self.fixed.is_none() {
                    let mut terms = vec![(on_link, 1.0)];
                    let same_side = (0..corners).filter(|&other| !other_side(other as u32));
                    terms.extend(same_side.map(|other| (self.at(source as usize, other), -sent)));
                    self.program.add_row(terms, Sense::AtMost, 0.0);
                }
                self.carried[corner * dimensions + dimension].push(on_link);
                leaving[corner * dimensions + dimension] = Some(on_link);
            }
        }
        for corner in 0..corners {
            let mut terms = vec![(self.at(source as usize, corner), -sent)];
            for dimension in 0..dimensions {
                let arriving = leaving[(corner ^ (1 << dimension)) * dimensions + dimension];
                terms.extend(leaving[corner * dimensions + dimension].map(|column| (column, 1.0)));
                terms.extend(arriving.map(|column| (column, -1.0)));
            }
            terms.extend(flows.iter().map(|&(to, weight)| (self.at(to as usize, corner), weight)));
            self.program.add_row(terms, Sense::Equal, 0.0);
        }
    }

    /// The load of the most loaded link under the solver's flows; `None` if that is more than the
    /// solver claims.
    fn load(&self, answer: &Answer) -> Option<f64> {
        let on_link = |(number, columns): (usize, &Vec<usize>)| {
            let sum: f64 = columns.iter().map(|&column| answer.values[column]).sum();
            sum / self.cube.widths[number % self.cube.widths.len()]
        };
        let load = self.carried.iter().enumerate().map(on_link).fold(0.0, f64::max);
        (load <= answer.values[self.load] + TOLERANCE).then_some(load)
    }

    /// The corner of each cluster; `None` if that is not a placement.
    fn corners(&self, answer: &Answer) -> Option<Vec<u32>> {
        let corners = self.cube.corners();
        let mut taken = vec![false; corners];
        let mut corner_of = Vec::with_capacity(self.cube.clusters);
        for cluster in 0..self.cube.clusters {
            let corner =
                (0..corners).find(|&corner| answer.values[self.at(cluster, corner)] > 0.5)?;
            if std::mem::replace(&mut taken[corner], true) {
                return None;
            }
            corner_of.push(corner as u32);
        }
        Some(corner_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::{MaxLinkLoad, Objective};
    use crate::random::{self, Stream};
    use crate::{Machine, Mapping, Problem, TrafficBuilder, Weight};

    fn cube(dimensions: usize, flows: Vec<(u32, u32, f64)>) -> Cube {
        Cube { widths: vec![1.0; dimensions], clusters: 1 << dimensions, flows }
    }

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

    /// Calls `visit` with every placement, without those that a symmetry of the cube makes from
    /// another: cluster 0 is in corner 0, cluster 1 across the first few dimensions.
    fn for_each_placement(clusters: u32, visit: &mut dyn FnMut(&[u32])) {
        fn extend(placed: &mut Vec<u32>, clusters: u32, visit: &mut dyn FnMut(&[u32])) {
            if placed.len() as u32 == clusters {
                return visit(placed);
            }
            // The second is across the first few dimensions: other corners are the same after a
            // turn.
            let open = |corner: &u32| placed.len() > 1 || (corner + 1).is_power_of_two();
            for corner in (1..clusters).filter(open).collect::<Vec<_>>() {
                if !placed.contains(&corner) {
                    placed.push(corner);
                    extend(placed, clusters, visit);
                    placed.pop();
                }
            }
        }
        extend(&mut vec![0], clusters, visit);
    }

    /// The load of the most loaded link when every shortest route carries the same amount.
    fn equal_split(cube: &Cube, corner_of: &[u32]) -> f64 {
        let mut builder = TrafficBuilder::new(cube.clusters as u32);
        cube.flows.iter().for_each(|&(from, to, weight)| builder.add(from, to, 1.0, weight));
        let spec = format!("mesh:{}", vec!["2"; cube.widths.len()].join("x"));
        let machine = Machine::parse(&spec).unwrap().with_routing("minimal-adaptive").unwrap();
        let mapping = Mapping::new(corner_of.to_vec(), &machine).unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        MaxLinkLoad.cost(&problem, &mapping)
    }

    #[test]
    fn the_heavy_pair_of_figure_1_goes_to_the_diagonal_and_that_is_proven() {
        let mut flows = vec![(0, 1, 10.0), (1, 0, 10.0)];
        for (a, b) in [(0, 2), (1, 3), (2, 3)] {
            flows.extend([(a, b, 1.0), (b, a, 1.0)]);
        }
        let cube = cube(2, flows);
        let side_by_side = [0, 1, 2, 3];
        let run = Run::new(1);
        // Half of the heavy flow, a light one, and half of the light pair on the other diagonal.
        let placed = cube.place(&side_by_side, 1000, &run).unwrap();
        assert!(placed.proven);
        assert_eq!(placed.corner_of[0] ^ placed.corner_of[1], 3);
        assert_eq!(cube.free_split(&side_by_side, &run), Some(10.0));
        assert!((placed.load - 6.5).abs() < 1e-6, "{}", placed.load);
        assert!((equal_split(&cube, &placed.corner_of) - 6.5).abs() < 1e-3);
    }

    /// The least, over all placements, of the best free split, each found separately.
    fn least_by_trying_all(cube: &Cube, run: &Run) -> f64 {
        let mut least = f64::INFINITY;
        for_each_placement(cube.clusters as u32, &mut |corner_of| {
            least = least.min(cube.free_split(corner_of, run).unwrap());
        });
        least
    }

    #[test]
    fn on_a_square_the_program_finds_what_trying_all_finds() {
        let (mut rng, run) = (random::stream(1, &[1]), Run::new(1));
        for _ in 0..60 {
            let cube = cube(2, random_flows(&mut rng, 4, 2));
            let placed = cube.place(&[0, 1, 2, 3], 10_000, &run).unwrap();
            let least = least_by_trying_all(&cube, &run);
            assert!(placed.proven);
            assert!((placed.load - least).abs() <= 1e-6 * (1.0 + least), "{cube:?}");
            let load = cube.free_split(&placed.corner_of, &run).unwrap();
            assert!((placed.load - load).abs() <= 1e-6 * (1.0 + load));
            assert!(equal_split(&cube, &placed.corner_of) >= load * (1.0 - 1e-9));
        }
    }

    #[test]
    fn on_a_cube_the_program_finds_what_trying_all_finds() {
        let (mut rng, run) = (random::stream(1, &[2]), Run::new(1));
        for _ in 0..2 {
            let cube = cube(3, random_flows(&mut rng, 8, 5));
            let placed = cube.place(&[0, 1, 2, 3, 4, 5, 6, 7], 100_000, &run).unwrap();
            assert!(placed.proven);
            let least = least_by_trying_all(&cube, &run);
            assert!((placed.load - least).abs() <= 1e-6 * (1.0 + least), "{cube:?}");
        }
    }

    #[test]
    fn fewer_clusters_than_corners_leave_some_empty() {
        let cube = Cube { widths: vec![1.0, 1.0], clusters: 2, flows: vec![(0, 1, 8.0)] };
        let placed = cube.place(&[0, 1], 1000, &Run::new(1)).unwrap();
        assert!(placed.proven);
        assert_eq!((placed.load, placed.bound), (4.0, 4.0));
        assert_eq!(placed.corner_of[0] ^ placed.corner_of[1], 3);
    }

    #[test]
    fn wide_links_take_more() {
        // Adjacent across the wide links: 8 / 4 = 2; across the diagonal, each route has a narrow
        // link: 4.
        let cube = Cube { widths: vec![4.0, 1.0], clusters: 2, flows: vec![(0, 1, 8.0)] };
        let placed = cube.place(&[0, 1], 1000, &Run::new(1)).unwrap();
        assert!(placed.proven);
        assert!((placed.load - 2.0).abs() < 1e-6);
        assert_eq!(placed.corner_of[0] ^ placed.corner_of[1], 1);
    }
}
