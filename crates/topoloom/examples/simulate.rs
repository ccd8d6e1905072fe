//! Simulates a job under two placements: `cargo run -p topoloom --example simulate`.

use topoloom::core::{
    CollectiveMode, Machine, Problem, Run, Weight, parse_pattern, parse_strategy, parse_trace,
};
use topoloom::sim::{Model, simulate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A benchmark whose order of events is known, one message after the other.
    let job = "lu:class=S,ranks=16";
    let trace = parse_trace(job)?.ok_or("the order of events is not known")?;
    let trace = trace.expanded(CollectiveMode::default())?;
    let problem = Problem::new(parse_pattern(job)?, Machine::parse("torus:4x4")?, Weight::Bytes)?;
    let model = Model::parse("flow")?;
    for strategy in ["random", "auto"] {
        let mapping = parse_strategy(strategy)?.map(&problem, None, &mut Run::new(1))?;
        let report = simulate(&trace, problem.machine(), &mapping, &model)?;
        println!("{strategy}: {:.1} us (simulated)", report.seconds * 1e6);
    }
    Ok(())
}
