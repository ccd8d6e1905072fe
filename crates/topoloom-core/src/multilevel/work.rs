//! How much work each effort takes.

use super::graph::Graph;
use crate::effort::Effort;

/// How long local searches continue.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Moves in a row without a new best before a local search gives up, if its losses do not end
    /// it sooner.
    pub moves: usize,
    /// Rounds over the whole boundary.
    pub rounds: usize,
}

/// The size of the regions in which borders are moved by minimum cuts.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// The share of a block that is freed.
    pub share: f64,
    /// At least this many vertices, if the block has more than twice as many.
    pub least: usize,
    /// The maximum number of vertices of a region on each side.
    pub most: usize,
    /// Rounds over all borders.
    pub rounds: usize,
}

/// What is done to a division at each level.
#[derive(Debug, Clone, Copy)]
pub struct Refinement {
    /// How long local searches continue.
    pub patience: Patience,
    /// Where borders are moved by minimum cuts, if anywhere.
    pub reach: Option<Reach>,
}

/// The length of a search with falling temperature.
#[derive(Debug, Clone, Copy)]
pub struct Schedule {
    /// Exchanges for each vertex of the graph, ...
    pub per_vertex: f64,
    /// ... but at most this many for each block.
    pub per_block: f64,
}

impl Schedule {
    /// The number of exchanges for a graph in this many blocks.
    pub fn steps(self, graph: &Graph, blocks: usize) -> u64 {
        (self.per_vertex * graph.len() as f64).min(self.per_block * blocks as f64) as u64
    }
}

/// How much work the engine does.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Halvings tried each time.
    pub tries: usize,
    /// First divisions of the coarsest graph, of which the best counts.
    pub divisions: usize,
    /// What is done at each level.
    pub refinement: Refinement,
    /// How often a graph is coarsened again around the division found, and refined.
    pub cycles: usize,
    /// Divisions from scratch that are combined: as many as make up this many edges, ...
    pub edges: usize,
    /// ... but at most this many.
    pub repetitions: usize,
    /// How many exchanges of whole blocks are evaluated.
    pub annealing: Schedule,
    /// How often everything is coarsened around the placement and refined under the real cost.
    pub descents: usize,
    /// Whether borders are also moved by minimum cuts then.
    pub cuts_in_descents: bool,
    /// Whole placements that are made and combined, if ranks share slots.
    pub placements: usize,
}

/// Edges per vertex from which on a graph is dense, as graphs of finite elements in three
/// dimensions are.
const DENSE: usize = 20;

/// Further divisions of dense graphs.
const MORE_DIVISIONS: usize = 4;

/// Divisions of each placement, if there are several placements.
const LEAST_DIVISIONS: usize = 4;

impl Work {
    /// The work for this graph. Divisions of dense graphs differ more, and other tools take longer
    /// for them too: more divisions are made, and each is refined once more. Tuned on bcsstk29 and
    /// vibrobox of Walshaw's archive. All divisions are shared out to the placements.
    pub fn on(mut self, graph: &Graph, shares_slots: bool) -> Work {
        let edges = graph.edges.len().max(1);
        if self.repetitions > 1 && edges >= DENSE * graph.len() {
            self.repetitions += MORE_DIVISIONS;
            self.cycles += 1;
        }
        let divisions = self.repetitions.min(self.edges / edges).max(1);
        let most = if shares_slots { self.placements } else { 1 };
        self.placements = most.min(divisions / LEAST_DIVISIONS).max(1);
        self.repetitions = divisions / self.placements;
        self
    }
}

impl Work {
    /// The work for one of many placements that are joined later: each part of the machine is divided
    /// only once. Less work for each placement, and more placements, is as good on 4elt of Walshaw's
    /// archive, but 1 % worse on memplus.
    pub fn of_one_of_many() -> Work {
        Work { repetitions: 1, placements: 1, ..Work::of(Effort::Strong) }
    }

    /// The work of an effort.
    pub fn of(effort: Effort) -> Work {
        match effort {
            Effort::Fast => Work {
                tries: 4,
                divisions: 2,
                refinement: Refinement {
                    patience: Patience { moves: 10, rounds: 1 },
                    reach: Some(Reach { share: 0.02, least: 15, most: 2_000, rounds: 1 }),
                },
                cycles: 0,
                edges: 0,
                repetitions: 1,
                annealing: Schedule { per_vertex: 17.0, per_block: 6_000.0 },
                descents: 1,
                cuts_in_descents: false,
                placements: 1,
            },
            Effort::Eco => Work {
                tries: 8,
                divisions: 4,
                refinement: Refinement {
                    patience: Patience { moves: 30, rounds: 5 },
                    reach: Some(Reach { share: 0.1, least: 60, most: 5_000, rounds: 1 }),
                },
                cycles: 0,
                edges: 7_500_000,
                repetitions: 4,
                annealing: Schedule { per_vertex: 130.0, per_block: 40_000.0 },
                descents: 1,
                cuts_in_descents: true,
                placements: 1,
            },
            Effort::Strong | Effort::Extreme => Work {
                tries: 10,
                divisions: 8,
                refinement: Refinement {
                    patience: Patience { moves: 30, rounds: 5 },
                    reach: Some(Reach { share: 0.1, least: 60, most: 10_000, rounds: 3 }),
                },
                cycles: 1,
                edges: 30_000_000,
                repetitions: 20,
                annealing: Schedule { per_vertex: 800.0, per_block: 200_000.0 },
                descents: 3,
                cuts_in_descents: true,
                placements: 4,
            },
        }
    }
}
