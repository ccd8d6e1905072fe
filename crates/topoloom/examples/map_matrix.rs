//! Places the ranks of a traffic file on a torus:
//! `cargo run -p topoloom --example map_matrix traffic.mtx`.

use topoloom::core::{Machine, Problem, Run, Weight, parse_strategy, score};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1).ok_or("expected the name of a traffic file")?;
    let traffic = topoloom::io::read_traffic(file, Weight::Bytes)?;
    let machine = Machine::parse("torus:8x8x8")?;
    let problem = Problem::new(traffic, machine, Weight::Bytes)?;
    let mapping = parse_strategy("auto")?.map(&problem, None, &mut Run::new(1))?;
    println!("{} hop-bytes", score(&problem, &mapping).hop_bytes);
    Ok(())
}
