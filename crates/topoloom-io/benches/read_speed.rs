//! Measures how fast Matrix Market files are read: `cargo bench -p topoloom-io`.
//!
//! Each file has 10 million entries between 100,000 ranks, in the order in which they are usually
//! written (by row), the other usual order (by column), and none.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use topoloom_core::Weight;

const RANKS: u64 = 100_000;
const ENTRIES: u64 = 10_000_000;

fn main() -> Result<(), Box<dyn Error>> {
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

fn content(order: &str, field: &str) -> Result<String, std::fmt::Error> {
    let mut text = format!("%%MatrixMarket matrix coordinate {field} general\n");
    writeln!(text, "{RANKS} {RANKS} {ENTRIES}")?;
    let per_rank = ENTRIES / RANKS;
    for entry in 0..ENTRIES {
        // 7,368,787 is prime to the number of entries, so that this visits each of them once.
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
