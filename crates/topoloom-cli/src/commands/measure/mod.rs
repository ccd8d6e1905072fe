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
use topoloom::core::cluster::{Costs, Description, same_host};
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
    // All costs are set, because a machine may be joined with others later. Only the levels that it
    // has are shown.
    for line in &lines {
        let set = description.costs.set(&line.level, line.cost);
        set.map_err(|message| anyhow::anyhow!(message))?;
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

/// The times of the pairs of each level that could be measured, in nanoseconds.
type Measured = Vec<(Level, Vec<u64>)>;

fn on_this_node(arguments: &MeasureArguments) -> anyhow::Result<(Description, Measured)> {
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
        let time = |&(first, second): &(u32, u32)| {
            threads::one_way_nanoseconds(
                [cpus(first), cpus(second)],
                arguments.bytes as usize,
                arguments.rounds as usize,
            )
        };
        let times = pairs.iter().map(time).collect::<anyhow::Result<Vec<u64>>>()?;
        measured.push((level, times));
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

fn with_a_job(arguments: &MeasureArguments) -> anyhow::Result<(Description, Measured)> {
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
    let sizes = (arguments.bytes, arguments.rounds);
    let measured = job::measure(&arguments.command, &scratch, sizes, chosen)?;
    Ok((description, measured))
}

/// A level and what it costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Line {
    level: String,
    /// Pairs that were measured; 0 if the cost is derived from that of a neighbour.
    pairs: usize,
    /// The median time of the pairs.
    nanoseconds: Option<u64>,
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
fn fitted(levels: &[Level], measured: &Measured, before: &Costs) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for level in levels {
        let times = measured.iter().find(|(other, _)| other == level).map(|(_, times)| times);
        let nanoseconds = times.map(|times| middle(times));
        lines.push(Line {
            level: level.name.clone(),
            pairs: times.map_or(0, Vec::len),
            nanoseconds,
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
            grouped(f64::from(line.cost_before)),
            grouped(f64::from(line.cost)),
        ]
    };
    let rows: Vec<Vec<String>> = lines.iter().map(row).collect();
    numbers_table(&["level", "pairs", "one way", "cost before", "cost"], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_never_fall_outward_and_unmeasured_levels_keep_their_ratio() {
        let level = |name: &str| Level { name: name.to_string() };
        let levels = ["L2", "L3", "package", "node", "switch1"].map(level);
        let measured = vec![
            (level("L3"), vec![300, 200, 100]),
            (level("package"), vec![150]),
            (level("node"), vec![800]),
        ];
        let lines = fitted(&levels, &measured, &Costs::default());
        let costs: Vec<u32> = lines.iter().map(|line| line.cost).collect();
        // L2 is 2 if L3 is 4; the package is not cheaper than L3; switch1 is 100 if the node is 16.
        assert_eq!(costs, [100, 200, 200, 800, 5000]);
        assert_eq!(lines[2].nanoseconds, Some(150));
        assert_eq!(lines[4].nanoseconds, None);
    }
}
