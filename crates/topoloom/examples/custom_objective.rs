//! Searches with an objective of your own: `cargo run -p topoloom --example custom_objective`.
//!
//! This one counts messages that leave their half of the machine. An objective needs a definition.
//! A tracker that is faster than the definition can come later.

use topoloom::core::objective::{CostTracker, track_by_definition};
use topoloom::core::{
    Machine, Mapping, Objective, Problem, Run, Weight, parse_pattern, parse_strategy,
};

#[derive(Debug, Clone, Copy)]
struct BetweenHalves;

impl Objective for BetweenHalves {
    fn name(&self) -> &'static str {
        "between-halves"
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let middle = problem.machine().num_nodes() as u32 / 2;
        let nodes = mapping.nodes();
        let in_first_half = |rank: u32| nodes[rank as usize] < middle;
        let pairs = problem.graph().pairs();
        pairs.filter(|&(a, b, _)| in_first_half(a) != in_first_half(b)).map(|pair| pair.2).sum()
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        track_by_definition(*self, problem, start)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let traffic = parse_pattern("stencil:4x4")?;
    let problem = Problem::new(traffic, Machine::parse("torus:4x4")?, Weight::Bytes)?;
    for strategy in ["random", "random | swap"] {
        let mut run = Run::new(1);
        let mapping = parse_strategy(strategy)?.map(&problem, Some(&BetweenHalves), &mut run)?;
        println!("{strategy}: {}", BetweenHalves.cost(&problem, &mapping));
    }
    Ok(())
}
