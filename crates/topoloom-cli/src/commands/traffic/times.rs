//! How long ranks of a recorded run were in MPI, as users of mpiP know it.

use serde_json::{Value, json};
use topoloom::io::{CallTime, RankTime, Times};

use super::short::and_more;
use crate::output::numbers::{duration, grouped, percent, plural};
use crate::output::table::numbers_table;

/// Shares of time in MPI, and by partners.
pub fn facts(times: &Times) -> Vec<(&'static str, String)> {
    let shares: Vec<f64> = times.ranks.iter().flatten().filter_map(RankTime::mpi_share).collect();
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let most = shares.iter().copied().fold(0.0, f64::max);
    let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
    let missing = times.ranks.len() - shares.len();
    let unknown = if missing > 0 {
        format!("; not known for {}", plural(missing, "rank"))
    } else {
        String::new()
    };
    let mut facts = vec![(
        "time in MPI",
        format!(
            "{} of {} of all ranks; per rank {} to {}, {} on average{unknown}",
            percent(times.mpi_share()),
            duration(times.wall_seconds()),
            percent(least),
            percent(most),
            percent(mean),
        ),
    )];
    let in_mpi = times.mpi_seconds();
    if in_mpi > 0.0 {
        let part = |(class, _, nanoseconds): (topoloom::io::PartnerClass, u64, u64)| {
            format!("{} {}", class.name(), percent(nanoseconds as f64 * 1e-9 / in_mpi))
        };
        let parts: Vec<String> = times.by_partner().into_iter().map(part).collect();
        facts.push(("  with", parts.join(", ")));
    }
    facts
}

/// How many rows the table has at most.
pub fn num_rows(times: &Times) -> usize {
    times.calls.len()
}

/// The calls that take longest.
pub fn table(times: &Times, most: usize) -> String {
    let mut calls: Vec<&CallTime> = times.calls.iter().collect();
    calls.sort_by_key(|call| std::cmp::Reverse(call.nanoseconds));
    let (wall, in_mpi) = (times.wall_seconds(), times.mpi_seconds());
    let share = |part: f64, all: f64| if all > 0.0 { percent(part / all) } else { "-".to_string() };
    let row = |call: &&CallTime| {
        vec![
            call.call.clone(),
            call.partner.name().to_string(),
            grouped(call.calls as f64),
            duration(call.seconds()),
            duration(call.seconds() / call.calls.max(1) as f64),
            share(call.seconds(), wall),
            share(call.seconds(), in_mpi),
        ]
    };
    let rows: Vec<Vec<String>> = calls.iter().take(most).map(row).collect();
    let header = ["time in call", "with", "calls", "in all", "per call", "of wall time", "of MPI"];
    format!("\n{}{}", numbers_table(&header, &rows), and_more(calls.len(), most))
}

/// All values.
pub fn record(times: &Times) -> Value {
    let rank = |time: &Option<RankTime>| {
        time.map(|time| {
            json!({
                "wall_seconds": time.wall_seconds(),
                "mpi_seconds": time.mpi_seconds(),
                "mpi_share": time.mpi_share(),
            })
        })
    };
    let calls = times.calls.iter().map(|call| {
        json!({
            "call": call.call,
            "partner": call.partner.name(),
            "calls": call.calls,
            "seconds": call.seconds(),
        })
    });
    json!({
        "wall_seconds": times.wall_seconds(),
        "mpi_seconds": times.mpi_seconds(),
        "mpi_share": times.mpi_share(),
        "ranks": times.ranks.iter().map(rank).collect::<Vec<_>>(),
        "calls": calls.collect::<Value>(),
    })
}
