//! Measures how fast files are read: `cargo bench -p topoloom-io`.
//!
//! Each Matrix Market file has 10 million entries between 100,000 ranks, in the order in which they
//! are usually written (by row), the other usual order (by column), and none. The trace has 10
//! million events of 1,000 ranks.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use topoloom_core::{Event, Trace, Weight};

const RANKS: u64 = 100_000;
const ENTRIES: u64 = 10_000_000;
const TRACE_RANKS: u32 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    measure_trace()?;
    measure_matrices()
}

fn measure_matrices() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("read-speed-{}.mtx", std::process::id()));
    for order in ["by row", "by column", "shuffled"] {
        for field in ["integer", "real"] {
            fs::write(&path, content(order, field)?)?;
            let megabytes = fs::metadata(&path)?.len() as f64 / 1e6;
            let start = Instant::now();
            let traffic = topoloom_io::read_traffic(&path, Weight::Bytes)?;
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{order:>9} {field:>7}: {megabytes:.0} MB, {} flows, {seconds:.2} s, {:.0} MB/s",
                traffic.num_flows(),
                megabytes / seconds
            );
        }
    }
    fs::remove_file(&path)?;
    Ok(())
}

fn measure_trace() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("read-speed-{}.trace", std::process::id()));
    let programs = (0..TRACE_RANKS).map(program).collect();
    topoloom_io::write_trace(&path, &Trace::new(programs, Vec::new())?)?;
    let megabytes = fs::metadata(&path)?.len() as f64 / 1e6;
    let start = Instant::now();
    let trace = topoloom_io::read_trace(&path)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "trace: {megabytes:.0} MB, {} events, {seconds:.2} s, {:.0} MB/s",
        trace.num_events(),
        megabytes / seconds
    );
    fs::remove_file(&path)?;
    Ok(())
}

/// 2,000 times: receive, send, compute, and wait for both.
fn program(rank: u32) -> Vec<Event> {
    let mut program = Vec::new();
    for round in 0..2000u64 {
        let number = (u64::from(rank) * 2000 + round).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let partner = (number >> 32) as u32 % TRACE_RANKS;
        program.push(Event::StartReceive { from: partner, tag: 1, request: 0 });
        let bytes = number >> 44;
        program.push(Event::StartSend { to: partner, bytes, tag: 1, request: 1 });
        program.push(Event::Compute { nanoseconds: number >> 40 });
        program.push(Event::Wait { request: 0 });
        program.push(Event::Wait { request: 1 });
    }
    program
}

fn content(order: &str, field: &str) -> Result<String, std::fmt::Error> {
    let mut text = format!("%%MatrixMarket matrix coordinate {field} general\n");
    writeln!(text, "{RANKS} {RANKS} {ENTRIES}")?;
    let per_rank = ENTRIES / RANKS;
    for entry in 0..ENTRIES {
        // 7,368,787 is coprime to the number of entries, so this visits each entry once.
        let entry = if order == "shuffled" { entry * 7_368_787 % ENTRIES } else { entry };
        let (major, minor) = (entry / per_rank + 1, entry % per_rank * (RANKS / per_rank) + 1);
        let (row, column) = if order == "by column" { (minor, major) } else { (major, minor) };
        let value = entry.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        match field {
            "real" => writeln!(text, "{row} {column} {}.{:03}", value / 1000, value % 1000)?,
            _ => writeln!(text, "{row} {column} {value}")?,
        }
    }
    Ok(text)
}
