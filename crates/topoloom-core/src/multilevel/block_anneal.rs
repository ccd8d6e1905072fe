//! Simulated annealing with whole blocks: a few hundred of them, swapped millions of times.
//!
//! The refiner `anneal` serves every objective; this one assumes hop-bytes between blocks and one
//! block per node, and takes a fraction of the time.

use rand::Rng;

use super::graph::Graph;
use crate::machine::Machine;
use crate::random::{self, Stream};
use crate::refiner::Surroundings;
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// With more nodes than this, the distances of all pairs are not stored.
const MOST_NODES: usize = 4096;

/// The start temperature, in units of a typical loss.
const HEAT: f32 = 0.2;

/// The last temperature as a share of the first; after that, only exchanges without a loss are
/// accepted.
const COLD: f32 = 0.12;

/// Exchanges sampled to find a typical loss.
const SAMPLES: usize = 1000;

/// Steps between two changes of the temperature and checks of the clock.
const STEPS_PER_TEMPERATURE: u64 = 256;

/// Distinct chances to accept a loss.
const CHANCES: usize = 256;

/// Marks a node without a block.
const NOBODY: u32 = u32::MAX;

/// The problem to arrange: the graph of the blocks, and the distances between nodes.
pub struct Annealing<'a> {
    pub quotient: &'a Graph,
    pub distances: &'a Distances,
    pub surroundings: &'a Surroundings,
}

impl Annealing<'_> {
    /// Exchanges blocks, at most `steps` times, from hot to cold. The result is the final state,
    /// whether or not it is better.
    pub fn cool_down(&self, node_of: &[u32], steps: u64, run: &mut Run) -> Vec<u32> {
        let talks = |&block: &u32| !self.quotient.edges(block).is_empty();
        let talkers: Vec<u32> = (0..node_of.len() as u32).filter(talks).collect();
        let mut state = self.state(node_of);
        let mut rng = random::stream(run.seed(), &[0x626c_6f63_6b73]);
        if talkers.is_empty() {
            return state.node_of;
        }
        let Some(usual) = self.usual_loss(&talkers, &state, &mut rng) else { return state.node_of };
        let chances = chances();
        let coolings = (steps / STEPS_PER_TEMPERATURE).max(1);
        let frozen = coolings - coolings / 16;
        let cooling = COLD.powf(1.0 / frozen as f32);
        let mut temperature = HEAT * usual;
        for round in 0..coolings {
            if !run.spend_long(STEPS_PER_TEMPERATURE) {
                break;
            }
            for _ in 0..STEPS_PER_TEMPERATURE {
                let mut dice = Dice::throw(&mut rng);
                let (block, to) = self.propose(&talkers, &state, &mut dice);
                let chance = chances[dice.below(CHANCES)];
                if self.delta(&state, block, to, temperature * chance).is_some() {
                    self.exchange(&mut state, block, to);
                }
            }
            temperature = if round < frozen { temperature * cooling } else { 0.0 };
        }
        state.node_of
    }

    /// A block and a node to go to, at or next to one of its partners.
    #[inline(always)]
    fn propose(&self, talkers: &[u32], state: &State, dice: &mut Dice) -> (u32, u32) {
        let block = talkers[dice.below(talkers.len())];
        let edges = self.quotient.edges(block);
        let partner = edges[dice.below(edges.len())].to;
        let home = state.node_of[partner as usize];
        let around = self.surroundings.of(home);
        // The partner's own node is one of the choices.
        (block, around.get(dice.below(around.len() + 1)).copied().unwrap_or(home))
    }

    /// What it would add if `block` and the block on `to` changed places, if that is at most
    /// `limit`.
    #[inline(always)]
    fn delta(&self, state: &State, block: u32, to: u32, limit: f32) -> Option<f32> {
        let from = state.node_of[block as usize];
        let other = state.on_node[to as usize];
        if other == block {
            return None;
        }
        // No block gets nearer to its partners than next to them: often this bound is enough.
        let before = state.cost_above_least[block as usize];
        let before_of_other =
            if other == NOBODY { 0.0 } else { state.cost_above_least[other as usize] };
        if -before - before_of_other > limit {
            return None;
        }
        let mut delta = self.cost_above_least(state, block, to, (other, from)) - before;
        if delta - before_of_other > limit {
            return None;
        }
        if other != NOBODY {
            delta += self.cost_above_least(state, other, from, (block, to)) - before_of_other;
        }
        (delta <= limit).then_some(delta)
    }

    /// How much more `block` would cost on a node than if all its partners were next to it, while
    /// one other block is taken to be on the given node.
    #[inline(always)]
    fn cost_above_least(
        &self,
        state: &State,
        block: u32,
        at: u32,
        (other, there): (u32, u32),
    ) -> f32 {
        let row = self.distances.row(at);
        let mut cost = 0.0;
        for edge in self.quotient.edges(block) {
            let node = if edge.to == other { there } else { state.node_of[edge.to as usize] };
            cost += edge.weight * (f32::from(row[node as usize]) - 1.0);
        }
        cost
    }

    /// Lets `block` and the block on `to` change places.
    fn exchange(&self, state: &mut State, block: u32, to: u32) {
        let from = state.node_of[block as usize];
        let other = state.on_node[to as usize];
        self.follow(state, block, other, from, to);
        if other != NOBODY {
            self.follow(state, other, block, to, from);
            state.node_of[other as usize] = from;
        }
        state.node_of[block as usize] = to;
        state.on_node[to as usize] = block;
        state.on_node[from as usize] = other;
    }

    fn follow(&self, state: &mut State, block: u32, other: u32, from: u32, to: u32) {
        let (near, far) = (self.distances.row(to), self.distances.row(from));
        for edge in self.quotient.edges(block).iter().filter(|edge| edge.to != other) {
            let there = state.node_of[edge.to as usize] as usize;
            let delta = edge.weight * (i32::from(near[there]) - i32::from(far[there])) as f32;
            state.cost_above_least[block as usize] += delta;
            state.cost_above_least[edge.to as usize] += delta;
        }
    }

    fn state(&self, node_of: &[u32]) -> State {
        let mut on_node = vec![NOBODY; self.distances.nodes];
        for (block, &node) in (0..).zip(node_of) {
            on_node[node as usize] = block;
        }
        let mut state = State { node_of: node_of.to_vec(), on_node, cost_above_least: Vec::new() };
        let of_block =
            |block: u32| self.cost_above_least(&state, block, node_of[block as usize], (NOBODY, 0));
        state.cost_above_least = (0..node_of.len() as u32).map(of_block).collect();
        state
    }

    /// The typical cost of exchanges that lose; `None` if none of a sample loses.
    fn usual_loss(&self, talkers: &[u32], state: &State, rng: &mut Stream) -> Option<f32> {
        let losses: Vec<f32> = (0..SAMPLES)
            .filter_map(|_| {
                let (block, to) = self.propose(talkers, state, &mut Dice::throw(rng));
                self.delta(state, block, to, f32::INFINITY)
            })
            .filter(|&delta| delta > 0.0)
            .collect();
        (!losses.is_empty()).then(|| losses.iter().sum::<f32>() / losses.len() as f32)
    }
}

/// Which block is on which node.
struct State {
    node_of: Vec<u32>,
    on_node: Vec<u32>,
    /// How much more each block costs than if all its partners were next to it.
    cost_above_least: Vec<f32>,
}

/// One random number that is used for four choices.
struct Dice(u64);

impl Dice {
    #[inline(always)]
    fn throw(rng: &mut Stream) -> Dice {
        Dice(rng.next_u64())
    }

    /// A number below `bound`, which is at most 2^16. Not exactly uniform, which does not matter
    /// here.
    #[inline(always)]
    fn below(&mut self, bound: usize) -> usize {
        let part = self.0 & 0xffff;
        self.0 >>= 16;
        (part as usize * bound) >> 16
    }
}

/// Losses, in units of the temperature, that equally likely draws accept: -ln of evenly spread
/// chances.
fn chances() -> [f32; CHANCES] {
    std::array::from_fn(|index| -((index as f32 + 0.5) / CHANCES as f32).ln())
}

/// Distances between all nodes: one exchange reads only two rows.
pub struct Distances {
    nodes: usize,
    distance: Vec<u16>,
}

impl Distances {
    /// `None` if there are too many nodes for a table, or a distance is too long for it.
    pub fn of(machine: &Machine) -> Option<Distances> {
        let nodes = machine.num_nodes();
        if nodes > MOST_NODES {
            return None;
        }
        let pairs = (0..nodes as u32).flat_map(|a| (0..nodes as u32).map(move |b| (a, b)));
        let distance = with_metric!(machine.metric(), metric => {
            pairs.map(|(a, b)| u16::try_from(metric.distance(a, b)).ok()).collect::<Option<_>>()
        })?;
        Some(Distances { nodes, distance })
    }

    #[inline(always)]
    fn row(&self, node: u32) -> &[u16] {
        &self.distance[node as usize * self.nodes..][..self.nodes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multilevel::graph::Edge;
    use crate::multilevel::graph::examples::grid;

    fn cost(graph: &Graph, distances: &Distances, node_of: &[u32]) -> f32 {
        let of_block = |block: u32| {
            let row = distances.row(node_of[block as usize]);
            let hops = |edge: &Edge| f32::from(row[node_of[edge.to as usize] as usize]);
            graph.edges(block).iter().map(|edge| edge.weight * hops(edge)).sum::<f32>()
        };
        (0..graph.len() as u32).map(of_block).sum::<f32>() / 2.0
    }

    fn shuffled(nodes: u32, blocks: usize) -> Vec<u32> {
        let mut node_of: Vec<u32> = (0..nodes).collect();
        random::shuffle(&mut random::stream(5, &[]), &mut node_of);
        node_of.truncate(blocks);
        node_of
    }

    #[test]
    fn deltas_and_what_is_kept_of_each_block_are_those_of_the_definition() {
        let machine = Machine::parse("torus:4x4").unwrap();
        let (quotient, distances) = (&grid(3, 4), &Distances::of(&machine).unwrap());
        let surroundings = &Surroundings::new(&machine);
        let annealing = Annealing { quotient, distances, surroundings };
        // Four nodes stay empty.
        let mut state = annealing.state(&shuffled(16, 12));
        for step in 0..200u32 {
            let (block, to) = (step * 7 % 12, step * 5 % 16);
            let before = cost(quotient, distances, &state.node_of);
            if state.node_of[block as usize] == to {
                continue;
            }
            let delta = annealing.delta(&state, block, to, f32::INFINITY).unwrap();
            assert_eq!(annealing.delta(&state, block, to, delta), Some(delta));
            assert_eq!(annealing.delta(&state, block, to, delta - 0.5), None);
            annealing.exchange(&mut state, block, to);
            assert_eq!(cost(quotient, distances, &state.node_of), before + delta);
            let anew = annealing.state(&state.node_of);
            assert_eq!(anew.on_node, state.on_node);
            assert_eq!(anew.cost_above_least, state.cost_above_least);
        }
    }

    #[test]
    fn a_shuffled_grid_finds_its_place() {
        let machine = Machine::parse("mesh:4x4").unwrap();
        let (quotient, distances) = (&grid(4, 4), &Distances::of(&machine).unwrap());
        let surroundings = &Surroundings::new(&machine);
        let annealing = Annealing { quotient, distances, surroundings };
        let cooled = annealing.cool_down(&shuffled(16, 16), 100_000, &mut Run::new(1));
        assert_eq!(cost(quotient, distances, &cooled), 24.0);
    }
}
