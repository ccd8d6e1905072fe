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
    /// Exchanges of whole blocks that are judged, for each edge of the graph.
    pub arrangement: f64,
    /// Times that everything is refined together under the real cost.
    pub refinements: usize,
}

impl Work {
    /// The work of an effort.
    pub fn of(effort: Effort) -> Work {
        let mut work = Self::usual(effort);
        let e = |name: &str, value: &mut usize| { *value = env(name, *value as f64) as usize; };
        e("COARSEST", &mut work.coarsest); e("TRIES", &mut work.tries); e("DIVS", &mut work.divisions);
        e("PM", &mut work.patience.moves); e("ROUNDS", &mut work.patience.rounds); e("CYCLES", &mut work.cycles);
        e("LEAST", &mut work.reach.least); e("FR", &mut work.reach.rounds); e("EDGES", &mut work.edges);
        e("REPS", &mut work.repetitions); e("REFS", &mut work.refinements);
        work.reach.share = env("FLOW", work.reach.share); work.arrangement = env("ARR", work.arrangement);
        work
    }

    fn usual(effort: Effort) -> Work {
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
                refinements: 1,
            },
            Effort::Eco => Work {
                coarsest: 20,
                tries: 8,
                divisions: 4,
                patience: Patience { moves: 30, rounds: 5 },
                reach: Reach { share: 0.1, least: 60, most: 5_000, rounds: 3 },
                cycles: 1,
                edges: 3_000_000,
                repetitions: 4,
                arrangement: 1_000.0,
                refinements: 2,
            },
            Effort::Strong => Work {
                coarsest: 20,
                tries: 10,
                divisions: 8,
                patience: Patience { moves: 30, rounds: 5 },
                reach: Reach { share: 0.2, least: 100, most: 20_000, rounds: 5 },
                cycles: 2,
                edges: 30_000_000,
                repetitions: 16,
                arrangement: 10_000.0,
                refinements: 4,
            },
        }
    }
}

pub fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).map_or(default, |x| x.parse().unwrap())
}
