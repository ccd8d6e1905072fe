//! `topoloom generate`: a traffic pattern as a file, or a file in another format; its events where
//! the ending is that of a trace.

use topoloom::core::{CollectiveMode, Weight};
use topoloom::io::{is_trace_name, write_trace, write_traffic};

use crate::cli::GenerateArguments;
use crate::inputs::{load_trace, load_traffic};
use crate::output::numbers::grouped;
use crate::output::{inform, warn};

pub fn run(arguments: GenerateArguments) -> anyhow::Result<()> {
    if is_trace_name(&arguments.output) {
        return write_events(&arguments);
    }
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

/// A trace keeps its collectives, unless it is said what becomes of them.
fn write_events(arguments: &GenerateArguments) -> anyhow::Result<()> {
    let trace = load_trace(&arguments.traffic)?;
    let trace = match arguments.collectives {
        CollectiveMode::None => trace,
        mode => trace.expanded(mode)?,
    };
    write_trace(&arguments.output, &trace)?;
    inform(&format!(
        "{}: {} ranks, {} events kept, {} messages, {} collectives",
        arguments.output.display(),
        grouped(trace.num_ranks() as f64),
        grouped(trace.num_events() as f64),
        grouped(trace.num_messages() as f64),
        grouped(trace.collectives().len() as f64),
    ));
    Ok(())
}
