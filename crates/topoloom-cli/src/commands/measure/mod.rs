//! `topoloom machine measure`: how long messages take at each level of a machine.
//!
//! Without a command, two threads of this process pass messages through memory on this node. With
//! one, the ranks of the user's job do so, by MPI, on all its hosts.

pub mod arguments;
mod job;
mod levels;
pub mod machine;
mod threads;

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use serde::Serialize;
use topoloom::core::cluster::{Costs, Description, Speed, same_host};
use topoloom::core::topology::Cluster;
use topoloom::io::write_machine_description;

use crate::jobs::preload::Scratch;
use crate::jobs::probe::probe;
use crate::output::numbers::{duration, grouped, plural};
use crate::output::table::numbers_table;
use crate::output::{inform, print, print_json, warn};
use crate::outputs;
use arguments::MeasureArguments;
use levels::{Level, Pairs, every_level, levels, pairs};

/// Measures, shows the result, and writes it to a file if requested.
pub fn run(arguments: MeasureArguments) -> anyhow::Result<()> {
    if let Some(output) = &arguments.output {
        outputs::check(output, [])?;
    }
    let (mut description, measured) = match arguments.command.is_empty() {
        true => on_this_node(&arguments)?,
        false => with_a_job(&arguments)?,
    };
    let before = description.costs.clone();
    let cluster = Cluster::new(description.clone())?;
    let mut lines = fitted(&every_level(&cluster), &measured, &before);
    fit_speeds(&mut lines, &measured, &arguments);
    // All costs are set, because a machine may be joined with others later. Only the levels that it
    // has are shown.
    for line in &lines {
        let Line { bytes_per_second, latency_seconds, .. } = *line;
        let costs = &mut description.costs;
        costs.set(&line.level, line.cost)?;
        if bytes_per_second.is_some() {
            costs.set_speed(&line.level, Speed { bytes_per_second, latency_seconds })?;
        }
    }
    let there = levels(&cluster);
    lines.retain(|line| there.iter().any(|level| level.name == line.level));
    match arguments.json {
        true => print_json(&Record { bytes: arguments.bytes, levels: &lines }),
        false => print(&text(&lines)),
    }
    if let Some(output) = &arguments.output {
        write_machine_description(output, &description)?;
        inform(&format!("{}: written with these costs", output.display()));
    }
    Ok(())
}

/// The times of the pairs of a level, in nanoseconds: of small messages, and of large ones if any
/// were sent.
struct Measured {
    level: Level,
    small: Vec<u64>,
    large: Vec<u64>,
}

fn on_this_node(arguments: &MeasureArguments) -> anyhow::Result<(Description, Vec<Measured>)> {
    let description = match &arguments.machine {
        Some(path) => machine::read(path)?,
        None => machine::this_node()?,
    };
    let cluster = Cluster::new(description.clone())?;
    let host = this_host(&description)?;
    // All places of this host can be tried, but no places of other hosts.
    let here = |place: &topoloom::core::topology::Place| place.host == host;
    let occupied: Vec<Option<u32>> =
        (0..).zip(cluster.places()).map(|(number, place)| here(place).then_some(number)).collect();
    let cpus = |place: u32| &cluster.places()[place as usize].cpus[..];
    let mut measured = Vec::new();
    for Pairs { level, pairs } in pairs(&cluster, &occupied) {
        let times = |(bytes, rounds): (u32, u32)| {
            let time = |&(first, second): &(u32, u32)| {
                let cpus = [cpus(first), cpus(second)];
                threads::one_way_nanoseconds(cpus, bytes as usize, rounds as usize)
            };
            pairs.iter().map(time).collect::<anyhow::Result<Vec<u64>>>()
        };
        let small = times(arguments.small())?;
        let large = arguments.large().map(times).transpose()?.unwrap_or_default();
        measured.push(Measured { level, small, large });
    }
    if measured.is_empty() {
        bail!(
            "this node has only one place for ranks: there is no other place to exchange messages \
             with"
        );
    }
    Ok((description, measured))
}

/// Which host of a description this one is.
fn this_host(description: &Description) -> anyhow::Result<u32> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match (&description.hosts[..], name.trim()) {
        ([_], _) => Ok(0),
        (hosts, own) => {
            let at = hosts.iter().position(|host| same_host(&host.name, own));
            let at = at.with_context(|| {
                format!("this host, {own}, is not a host of the machine; give a command")
            })?;
            Ok(at as u32)
        }
    }
}

fn with_a_job(arguments: &MeasureArguments) -> anyhow::Result<(Description, Vec<Measured>)> {
    let parent = arguments.scratch.as_deref().unwrap_or(Path::new("."));
    let scratch = Scratch::new(parent, "measure")?;
    let probed = probe(&arguments.command, &scratch, arguments.launch.launch_timeout)?.probe;
    let description = match &arguments.machine {
        Some(path) => machine::read(path)?,
        None => machine::of_probe(&probed)?,
    };
    let cluster = Cluster::new(description.clone())?;
    let seated = job::seated(&cluster, &probed);
    if seated.unbound > 0 {
        warn(&format!(
            "{} not bound to one place, so only measured between hosts",
            plural(seated.unbound, "rank")
        ));
    }
    let chosen = pairs(&cluster, &seated.rank_at);
    let chosen = levels::only_known(chosen, &cluster, &seated.is_bound);
    if chosen.is_empty() {
        bail!("no two ranks are in two known places of the machine");
    }
    let measure = |sizes| job::measure(&arguments.command, &scratch, sizes, &chosen);
    let small = measure(arguments.small())?;
    let large = match arguments.large() {
        Some(sizes) => measure(sizes)?,
        None => vec![Vec::new(); small.len()],
    };
    let levels = chosen.iter().map(|pairs| pairs.level.clone());
    let times = levels.zip(small).zip(large);
    let measured = times.map(|((level, small), large)| Measured { level, small, large });
    Ok((description, measured.collect()))
}

/// A level and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Line {
    level: String,
    /// Pairs that were measured; 0 if the cost is derived from that of a neighbour.
    pairs: usize,
    /// The median time of the pairs.
    nanoseconds: Option<u64>,
    /// What a large message adds per byte; none if it was not measured.
    bytes_per_second: Option<f64>,
    /// The delay of each link between this level and what is in it, if it was measured.
    latency_seconds: Option<f64>,
    cost_before: u32,
    cost: u32,
}

#[derive(Serialize)]
struct Record<'a> {
    bytes: u32,
    levels: &'a [Line],
}

/// Costs of levels, innermost first. They are nanoseconds and never fall
/// towards the outside. A level that was not measured keeps its ratio to the next one inside it
/// that was, or to the next one outside.
fn fitted(levels: &[Level], measured: &[Measured], before: &Costs) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for level in levels {
        let times = measured.iter().find(|times| times.level == *level).map(|times| &times.small);
        let nanoseconds = times.map(|times| middle(times));
        lines.push(Line {
            level: level.name.clone(),
            pairs: times.map_or(0, Vec::len),
            nanoseconds,
            bytes_per_second: None,
            latency_seconds: None,
            cost_before: level.cost(before),
            cost: nanoseconds.map_or(0, |time| u32::try_from(time.max(1)).unwrap_or(u32::MAX)),
        });
    }
    let known: Vec<usize> =
        (0..lines.len()).filter(|&at| lines[at].nanoseconds.is_some()).collect();
    for at in 0..lines.len() {
        let inside = known.iter().rev().find(|&&other| other <= at);
        let Some(&near) = inside.or(known.first()) else { continue };
        if near != at {
            let (cost, from) = (u64::from(lines[near].cost), u64::from(lines[near].cost_before));
            let scaled = cost * u64::from(lines[at].cost_before) / from.max(1);
            lines[at].cost = u32::try_from(scaled.max(1)).unwrap_or(u32::MAX);
        }
    }
    for at in 1..lines.len() {
        lines[at].cost = lines[at].cost.max(lines[at - 1].cost);
    }
    lines
}

/// Bandwidths and delays from messages of two sizes. What a byte adds is the bandwidth of the
/// narrowest link; what is left of a small message is the delay of the whole way. A way through one
/// more level has one more link at each end.
fn fit_speeds(lines: &mut [Line], measured: &[Measured], arguments: &MeasureArguments) {
    let Some((large_bytes, _)) = arguments.large() else { return };
    let more_bytes = f64::from(large_bytes) - f64::from(arguments.bytes);
    let mut inner = 0.0;
    for line in lines {
        let times = measured.iter().find(|times| times.level.name == line.level);
        let Some(times) = times.filter(|times| !times.large.is_empty()) else { continue };
        let [small, large] = [&times.small, &times.large].map(|times| middle(times) as f64 / 1e9);
        if large <= small {
            continue;
        }
        let bytes_per_second = more_bytes / (large - small);
        let whole = (small - f64::from(arguments.bytes) / bytes_per_second).max(inner);
        line.bytes_per_second = Some(bytes_per_second);
        line.latency_seconds = Some((whole - inner) / 2.0);
        inner = whole;
    }
}

/// The median of some numbers; for an even number of them, the lower one.
fn middle(times: &[u64]) -> u64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}

fn text(lines: &[Line]) -> String {
    let row = |line: &Line| {
        let time = line.nanoseconds.map(|time| duration(time as f64 / 1e9));
        vec![
            line.level.clone(),
            if line.pairs == 0 { "-".to_string() } else { line.pairs.to_string() },
            time.unwrap_or_else(|| "not measured".to_string()),
            line.bytes_per_second.map_or("-".to_string(), |speed| format!("{:.1}", speed / 1e9)),
            grouped(f64::from(line.cost_before)),
            grouped(f64::from(line.cost)),
        ]
    };
    let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
    numbers_table(&["level", "pairs", "one way", "GB/s", "cost before", "cost"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_never_fall_outward_and_unmeasured_levels_keep_their_ratio() {
        let level = |name: &str| Level { name: name.to_string() };
        let levels = ["L2", "L3", "package", "node", "switch1"].map(level);
        let times = |name, small: &[u64]| Measured {
            level: level(name),
            small: small.to_vec(),
            large: Vec::new(),
        };
        let measured =
            [times("L3", &[300, 200, 100]), times("package", &[150]), times("node", &[800])];
        let lines = fitted(&levels, &measured, &Costs::default());
        let costs: Vec<u32> = lines.iter().map(|line| line.cost).collect();
        // L2 is 2 if L3 is 4; the package is not cheaper than L3; switch1 is 100 if the node is 16.
        assert_eq!(costs, [100, 200, 200, 800, 5000]);
        assert_eq!(lines[2].nanoseconds, Some(150));
        assert_eq!(lines[4].nanoseconds, None);
    }

    #[test]
    fn two_sizes_give_the_bandwidth_and_the_delay_of_each_link() {
        let level = |name: &str| Level { name: name.to_string() };
        let times = |name, small, large| Measured {
            level: level(name),
            small: vec![small],
            large: vec![large],
        };
        // 1,000 bytes at 10 GB/s take 100 ns, and 101,000 bytes 10,100 ns.
        let measured = [times("package", 180, 10_180), times("node", 300, 20_300)];
        let levels = ["package", "node"].map(level);
        let mut lines = fitted(&levels, &measured, &Costs::default());
        let arguments = MeasureArguments::of_sizes(1000, 101_000);
        fit_speeds(&mut lines, &measured, &arguments);
        let near = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() / expected - 1.0).abs() < 1e-9, "{found:?} {expected}");
        };
        near(lines[0].bytes_per_second, 10e9);
        near(lines[0].latency_seconds, 40e-9);
        // 1,000 bytes at 5 GB/s take 200 ns: 100 ns are left, 80 of them inside the packages.
        near(lines[1].bytes_per_second, 5e9);
        near(lines[1].latency_seconds, 10e-9);
    }
}
