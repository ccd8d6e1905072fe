//! `topoloom arrange measure`: how fast this machine updates rectangles of each size.

mod node;
mod sizes;
mod timing;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use topoloom::arrange::RectangleUpdate;
use topoloom::core::ProgressListener;
use topoloom::io::{SpeedPoint, speed_points_text, write_speed_points};

use crate::arguments::parse_time_limit;
use crate::output::numbers::{bytes, duration, percent, plural, precise};
use crate::output::table::numbers_table;
use crate::output::{inform, print, warn};
use crate::outputs;
use crate::progress::Progress;
use sizes::{Shape, geometric, shapes};
use timing::{Limits, Timed, time_updates};

/// What to time, and how well.
#[derive(Debug, Args)]
pub struct MeasureArguments {
    /// Numbers per side of a block, as in the application
    #[arg(long, value_name = "B", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=8192))]
    block: u32,
    /// Sizes in blocks, such as 16,64,256; each is measured as a rectangle that is nearly square
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with_all = ["from", "to", "points"], value_parser = clap::value_parser!(u32).range(1..))]
    sizes: Vec<u32>,
    /// The smallest size in blocks, if --sizes does not list them
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    from: u32,
    /// The largest size in blocks
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    to: u32,
    /// The number of sizes, each larger than the one before by the same factor
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(2..=1000))]
    points: u32,
    /// How many threads share a rectangle
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Time each size until the 95 % confidence interval is within this fraction of the mean
    #[arg(long, value_name = "PART", default_value_t = 0.025, value_parser = parse_precision)]
    precision: f64,
    /// Time each size at least this often
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    min_repetitions: u32,
    /// Time each size at most this often
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(2..))]
    max_repetitions: u32,
    /// Go on to the next size after this time: 10s, 500ms, 2m, 1h
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = parse_time_limit)]
    time_limit: Duration,
    /// Write the speeds to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Times all sizes, then writes all of them. Nothing is written after Ctrl-C.
pub fn run(arguments: &MeasureArguments) -> anyhow::Result<()> {
    let shapes = shapes(&wanted(arguments)?);
    check_memory(&shapes, arguments.block)?;
    if let Some(output) = &arguments.output {
        outputs::check(output, [])?;
    }
    let measured = measure(&shapes, arguments)?;
    let points: Vec<SpeedPoint> = measured.iter().map(point).collect();
    let comments = comments(arguments);
    match &arguments.output {
        None => print(&speed_points_text(&comments, &points)),
        Some(output) => {
            write_speed_points(output, &comments, &points)?;
            print(&table(&measured));
            inform(&format!("written to {}", output.display()));
        }
    }
    warn_of_noise(&measured, arguments);
    Ok(())
}

/// The sizes that the options ask for.
fn wanted(arguments: &MeasureArguments) -> anyhow::Result<Vec<u32>> {
    let MeasureArguments { from, to, min_repetitions, max_repetitions, .. } = arguments;
    if from > to {
        bail!("--from {from} is more than --to {to}");
    }
    if min_repetitions > max_repetitions {
        bail!(
            "--min-repetitions {min_repetitions} is more than --max-repetitions {max_repetitions}"
        );
    }
    match arguments.sizes.is_empty() {
        true => Ok(geometric(*from, *to, arguments.points)),
        false => Ok(arguments.sizes.clone()),
    }
}

/// Refuses sizes that need too much memory. A machine that swaps, or ends the program, measures
/// nothing.
fn check_memory(shapes: &[Shape], block: u32) -> anyhow::Result<()> {
    let Some(largest) = shapes.last() else { return Ok(()) };
    let needed = RectangleUpdate::bytes(largest.sides(), block).unwrap_or(u64::MAX);
    match node::free_memory() {
        Some(free) if needed > free => bail!(
            "{} of {block} x {block} numbers: {} needed, but only {} of memory is free",
            plural(largest.size() as usize, "block"),
            bytes(needed as f64),
            bytes(free as f64)
        ),
        _ => Ok(()),
    }
}

fn measure(shapes: &[Shape], arguments: &MeasureArguments) -> anyhow::Result<Vec<Measured>> {
    let limits = Limits {
        precision: arguments.precision,
        repetitions: arguments.min_repetitions..=arguments.max_repetitions,
        time: arguments.time_limit,
    };
    let progress = Progress::new("measuring");
    let total = shapes.len() as u64;
    let measure = |(done, shape): (u64, &Shape)| {
        progress.progress(&plural(shape.size() as usize, "block"), done, total);
        let Some(mut update) = RectangleUpdate::new(shape.sides(), arguments.block) else {
            bail!("not enough memory for {}", plural(shape.size() as usize, "block"));
        };
        let timed = time_updates(&limits, || update.update(usize::from(arguments.threads)));
        let Timed { seconds, .. } = timed;
        Ok(Measured {
            shape: *shape,
            blocks_per_second: f64::from(shape.size()) / seconds,
            gigaflops: update.operations() / seconds / 1e9,
            timed,
        })
    };
    let measured = (0..).zip(shapes).map(measure).collect();
    progress.finish();
    measured
}

/// The result for one size.
struct Measured {
    shape: Shape,
    blocks_per_second: f64,
    gigaflops: f64,
    timed: Timed,
}

fn point(measured: &Measured) -> SpeedPoint {
    let Timed { seconds, repetitions, relative_error } = measured.timed;
    SpeedPoint {
        size: f64::from(measured.shape.size()),
        speed: measured.blocks_per_second,
        seconds: Some(seconds),
        repetitions: Some(u64::from(repetitions)),
        relative_error,
    }
}

/// Comments for readers of the file.
fn comments(arguments: &MeasureArguments) -> Vec<String> {
    let processor = node::processor_model().map(|model| format!("processor {model}"));
    let lines = [
        Some("blocks and blocks per second of one update C += A x B".to_string()),
        Some(format!("block {0} x {0} numbers of 8 bytes", arguments.block)),
        Some(plural(usize::from(arguments.threads), "thread")),
        processor,
        Some(format!("topoloom {}", env!("CARGO_PKG_VERSION"))),
    ];
    lines.into_iter().flatten().collect()
}

fn table(measured: &[Measured]) -> String {
    let row = |measured: &Measured| {
        let Timed { seconds, repetitions, relative_error } = measured.timed;
        let (down, across) = measured.shape.sides();
        vec![
            measured.shape.size().to_string(),
            format!("{down} x {across}"),
            duration(seconds),
            precise(measured.blocks_per_second),
            format!("{:.2}", measured.gigaflops),
            relative_error.map_or("unknown".to_string(), percent),
            repetitions.to_string(),
        ]
    };
    let header = ["blocks", "as", "an update", "blocks/s", "GFLOP/s", "error", "timed"];
    numbers_table(&header, &measured.iter().map(row).collect::<Vec<_>>())
}

/// Warns of sizes whose result is less precise than requested.
fn warn_of_noise(measured: &[Measured], arguments: &MeasureArguments) {
    let precise = |measured: &&Measured| {
        measured.timed.relative_error.is_some_and(|error| error <= arguments.precision)
    };
    let noisy: Vec<String> = measured
        .iter()
        .filter(|measured| !precise(measured))
        .map(|measured| measured.shape.size().to_string())
        .collect();
    if !noisy.is_empty() {
        warn(&format!(
            "the confidence interval is wider than {} after {} or {}: {} blocks",
            percent(arguments.precision),
            duration(arguments.time_limit.as_secs_f64()),
            plural(arguments.max_repetitions as usize, "repetition"),
            noisy.join(", ")
        ));
    }
}

fn parse_precision(text: &str) -> anyhow::Result<f64> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part < 1.0 => Ok(part),
        _ => bail!("expected a fraction between 0 and 1, such as 0.025"),
    }
}
