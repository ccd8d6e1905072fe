//! Dual recursive bipartitioning: machine and processes are halved together, the slowest level of
//! the machine first, until a part of the machine is one node.
//!
//! F. Pellegrini and J. Roman, "Experimental analysis of the dual recursive bipartitioning
//! algorithm for static mapping" (1996). Processes are divided by the engine's multilevel search
//! of Fiduccia and Mattheyses.

mod domain;

use std::sync::Arc;

use self::domain::{Domain, Domains};
use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use crate::effort::Effort;
use crate::mapping::Mapping;
use crate::multilevel::{
    Clock, Graph, Stage, Uniform, Work, breadth_first, graph_of, slots_of_nodes,
};
use crate::objective::{HopBytes, Objective};
use crate::parallel;
use crate::problem::Problem;
use crate::random;
use crate::registry::Parameter;
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "bipartition",
    summary: "dual recursive bipartitioning: halves machine and ranks together, by smallest cut",
    example: "bipartition:starts=8",
    parameters: &[Parameter {
        name: "starts",
        default: "32",
        summary: "placements to make, of which the best is kept; 1 for many ranks",
    }],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Bipartition { starts: spec.get_positive("starts")? }))
    },
};

/// Without given starts: the number of ranks in all placements together.
const RANKS_OF_ALL_STARTS: usize = 32_768;

/// Without given starts: the number of placements made.
const USUAL_STARTS: usize = 32;

/// Nodes of a half whose distances stand for all of them.
const SAMPLE: usize = 8;

/// Dual recursive bipartitioning.
#[derive(Debug, Clone, Copy)]
pub struct Bipartition {
    /// The number of placements made, of which the best counts. By default, as many as do not take
    /// long.
    pub starts: Option<u32>,
}

impl Strategy for Bipartition {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(&HopBytes);
        let ranks = problem.num_ranks();
        let usual = (RANKS_OF_ALL_STARTS / ranks).clamp(1, USUAL_STARTS);
        let starts = self.starts.map_or(usual, |starts| starts as usize);
        let order = breadth_first(problem.graph());
        let graph = graph_of(problem, &order);
        let mut best: Option<(f64, Mapping)> = None;
        for start in 0..starts as u64 {
            let node_of = with_metric!(problem.machine().metric(), metric => {
                Halving { problem, metric, graph: &graph, start }.place(run)
            });
            let mut node_of_rank = vec![0; ranks];
            for (&rank, node) in order.iter().zip(node_of) {
                node_of_rank[rank as usize] = node;
            }
            let slots = slots_of_nodes(problem, &node_of_rank);
            let mapping = Mapping::new(slots, problem.machine()).expect("no node is overfilled");
            let cost = objective.cost(problem, &mapping);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, mapping));
            }
            if start + 1 < starts as u64 && run.must_stop() {
                break;
            }
        }
        Ok(best.expect("at least one start").1)
    }
}

/// A part of the machine and the vertices that go there.
struct Share {
    domain: Domain,
    vertices: Vec<u32>,
}

struct Halving<'a, M> {
    problem: &'a Problem,
    metric: &'a M,
    graph: &'a Graph,
    start: u64,
}

/// The whole graph while its parts are halved.
struct View<'a> {
    part_of: &'a [u32],
    local: &'a [u32],
    /// A node in the middle of the part that each vertex is in.
    about: &'a [u32],
}

impl<M: Metric> Halving<'_, M> {
    /// The node of each vertex.
    fn place(&self, run: &mut Run) -> Vec<u32> {
        let n = self.graph.len();
        let (domains, whole) = Domains::new(self.problem.machine(), n);
        let mut shares = vec![Share { domain: whole, vertices: (0..n as u32).collect() }];
        let mut node_of = vec![0; n];
        let mut part_of = vec![0u32; n];
        let mut about = vec![0u32; n];
        let mut local = vec![0u32; n];
        let mut depth = 0;
        // All parts of one size before the next size: then partners are about equally well known.
        while !shares.is_empty() {
            for (part, share) in (0..).zip(&shares) {
                let centre = domains.centre(&share.domain);
                for (position, &vertex) in (0..).zip(&share.vertices) {
                    part_of[vertex as usize] = part;
                    about[vertex as usize] = centre;
                    local[vertex as usize] = position;
                }
            }
            let view = View { part_of: &part_of, local: &local, about: &about };
            run.count(n as u64);
            let in_time = !run.must_stop();
            let seed = run.seed();
            let clock = Clock::new(run);
            let halves = parallel::map(shares.len(), &|part| {
                let mut rng = random::stream(seed, &[self.start, depth, part as u64]);
                let (share, time) = (&shares[part], (in_time, &clock));
                self.halve(&domains, &view, part as u32, share, time, &mut rng)
            });
            if clock.rang() {
                run.cut_short();
            }
            shares = halves.into_iter().flatten().collect();
            shares.retain(|share| {
                if let Some(node) = domains.single_node(&share.domain) {
                    for &vertex in &share.vertices {
                        node_of[vertex as usize] = node;
                        about[vertex as usize] = node;
                        // It is no longer in a part that will be halved.
                        part_of[vertex as usize] = u32::MAX;
                    }
                    return false;
                }
                !share.vertices.is_empty()
            });
            depth += 1;
        }
        node_of
    }

    /// Halves one part of the machine and its vertices.
    fn halve(
        &self,
        domains: &Domains<'_>,
        view: &View<'_>,
        part: u32,
        share: &Share,
        (in_time, clock): (bool, &Clock<'_>),
        rng: &mut random::Stream,
    ) -> Vec<Share> {
        let Some(halves) = domains.halves(&share.domain) else {
            return vec![Share { domain: share.domain.clone(), vertices: share.vertices.clone() }];
        };
        let capacity = [0, 1].map(|half: usize| domains.room(&halves[half]) as f64);
        let size = share.vertices.len() as f64;
        let inside = |vertex: u32| view.part_of[vertex as usize] == part;
        let side_of = if in_time && !clock.is_over() {
            let graph = self.graph.induced(&share.vertices, view.local, inside);
            let bias = self.bias(domains, view, part, share, &halves);
            let stage = Stage {
                graph: &graph,
                distance: &Uniform,
                capacity: &capacity,
                bias: &bias,
                clock,
            };
            let target = size * capacity[0] / (capacity[0] + capacity[1]);
            stage.fitting(stage.bisect(target, &Work::of(Effort::Eco), rng))
        } else {
            let first = capacity[0].min(size) as usize;
            (0..share.vertices.len()).map(|vertex| u32::from(vertex >= first)).collect()
        };
        let mut shares = halves.map(|domain| Share { domain, vertices: Vec::new() });
        for (&vertex, &side) in share.vertices.iter().zip(&side_of) {
            shares[side as usize].vertices.push(vertex);
        }
        shares.into()
    }

    /// The cost, in each half, of the traffic between each vertex and those outside, in units of
    /// the distance between the halves; nothing if both halves are equally far from everything
    /// outside.
    fn bias(
        &self,
        domains: &Domains<'_>,
        view: &View<'_>,
        part: u32,
        share: &Share,
        halves: &[Domain; 2],
    ) -> Vec<f32> {
        let Some(samples) = domains.samples(halves, SAMPLE) else { return Vec::new() };
        let between = |a: &[u32], b: &[u32]| {
            let pairs = a.iter().flat_map(|&one| b.iter().map(move |&other| (one, other)));
            let sum: f32 = pairs.map(|(a, b)| self.metric.distance(a, b) as f32).sum();
            sum / (a.len() * b.len()) as f32
        };
        // How much more an edge costs if it is cut.
        let within = samples.each_ref().map(|half| between(half, half));
        let unit = between(&samples[0], &samples[1]) - (within[0] + within[1]) / 2.0;
        let unit = unit.max(f32::MIN_POSITIVE);
        let centres = halves.each_ref().map(|half| domains.centre(half));
        let mut bias = Vec::with_capacity(2 * share.vertices.len());
        for &vertex in &share.vertices {
            let mut costs = [0.0f32; 2];
            for edge in self.graph.edges(vertex) {
                if view.part_of[edge.to as usize] == part {
                    continue;
                }
                let there = view.about[edge.to as usize];
                for (cost, &centre) in costs.iter_mut().zip(&centres) {
                    *cost += edge.weight * self.metric.distance(centre, there) as f32;
                }
            }
            let least = costs[0].min(costs[1]);
            bias.extend(costs.map(|cost| (cost - least) / unit));
        }
        bias
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    fn cost(strategy: &str, traffic: &str, machine: &str) -> f64 {
        let machine = Machine::parse(machine).unwrap();
        let problem =
            Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy(strategy).unwrap();
        let mapping = strategy.map(&problem, None, &mut Run::new(1)).unwrap();
        HopBytes.cost(&problem, &mapping)
    }

    #[test]
    fn a_path_on_a_line_costs_one_hop_a_pair() {
        assert_eq!(cost("bipartition", "stencil:16", "mesh:16"), 30.0);
        // Four per node: three pairs of sixteen lie between nodes.
        assert_eq!(cost("bipartition", "stencil:16", "mesh:4,slots=4"), 6.0);
    }

    #[test]
    fn a_grid_on_a_tree_is_cut_into_squares() {
        // 8 x 8 in four squares of 4 x 4, each in four of 2 x 2: 16 edges between the large ones,
        // 8 between those in each, and 4 in each small one; both directions count.
        let best = 2.0 * (16.0 * 100.0 + 32.0 * 10.0 + 64.0);
        assert_eq!(cost("bipartition", "stencil:8x8", "tree:4:4:4,distances=1:10:100"), best);
    }

    #[test]
    fn any_machine_is_halved() {
        for machine in [
            "torus:4x4x4",
            "mesh:9x8",
            "hypercube:6",
            "haec:4x4x4",
            "dragonfly:groups=9,routers=4,nodes=2",
        ] {
            let found = cost("bipartition", "stencil:8x8", machine);
            assert!(found < cost("random", "stencil:8x8", machine) / 1.2, "{machine} {found}");
        }
    }
}
