//! First divisions of a small graph: it is halved again and again, and each half is refined before
//! it is halved.

use super::levels::Stage;
use crate::multilevel::blocks::{BlockDistance, Uniform};
use crate::multilevel::graph::Graph;
use crate::multilevel::work::Work;
use crate::random::Stream;

/// A division of the graph of `stage` into its blocks, by halving the list of blocks. Keeps to
/// the capacities as far as the sizes of the vertices allow.
pub fn divide<D: BlockDistance>(stage: &Stage<'_, D>, work: &Work, rng: &mut Stream) -> Vec<u32> {
    let mut block_of = vec![0; stage.graph.len()];
    let vertices: Vec<u32> = (0..stage.graph.len() as u32).collect();
    let whole = Halving { stage, work };
    whole.halve(stage.graph, &vertices, 0..stage.capacity.len(), &mut block_of, rng);
    block_of
}

struct Halving<'a, D> {
    stage: &'a Stage<'a, D>,
    work: &'a Work,
}

impl<D: BlockDistance> Halving<'_, D> {
    /// Divides `graph`, the part of the whole graph that `vertices` span, among `blocks`.
    fn halve(
        &self,
        graph: &Graph,
        vertices: &[u32],
        blocks: std::ops::Range<usize>,
        block_of: &mut [u32],
        rng: &mut Stream,
    ) {
        if blocks.len() == 1 {
            for &vertex in vertices {
                block_of[vertex as usize] = blocks.start as u32;
            }
            return;
        }
        let middle = blocks.start + blocks.len() / 2;
        let halves = [blocks.start..middle, middle..blocks.end];
        let side_of = self.best_half(graph, vertices, &halves, rng);
        for (side, half) in (0..).zip(halves) {
            let mut local = vec![0; graph.len()];
            let members: Vec<u32> =
                (0..graph.len() as u32).filter(|&v| side_of[v as usize] == side).collect();
            for (position, &member) in (0..).zip(&members) {
                local[member as usize] = position;
            }
            let part = graph.induced(&members, &local, |v| side_of[v as usize] == side);
            let members: Vec<u32> = members.iter().map(|&v| vertices[v as usize]).collect();
            self.halve(&part, &members, half, block_of, rng);
        }
    }

    /// The best of several halvings.
    fn best_half(
        &self,
        graph: &Graph,
        vertices: &[u32],
        halves: &[std::ops::Range<usize>; 2],
        rng: &mut Stream,
    ) -> Vec<u32> {
        let room = halves.clone().map(|half| self.stage.capacity[half].iter().sum::<f64>());
        let total = graph.total_size();
        let share = room[0] / (room[0] + room[1]);
        // The spare room is for both halves. Otherwise the first would leave too little for the
        // second.
        let per_halving = (1.0 / (halves[0].len() as f64 * 2.0).log2().ceil().max(1.0)).min(1.0);
        let slack = ((room[0] + room[1]) / total).max(1.0).powf(per_halving);
        let capacity = [total * share * slack, total * (1.0 - share) * slack];
        let capacity = [capacity[0].min(room[0]).floor(), capacity[1].min(room[1]).floor()];
        let bias = self.bias_of_halves(vertices, halves);
        let stage = Stage {
            graph,
            distance: &Uniform,
            capacity: &capacity,
            bias: &bias,
            clock: self.stage.clock,
        };
        stage.bisect(total * share, self.work, rng)
    }

    /// What each vertex costs in each half: the mean over the blocks of the half, in units of
    /// the distance between the halves.
    fn bias_of_halves(&self, vertices: &[u32], halves: &[std::ops::Range<usize>; 2]) -> Vec<f32> {
        if self.stage.bias.is_empty() {
            return Vec::new();
        }
        let pairs = halves[0].clone().flat_map(|a| halves[1].clone().map(move |b| (a, b)));
        let (mut sum, mut count) = (0.0, 0.0);
        for (a, b) in pairs {
            sum += self.stage.distance.between(a as u32, b as u32);
            count += 1.0;
        }
        let unit = if sum > 0.0 { sum / count } else { 1.0 };
        let blocks = self.stage.capacity.len();
        let mut bias = Vec::with_capacity(vertices.len() * 2);
        for &vertex in vertices {
            let row = &self.stage.bias[vertex as usize * blocks..(vertex as usize + 1) * blocks];
            for half in halves {
                let mean = row[half.clone()].iter().sum::<f32>() / half.len() as f32;
                bias.push(mean / unit);
            }
        }
        bias
    }
}
