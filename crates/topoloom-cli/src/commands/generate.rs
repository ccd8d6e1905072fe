//! `topoloom generate`: a traffic pattern as a file, or a file in another format; its events if the
//! ending of the name is that of a trace.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use topoloom::core::{CollectiveMode, Traffic, Weight};
use topoloom::io::{
    Recording, check_traffic_name, is_trace_name, keeps_collectives, write_recording, write_trace,
    write_traffic,
};

use crate::files::read_recording;
use crate::inputs::{
    load_trace, load_traffic, load_traffic_as_it_is, names_a_recording, names_a_trace,
};
use crate::output::numbers::{plural, plural_amount};
use crate::output::{inform, print_json, warn};
use crate::outputs;

#[derive(Debug, Args)]
pub struct GenerateArguments {
    /// A traffic file, or a pattern such as lu:class=C,ranks=64
    pub traffic: String,
    /// What to write if the format has one number per pair: bytes or messages
    #[arg(long, default_value = "bytes")]
    pub weight: Weight,
    /// How to treat collective operations: none, direct or algorithm, by size or as given, such as
    /// algorithm:allreduce=ring,broadcast=binomial (see `topoloom list collectives`)
    #[arg(long, default_value_t = CollectiveMode::None, value_name = "MODE")]
    pub collectives: CollectiveMode,
    /// Write the traffic to this file; the ending of its name sets the format (see `topoloom list
    /// formats` and `topoloom list traces`: x.trace holds the events in order)
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What was written, as JSON.
#[derive(Debug, Serialize)]
struct Record {
    output: String,
    ranks: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<usize>,
    messages: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<f64>,
    collectives: usize,
}

pub fn run(arguments: GenerateArguments) -> anyhow::Result<()> {
    if !is_trace_name(&arguments.output) {
        check_traffic_name(&arguments.output)?;
    }
    outputs::check(&arguments.output, [])?;
    let kept = keeps_collectives(&arguments.output);
    if kept && names_a_recording(&arguments.traffic) {
        return write_whole_recording(&arguments);
    }
    // A format that holds both gets events if the input has them.
    if is_trace_name(&arguments.output) && (!kept || names_a_trace(&arguments.traffic)) {
        return write_events(&arguments);
    }
    let traffic = match arguments.collectives {
        CollectiveMode::None if kept => {
            load_traffic_as_it_is(&arguments.traffic, arguments.weight)?
        }
        mode => load_traffic(&arguments.traffic, arguments.weight, mode)?,
    };
    for warning in write_traffic(&arguments.output, &traffic, arguments.weight)? {
        warn(&warning);
    }
    inform_of_totals(&arguments, &traffic);
    Ok(())
}

fn inform_of_totals(arguments: &GenerateArguments, traffic: &Traffic) {
    if !arguments.json {
        return inform(&totals_in_words(&arguments.output, traffic));
    }
    print_json(&Record {
        output: arguments.output.display().to_string(),
        ranks: traffic.num_ranks(),
        pairs: Some(traffic.num_flows()),
        events: None,
        messages: traffic.total(Weight::Messages),
        bytes: Some(traffic.total(Weight::Bytes)),
        collectives: match keeps_collectives(&arguments.output) {
            true => traffic.collectives().len(),
            false => 0,
        },
    });
}

/// What was written, and where.
pub fn totals_in_words(output: &Path, traffic: &Traffic) -> String {
    let collectives = match traffic.collectives().len() {
        number if number == 0 || !keeps_collectives(output) => String::new(),
        number => format!(", {}", plural(number, "collective")),
    };
    format!(
        "{}: {}, {}, {}, {}{collectives}",
        output.display(),
        plural(traffic.num_ranks(), "rank"),
        plural(traffic.num_flows(), "pair"),
        plural_amount(traffic.total(Weight::Messages), "message"),
        plural_amount(traffic.total(Weight::Bytes), "byte"),
    )
}

/// A recording keeps all its content, except for collectives if an option says how to treat them.
fn write_whole_recording(arguments: &GenerateArguments) -> anyhow::Result<()> {
    let mut recording = read_recording(Path::new(&arguments.traffic))?;
    if arguments.collectives != CollectiveMode::None {
        let traffic = recording.traffic().with_collectives(arguments.collectives)?;
        let trace = recording.trace.take();
        recording.trace = trace.map(|trace| trace.expanded(arguments.collectives)).transpose()?;
        let Recording { flows, collectives, .. } = Recording::of_traffic(&traffic);
        (recording.flows, recording.collectives) = (flows, collectives);
        // They count the recorded messages, without those of collectives.
        recording.sizes.clear();
    }
    write_recording(&arguments.output, &recording)?;
    inform_of_totals(arguments, &recording.traffic());
    Ok(())
}

/// A trace keeps its collectives, unless an option says how to treat them.
fn write_events(arguments: &GenerateArguments) -> anyhow::Result<()> {
    let trace = load_trace(&arguments.traffic)?;
    let trace = match arguments.collectives {
        CollectiveMode::None => trace,
        mode => trace.expanded(mode)?,
    };
    write_trace(&arguments.output, &trace)?;
    if arguments.json {
        print_json(&Record {
            output: arguments.output.display().to_string(),
            ranks: trace.num_ranks(),
            pairs: None,
            events: Some(trace.num_events()),
            messages: trace.num_messages() as f64,
            bytes: None,
            collectives: trace.collectives().len(),
        });
        return Ok(());
    }
    inform(&format!(
        "{}: {}, {} kept, {}, {}",
        arguments.output.display(),
        plural(trace.num_ranks(), "rank"),
        plural_amount(trace.num_events() as f64, "event"),
        plural_amount(trace.num_messages() as f64, "message"),
        plural(trace.collectives().len(), "collective"),
    ));
    Ok(())
}
