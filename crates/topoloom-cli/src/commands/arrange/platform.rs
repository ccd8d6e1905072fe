//! `topoloom arrange platform`: show a platform, or write it in another format.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use topoloom::arrange::{Bandwidths, Cluster, Platform, Speed};
use topoloom::io::platforms::bandwidth_unit_name;
use topoloom::io::{read_platform_with, write_platform};

use crate::files;
use crate::output::numbers::{duration, grouped, plural, precise};
use crate::output::table::{numbers_table, wrapped};
use crate::output::{inform, print, print_json, warn};
use crate::outputs;

/// Lines are at most this long.
const WIDTH: usize = 98;

#[derive(Debug, Args)]
pub struct PlatformArguments {
    /// A platform: TOML, SimGrid XML, or example:NAME (thesis-3.3, thesis-3.9, thesis-3.11,
    /// thesis-4.1, grisou, grid5000-sites)
    #[arg(value_name = "FILE")]
    platform: PathBuf,
    /// Write the platform to this file, as TOML (.toml) or for SimGrid (.xml)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &PlatformArguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.output {
        outputs::check(path, [])?;
    }
    let (platform, warnings) = read_platform_with(&arguments.platform, &files::open)?;
    warnings.iter().for_each(|warning| warn(warning));
    if let Some(path) = &arguments.output {
        write_platform(path, &platform)?.iter().for_each(|warning| warn(warning));
    }
    match arguments.json {
        true => print_json(&record(&platform)),
        false => print(&shown(&platform)),
    }
    if let Some(path) = &arguments.output {
        inform(&format!("written to {}", path.display()));
    }
    Ok(())
}

#[derive(Serialize)]
struct PlatformRecord<'a> {
    name: &'a str,
    processors: usize,
    unit: String,
    unit_bytes_per_second: f64,
    clusters: Vec<ClusterRecord<'a>>,
    bandwidth: Vec<Vec<f64>>,
    vertical: Option<Vec<Vec<f64>>>,
    latency_seconds: Option<Vec<Vec<f64>>>,
    /// Whether each message between clusters has the whole bandwidth.
    fat_pipes: bool,
}

#[derive(Serialize)]
struct ClusterRecord<'a> {
    name: &'a str,
    groups: &'a [String],
    nodes: usize,
    hosts: Vec<&'a str>,
    /// Blocks per second; `None` if the speed depends on the size.
    speeds: Vec<Option<f64>>,
}

fn record(platform: &Platform) -> PlatformRecord<'_> {
    let cluster = |cluster: &'_ Cluster| -> Vec<Option<f64>> {
        cluster.nodes.iter().map(|node| constant(&node.speed)).collect()
    };
    let bandwidths = |table: &Bandwidths| rows(platform, |from, to| table.between(from, to));
    PlatformRecord {
        name: platform.name(),
        processors: platform.num_processors(),
        unit: unit(platform),
        unit_bytes_per_second: platform.unit(),
        clusters: platform
            .clusters()
            .iter()
            .map(|of| ClusterRecord {
                name: &of.name,
                groups: &of.groups,
                nodes: of.nodes.len(),
                hosts: of.nodes.iter().map(|node| node.name.as_str()).collect(),
                speeds: cluster(of),
            })
            .collect(),
        bandwidth: bandwidths(platform.bandwidth()),
        vertical: platform.vertical().map(bandwidths),
        latency_seconds: platform
            .latency()
            .map(|latency| rows(platform, |from, to| latency.between(from, to))),
        fat_pipes: platform.has_fat_pipes(),
    }
}

fn rows<T>(platform: &Platform, value: impl Fn(usize, usize) -> T) -> Vec<Vec<T>> {
    let count = platform.clusters().len();
    (0..count).map(|from| (0..count).map(|to| value(from, to)).collect()).collect()
}

/// The speed, if it is the same at every size.
fn constant(speed: &Speed) -> Option<f64> {
    match speed {
        Speed::Constant(speed) => Some(*speed),
        Speed::Function(_) => None,
    }
}

fn unit(platform: &Platform) -> String {
    bandwidth_unit_name(platform.unit())
        .unwrap_or_else(|| format!("{} B/s", grouped(platform.unit())))
}

/// A platform as people read it.
fn shown(platform: &Platform) -> String {
    let sentence = format!(
        "{}: {} in {}",
        platform.name(),
        plural(platform.num_processors(), "processor"),
        plural(platform.clusters().len(), "cluster")
    );
    let mut text = format!("{}\n\n{}", wrapped(&sentence, ""), clusters(platform));
    let names: Vec<&str> = platform.clusters().iter().map(|cluster| &cluster.name[..]).collect();
    let bandwidths = |title: &str, table: &Bandwidths| {
        let cells = rows(platform, |from, to| precise(table.between(from, to)));
        format!(
            "\n{title} in {}, from row to column:\n\n{}",
            unit(platform),
            matrix(&names, &cells)
        )
    };
    match platform.vertical() {
        None => text.push_str(&bandwidths("bandwidth", platform.bandwidth())),
        Some(vertical) => {
            text.push_str(&bandwidths("horizontal bandwidth", platform.bandwidth()));
            text.push_str(&bandwidths("vertical bandwidth", vertical));
        }
    }
    if let Some(latency) = platform.latency() {
        let cells = rows(platform, |from, to| duration(latency.between(from, to)));
        text.push_str(&format!("\nlatency, from row to column:\n\n{}", matrix(&names, &cells)));
    }
    if platform.has_fat_pipes() {
        text.push_str(
            "\nEach message between clusters has the whole bandwidth: links are not shared.\n",
        );
    }
    text
}

fn clusters(platform: &Platform) -> String {
    let grouped = platform.clusters().iter().any(|cluster| !cluster.groups.is_empty());
    let row = |cluster: &Cluster| {
        let mut row = vec![cut(&cluster.name, 30)];
        if grouped {
            row.push(cut(&cluster.groups.join(" / "), 30));
        }
        row.extend([cluster.nodes.len().to_string(), speeds(cluster)]);
        row
    };
    let header: &[&str] = match grouped {
        true => &["cluster", "in", "nodes", "speed"],
        false => &["cluster", "nodes", "speed"],
    };
    numbers_table(header, &platform.clusters().iter().map(row).collect::<Vec<_>>())
}

/// One speed, or the range of them.
fn speeds(cluster: &Cluster) -> String {
    let speeds = cluster.nodes.iter().map(|node| constant(&node.speed));
    let Some(speeds) = speeds.collect::<Option<Vec<f64>>>() else {
        return "by size".to_string();
    };
    let least = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    let most = speeds.iter().copied().fold(0.0, f64::max);
    match least == most {
        _ if speeds.is_empty() => "-".to_string(),
        true => precise(most),
        false => format!("{} to {}", precise(least), precise(most)),
    }
}

/// A table with as many columns as fit, in several pieces if necessary; columns are numbered if
/// names are long.
fn matrix(names: &[&str], cells: &[Vec<String>]) -> String {
    let heads: Vec<String> =
        (0..).zip(names).map(|(at, name)| format!("{at} {}", cut(name, 20))).collect();
    let length = |text: &str| text.chars().count();
    let head = heads.iter().map(|head| length(head)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..names.len())
        .map(|column| {
            let cells = cells.iter().map(|row| length(&row[column])).max().unwrap_or(0);
            cells.max(column.to_string().len())
        })
        .collect();
    let mut text = String::new();
    let mut start = 0;
    while start < names.len() {
        // Two blanks around each column.
        let mut used = head + 3;
        let mut end = start;
        while end < names.len() && (end == start || used + widths[end] + 2 <= WIDTH) {
            used += widths[end] + 2;
            end += 1;
        }
        let numbers: Vec<String> = (start..end).map(|column| column.to_string()).collect();
        let header: Vec<&str> =
            std::iter::once("").chain(numbers.iter().map(String::as_str)).collect();
        let rows = heads.iter().zip(cells).map(|(head, row)| {
            std::iter::once(head.clone()).chain(row[start..end].iter().cloned()).collect()
        });
        if start > 0 {
            text.push('\n');
        }
        text.push_str(&numbers_table(&header, &rows.collect::<Vec<Vec<String>>>()));
        start = end;
    }
    text
}

/// Cuts a text to at most this many letters.
fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 3).chain("...".chars()).collect(),
        false => text.to_string(),
    }
}
