//! How much work each effort takes.

use super::flow::Reach;
use super::fm::Patience;
use crate::effort::Effort;

/// How much work a stage does.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Vertices of the coarsest graph for each block.
    pub coarsest: usize,
    /// Halvings tried, each time.
    pub tries: usize,
    /// First divisions, of which the best counts.
    pub divisions: usize,
    /// How long local searches go on.
    pub patience: Patience,
    /// Whether borders are moved by smallest cuts.
    pub flow: Option<Reach>,
    /// Exchanges of whole blocks that are judged, for each edge of the graph.
    pub arrangement: f64,
    /// Times that the graph is coarsened again around the division found, and refined.
    pub cycles: usize,
}

impl Work {
    /// The work of an effort.
    pub fn of(effort: Effort) -> Work {
        let mut w = Self::of2(effort);
        w.coarsest = env("COARSEST", w.coarsest as f64) as usize;
        w.tries = env("TRIES", w.tries as f64) as usize;
        w.divisions = env("DIVS", w.divisions as f64) as usize;
        w.patience.moves = env("PM", w.patience.moves as f64) as usize;
        w.patience.rounds = env("ROUNDS", w.patience.rounds as f64) as usize;
        w.cycles = env("CYCLES", w.cycles as f64) as usize;
        let f = env("FLOW", -1.0);
        if f == 0.0 { w.flow = None; }
        if f > 0.0 { w.flow = Some(Reach { share: f, vertices: 20000 }); }
        w
    }
    pub fn of2(effort: Effort) -> Work {
        match effort {
            Effort::Fast => Work {
                coarsest: 20,
                tries: 4,
                divisions: 2,
                patience: Patience { moves: 20, rounds: 2 },
                flow: None,
                arrangement: env("ARR", 40.0),
                cycles: 0,
            },
            Effort::Eco => Work {
                coarsest: 20,
                tries: 10,
                divisions: 4,
                patience: Patience { moves: 30, rounds: 5 },
                flow: Some(Reach { share: 0.1, vertices: 5000 }),
                arrangement: env("ARR", 40.0),
                cycles: 1,
            },
            Effort::Strong => Work {
                coarsest: 20,
                tries: 10,
                divisions: 8,
                patience: Patience { moves: 50, rounds: 10 },
                flow: Some(Reach { share: 0.2, vertices: 20_000 }),
                arrangement: env("ARR", 40.0),
                cycles: 5,
            },
        }
    }
}

pub fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).map_or(default, |x| x.parse().unwrap())
}
