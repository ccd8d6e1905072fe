//! When a search gives up.

use crate::multilevel::graph::Graph;

/// How large the losses of a search may be by chance, in squares of a typical weight.
const UNITS_OF_CHANCE: f32 = 5.0;

/// The moves of a search since its last best, seen as a random walk: when the losses so far are
/// more than chance explains, it is unlikely to recover (Osipov and Sanders 2010).
pub(super) struct Trend {
    moves: f32,
    sum: f32,
    sum_of_squares: f32,
    /// The unit of the trend, so it does not depend on the unit of the weights.
    unit: f32,
}

impl Trend {
    pub(super) fn new(graph: &Graph, seeds: &[u32]) -> Trend {
        let edges = seeds.first().map_or(&[][..], |&seed| graph.edges(seed));
        let sum: f32 = edges.iter().map(|edge| edge.weight).sum();
        Trend { moves: 0.0, sum: 0.0, sum_of_squares: 0.0, unit: sum / edges.len().max(1) as f32 }
    }

    pub(super) fn forget(&mut self) {
        *self = Trend { moves: 0.0, sum: 0.0, sum_of_squares: 0.0, unit: self.unit };
    }

    /// Whether to give up after a move that gained `gain`.
    pub(super) fn is_hopeless_after(&mut self, gain: f32) -> bool {
        self.moves += 1.0;
        self.sum += gain;
        self.sum_of_squares += gain * gain;
        let mean = self.sum / self.moves;
        let variance = self.sum_of_squares / self.moves - mean * mean;
        let chance = variance.max(0.0) + UNITS_OF_CHANCE * self.unit * self.unit;
        self.moves >= 2.0 && mean < 0.0 && self.moves * mean * mean > chance
    }
}
