//! Writes a page that compares two placements: `cargo run -p topoloom --example report page.html`.

use topoloom::core::strategy::{Auto, InOrder};
use topoloom::core::{Machine, Problem, Run, Strategy, Weight, parse_pattern};
use topoloom::io::atomic_write;
use topoloom::show::report::{Placed, Report};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let page = std::env::args().nth(1).ok_or("expected the name of the page")?;
    let traffic = "stencil:8x8";
    let problem =
        Problem::new(parse_pattern(traffic)?, Machine::parse("torus:4x4x4")?, Weight::Bytes)?;
    let today = InOrder.map(&problem, None, &mut Run::new(1))?;
    let better = Auto.map(&problem, None, &mut Run::new(1))?;
    let report = Report::new(
        &problem,
        traffic,
        Placed::new("in order", &problem, today),
        Placed::new("auto", &problem, better),
    );
    atomic_write(page.as_ref(), |writer| writer.write_all(report.html().as_bytes()))?;
    Ok(())
}
