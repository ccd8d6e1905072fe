//! `topoloom generate`: a traffic pattern as a file, or a file in another format.

use topoloom::core::Weight;
use topoloom::io::write_traffic;

use crate::cli::GenerateArguments;
use crate::inputs::load_traffic;
use crate::output::numbers::grouped;
use crate::output::{inform, warn};

pub fn run(arguments: GenerateArguments) -> anyhow::Result<()> {
    let traffic = load_traffic(&arguments.traffic, arguments.weight, arguments.collectives)?;
    for warning in write_traffic(&arguments.output, &traffic, arguments.weight)? {
        warn(&warning);
    }
    inform(&format!(
        "{}: {} ranks, {} pairs, {} messages, {} bytes",
        arguments.output.display(),
        grouped(traffic.num_ranks() as f64),
        grouped(traffic.num_flows() as f64),
        grouped(traffic.total(Weight::Messages)),
        grouped(traffic.total(Weight::Bytes)),
    ));
    Ok(())
}
