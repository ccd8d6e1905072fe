//! A graph spread over a machine: stage by stage, the machine's slowest level first, then all
//! together under the real cost.

use super::blocks::{BlockDistance, Table, Uniform};
use super::common::Common;
use super::fm::{judge, overload_of};
use super::graph::{Graph, group};
use super::heritage::Heritage;
use super::region::{Hierarchy, Region};
use super::stage::{Stage, fill};
use super::work::{EVENLY, Work};
use crate::clock::Clock;
use crate::crew::mark;
use crate::parallel;
use crate::random;
use crate::run::Run;
use crate::topology::Metric;

/// Parts of smaller graphs take less time than their way to another process.
const LEAST_EDGES_FOR_CREW: usize = 20_000;

/// Nodes of a block whose distances stand for all of them.
const SAMPLE: usize = 8;

/// The target that a graph is spread over.
pub struct Target<'a, M> {
    pub hierarchy: Hierarchy<'a>,
    pub metric: &'a M,
    /// The room on each node.
    pub node_capacity: f64,
    /// Whether whole blocks are arranged afterwards. If so, only traffic that leaves a block
    /// counts.
    pub arranged: bool,
}

/// A part of the machine and the vertices that go there.
struct Share {
    region: Region,
    vertices: Vec<u32>,
}

/// Distances between the nodes of a machine, for blocks that are nodes.
struct NodeDistance<'a, M> {
    metric: &'a M,
    node_of_block: &'a [u32],
}

impl<M: Metric> BlockDistance for NodeDistance<'_, M> {
    #[inline(always)]
    fn between(&self, a: u32, b: u32) -> f32 {
        self.metric.distance(self.node_of_block[a as usize], self.node_of_block[b as usize]) as f32
    }
}

impl<M: Metric> Target<'_, M> {
    /// The node of each vertex. No node holds more than its room, as far as the sizes of the
    /// vertices allow.
    pub fn spread(&self, graph: &Graph, work: &Work, run: &mut Run) -> Vec<u32> {
        self.spread_like(&[], graph, work, run)
    }

    /// The same, where each part of the machine is divided as in the better one of the `parents`,
    /// and what they agree on is moved as a whole first. Without parents, it is divided from
    /// scratch.
    pub fn spread_like(
        &self,
        parents: &[&[u32]],
        graph: &Graph,
        work: &Work,
        run: &mut Run,
    ) -> Vec<u32> {
        let enough = (graph.total_size() / self.node_capacity).ceil() as usize;
        let mut shares = vec![Share {
            region: self.hierarchy.smallest(enough),
            vertices: (0..graph.len() as u32).collect(),
        }];
        let nodes = self.hierarchy.size(&shares[0].region) as u64;
        let repetitions = match self.arranged {
            true => work.repetitions_by_depth(&self.distances_by_depth(&shares[0].region)),
            false => Vec::new(),
        };
        let mut depth = 0;
        let mut part_of = vec![0u32; graph.len()];
        let mut local = vec![0u32; graph.len()];
        while shares.iter().any(|share| self.hierarchy.size(&share.region) > 1) {
            for (part, share) in (0..).zip(&shares) {
                for (position, &vertex) in (0..).zip(&share.vertices) {
                    part_of[vertex as usize] = part;
                    local[vertex as usize] = position;
                }
            }
            let centres: Vec<u32> =
                shares.iter().map(|share| self.hierarchy.centre(&share.region)).collect();
            let heritage = (!parents.is_empty()).then(|| {
                let regions = shares.iter().map(|share| &share.region);
                Heritage::new(parents, &self.hierarchy, regions)
            });
            let heritage = heritage.as_ref();
            let view =
                View { graph, part_of: &part_of, local: &local, centres: &centres, heritage };
            run.progress("parts of the machine", shares.len() as u64, nodes);
            let in_time = run.spend_long(graph.len() as u64);
            let seed = run.seed();
            let large = graph.edges.len() >= LEAST_EDGES_FOR_CREW;
            let clock = match shares.len() {
                1 if large => Clock::with_crew(run),
                _ => Clock::new(run),
            };
            let repetitions = repetitions.get(depth as usize).unwrap_or(&work.repetitions);
            let work = &Work { repetitions: *repetitions, ..*work };
            let split = |part: usize, in_time: bool| {
                let work = (in_time && !clock.is_over()).then_some(work);
                let path = [depth, part as u64];
                self.split(&view, part as u32, &shares[part], work, &clock, (seed, path))
            };
            shares = match run.crew() {
                Some(_) if large && shares.len() > 1 => {
                    let mark = mark("parts", [seed, depth, shares.len() as u64]);
                    let vertices: Vec<Option<Vec<Vec<u32>>>> =
                        run.share(mark, shares.len(), |part| {
                            split(part, in_time).into_iter().map(|share| share.vertices).collect()
                        });
                    let joined = vertices.into_iter().enumerate().flat_map(|(part, vertices)| {
                        let Some(vertices) = vertices else { return split(part, false) };
                        let regions = self.hierarchy.split(&shares[part].region).into_iter();
                        let share = |(region, vertices)| Share { region, vertices };
                        regions.zip(vertices).map(share).collect()
                    });
                    joined.collect()
                }
                _ => {
                    let divided = parallel::map(shares.len(), &|part| split(part, in_time));
                    divided.into_iter().flatten().collect()
                }
            };
            if clock.rang() {
                run.cut_short();
            }
            depth += 1;
        }
        let mut node_of = vec![0; graph.len()];
        for share in &shares {
            for &vertex in &share.vertices {
                node_of[vertex as usize] = self.hierarchy.centre(&share.region);
            }
        }
        node_of
    }

    /// Splits one part of the machine and its vertices.
    fn split(
        &self,
        view: &View<'_>,
        part: u32,
        share: &Share,
        work: Option<&Work>,
        clock: &Clock<'_>,
        (seed, path): (u64, [u64; 2]),
    ) -> Vec<Share> {
        let regions = self.hierarchy.split(&share.region);
        if regions.len() == 1 {
            let vertices = share.vertices.clone();
            return regions
                .into_iter()
                .map(|region| Share { region, vertices: vertices.clone() })
                .collect();
        }
        let graph = match work {
            Some(_) => {
                let inside = |v| view.part_of[v as usize] == part;
                view.graph.induced(&share.vertices, view.local, inside)
            }
            // Filling blocks in order needs no edges.
            None => view.graph.without_edges(&share.vertices),
        };
        let last = regions.iter().all(|region| self.hierarchy.size(region) == 1);
        let used = if last { 1.0 } else { work.map_or(EVENLY, |work| work.spare) };
        let mut capacity = self.capacities(&regions, graph.total_size(), used);
        let inherited = view.heritage.map(|heritage| heritage.of(&share.vertices, regions.len()));
        if let Some(inherited) = &inherited {
            let most = |region| self.hierarchy.size(region) as f64 * self.node_capacity;
            let most: Vec<f64> = regions.iter().map(most).collect();
            inherited.make_room(&graph, &mut capacity, &most);
        }
        let block_of = match work {
            None => fill(&graph, &capacity),
            Some(work) if self.arranged || self.hierarchy.is_tree() => {
                let (graph, capacity, bias) = (&graph, &capacity, &[]);
                let stage = Stage { graph, distance: &Uniform, capacity, bias, clock };
                match inherited {
                    Some(inherited) => stage.inherit(inherited, work, seed, &path),
                    None => stage.divide(work, seed, &path),
                }
            }
            Some(work) => {
                let distance = &self.distances(&regions);
                let bias = &self.bias(view, part, &share.vertices, &regions);
                let stage = Stage { graph: &graph, distance, capacity: &capacity, bias, clock };
                stage.divide(work, seed, &path)
            }
        };
        let (first, members) = group(&block_of, regions.len());
        let vertices_of = |block: usize| {
            let members = &members[first[block] as usize..first[block + 1] as usize];
            members.iter().map(|&v| share.vertices[v as usize]).collect()
        };
        regions
            .into_iter()
            .enumerate()
            .map(|(block, region)| Share { region, vertices: vertices_of(block) })
            .collect()
    }

    /// The room of each block. The spare room of a part is shared with the later stages: this one
    /// may use a share of it, in the geometric sense.
    fn capacities(&self, regions: &[Region], size: f64, share: f64) -> Vec<f64> {
        let nodes: Vec<f64> =
            regions.iter().map(|region| self.hierarchy.size(region) as f64).collect();
        let all: f64 = nodes.iter().sum();
        let to_spare = (all * self.node_capacity / size.max(1.0)).max(1.0);
        let used = to_spare.powf(share);
        let room = |nodes: &f64| {
            let fair = size * nodes / all;
            (fair * used).floor().max(fair.ceil()).min(nodes * self.node_capacity)
        };
        nodes.iter().map(room).collect()
    }

    /// How far apart the first two blocks of a part are, at each depth. Parts of the same depth are
    /// alike.
    fn distances_by_depth(&self, region: &Region) -> Vec<f64> {
        let mut distances = Vec::new();
        let mut blocks = self.hierarchy.split(region);
        while let [first, rest @ ..] = &blocks[..] {
            if self.hierarchy.size(first) == 1 && rest.is_empty() {
                break;
            }
            let pair = self.distances(&blocks[..blocks.len().min(2)]);
            distances.push(f64::from(pair.between(0, rest.len().min(1) as u32)));
            blocks = self.hierarchy.split(&blocks[0]);
        }
        distances
    }

    /// Mean distances between the nodes of each pair of blocks.
    fn distances(&self, regions: &[Region]) -> Table {
        let samples: Vec<Vec<u32>> = regions
            .iter()
            .map(|region| {
                let nodes = self.hierarchy.nodes(region);
                let step = nodes.len().div_ceil(SAMPLE);
                nodes.into_iter().step_by(step).collect()
            })
            .collect();
        Table::new(regions.len(), |a, b| {
            if a == b {
                return 0.0;
            }
            let mut sum = 0.0;
            for &one in &samples[a] {
                for &other in &samples[b] {
                    sum += self.metric.distance(one, other) as f32;
                }
            }
            sum / (samples[a].len() * samples[b].len()) as f32
        })
    }

    /// The cost, in each block, of the traffic between the vertices and those outside.
    fn bias(&self, view: &View<'_>, part: u32, vertices: &[u32], regions: &[Region]) -> Vec<f32> {
        let centres: Vec<u32> =
            regions.iter().map(|region| self.hierarchy.centre(region)).collect();
        let mut bias = vec![0.0; vertices.len() * regions.len()];
        for (row, &vertex) in bias.chunks_exact_mut(regions.len()).zip(vertices) {
            for edge in view.graph.edges(vertex) {
                let there = view.part_of[edge.to as usize];
                if there == part {
                    continue;
                }
                let there = view.centres[there as usize];
                for (cost, &centre) in row.iter_mut().zip(&centres) {
                    *cost += edge.weight * self.metric.distance(centre, there) as f32;
                }
            }
            let least = row.iter().copied().fold(f32::INFINITY, f32::min);
            row.iter_mut().for_each(|cost| *cost -= least);
        }
        bias
    }

    /// Coarsens around a complete placement and improves it under the machine's distances.
    pub fn refine(&self, graph: &Graph, node_of: &mut Vec<u32>, work: &Work, run: &mut Run) {
        let kept = Common::of(node_of).block_of;
        self.refine_within(graph, node_of, &kept, work, run);
    }

    /// Joins two placements: what both have together is moved as a whole first. Returns a placement
    /// at least as good as the first one.
    pub fn combine(
        &self,
        graph: &Graph,
        best: &[u32],
        other: &[u32],
        work: &Work,
        run: &mut Run,
    ) -> Vec<u32> {
        let pairs: Vec<(u32, u32)> = best.iter().copied().zip(other.iter().copied()).collect();
        let mut child = best.to_vec();
        self.refine_within(graph, &mut child, &Common::of(&pairs).block_of, work, run);
        let better = self.judge(graph, &child) < self.judge(graph, best);
        if better { child } else { best.to_vec() }
    }

    /// By how much nodes are overloaded, and the cost, from scratch.
    pub fn judge(&self, graph: &Graph, node_of: &[u32]) -> (f64, f64) {
        let Common { of_block: nodes, block_of } = Common::of(node_of);
        let distance = NodeDistance { metric: self.metric, node_of_block: &nodes };
        judge(graph, &distance, &vec![self.node_capacity; nodes.len()], &[], &block_of)
    }

    /// The same as `refine`, where no cluster spans two parts of `kept`.
    fn refine_within(
        &self,
        graph: &Graph,
        node_of: &mut Vec<u32>,
        kept: &[u32],
        work: &Work,
        run: &mut Run,
    ) {
        let Common { of_block: nodes, block_of: blocks } = Common::of(node_of);
        let capacity = vec![self.node_capacity; nodes.len()];
        let mut rng = random::stream(run.seed(), &[0x7265_6669_6e65]);
        let clock = &Clock::new(run);
        let (capacity, bias) = (&capacity, &[]);
        let overload_before = overload_of(graph, capacity, &blocks);
        let blocks = if nodes.len() <= 512 {
            let distance =
                &Table::new(nodes.len(), |a, b| self.metric.distance(nodes[a], nodes[b]) as f32);
            Stage { graph, distance, capacity, bias, clock }.descend(blocks, kept, work, &mut rng)
        } else {
            let distance = &NodeDistance { metric: self.metric, node_of_block: &nodes };
            Stage { graph, distance, capacity, bias, clock }.descend(blocks, kept, work, &mut rng)
        };
        if clock.rang() {
            let overload = overload_of(graph, capacity, &blocks);
            run.cut_short();
            // Blocks may be overloaded temporarily.
            if overload > overload_before {
                return;
            }
        }
        *node_of = blocks.iter().map(|&block| nodes[block as usize]).collect();
    }
}

/// The whole graph while its parts are split.
struct View<'a> {
    graph: &'a Graph,
    part_of: &'a [u32],
    local: &'a [u32],
    /// A node in the middle of each part.
    centres: &'a [u32],
    heritage: Option<&'a Heritage<'a>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::with_metric;

    #[test]
    fn each_depth_has_the_distance_of_its_blocks() {
        let cases: [(&str, &[f64]); 2] = [
            ("tree:4:8:8,distances=1:10:100", &[100.0, 10.0, 1.0]),
            ("tree:3:1:2,distances=1:5:7", &[7.0, 0.0, 1.0]),
        ];
        for (machine, expected) in cases {
            let machine = Machine::parse(machine).unwrap();
            with_metric!(machine.metric(), metric => {
                let hierarchy = Hierarchy::new(machine.topology());
                let target = Target { hierarchy, metric, node_capacity: 1.0, arranged: true };
                let whole = target.hierarchy.smallest(machine.num_nodes());
                assert_eq!(target.distances_by_depth(&whole), expected);
            });
        }
    }
}
