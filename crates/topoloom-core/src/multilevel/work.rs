//! How much work each effort takes.

use crate::effort::Effort;

/// How long local searches go on.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Moves in a row without a new best before a local search gives up.
    pub moves: usize,
    /// Rounds over the whole boundary.
    pub rounds: usize,
}

/// How far the regions reach in which borders are moved by smallest cuts.
#[derive(Debug, Clone, Copy)]
pub struct Reach {
    /// The share of a block that is laid free.
    pub share: f64,
    /// At least this many vertices, if the block has more than twice as many.
    pub least: usize,
    /// The most vertices of a region on each side.
    pub most: usize,
    /// Rounds over all borders.
    pub rounds: usize,
}

/// How much work the engine does.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Vertices of the coarsest graph for each block.
    pub coarsest: usize,
    /// Halvings tried, each time.
    pub tries: usize,
    /// First divisions of the coarsest graph, of which the best counts.
    pub divisions: usize,
    /// How long local searches go on.
    pub patience: Patience,
    /// Where borders are moved by smallest cuts.
    pub reach: Reach,
    /// Times that a graph is coarsened again around the division found, and refined.
    pub cycles: usize,
    /// Divisions from scratch that are combined: as many as make up this many edges, ...
    pub edges: usize,
    /// ... but at most this many.
    pub repetitions: usize,
    /// Exchanges of whole blocks that are judged, for each edge of the graph, ...
    pub arrangement: f64,
    /// ... and the most that are made.
    pub exchanges: u64,
    /// Times that everything is refined together under the real cost.
    pub refinements: usize,
}

impl Work {
    /// The work of an effort.
    pub fn of(effort: Effort) -> Work {
        match effort {
            Effort::Fast => Work {
                coarsest: 20,
                tries: 4,
                divisions: 2,
                patience: Patience { moves: 10, rounds: 1 },
                reach: Reach { share: 0.03, least: 25, most: 2_000, rounds: 1 },
                cycles: 0,
                edges: 0,
                repetitions: 1,
                arrangement: 200.0,
                exchanges: 1_500,
                refinements: 1,
            },
            Effort::Eco => Work {
                coarsest: 20,
                tries: 8,
                divisions: 4,
                patience: Patience { moves: 30, rounds: 5 },
                reach: Reach { share: 0.1, least: 60, most: 5_000, rounds: 1 },
                cycles: 0,
                edges: 3_000_000,
                repetitions: 4,
                arrangement: 1_000.0,
                exchanges: 10_000,
                refinements: 1,
            },
            Effort::Strong => Work {
                coarsest: 20,
                tries: 10,
                divisions: 8,
                patience: Patience { moves: 30, rounds: 5 },
                reach: Reach { share: 0.1, least: 60, most: 10_000, rounds: 3 },
                cycles: 1,
                edges: 20_000_000,
                repetitions: 20,
                arrangement: 5_000.0,
                exchanges: 50_000,
                refinements: 3,
            },
        }
    }
}
