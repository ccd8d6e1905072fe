//! Writes platforms in TOML.

use std::fmt::Write;

use topoloom_arrange::{Bandwidths, Cluster, Platform};

use super::toml_read::FAT_PIPE;
use super::{bandwidth_unit, speed_source};
use crate::text::fault::Fault;
use crate::text::host_list;
use crate::text::warnings::Warnings;

/// The text of a platform in TOML, and what it leaves out; an error if TOML cannot express it.
pub fn write_toml_platform(platform: &Platform) -> Result<(String, Warnings), Fault> {
    let mut text = String::new();
    // Units without a name, and only those, are written as bytes per second.
    let (unit, factor) = match bandwidth_unit::name(platform.unit()) {
        Some(unit) => (unit, 1.0),
        None => ("B/s".to_string(), platform.unit()),
    };
    let _ = writeln!(text, "name = {}\nunit = {}", quoted(platform.name()), quoted(&unit));
    for cluster in platform.clusters() {
        write_cluster(&mut text, cluster)?;
    }
    text.push_str("\n[bandwidth]\n");
    let count = platform.clusters().len();
    let bandwidths = |table: &Bandwidths| {
        let table = table.clone();
        move |from, to| table.between(from, to) * factor
    };
    write_table(&mut text, "matrix", count, bandwidths(platform.bandwidth()));
    if let Some(vertical) = platform.vertical() {
        write_table(&mut text, "vertical", count, bandwidths(vertical));
    }
    if platform.has_fat_pipes() {
        let _ = writeln!(text, "sharing = {}", quoted(FAT_PIPE));
    }
    if let Some(latency) = platform.latency() {
        let one = latency.between(0, 0);
        let all_one = (0..count).all(|a| (0..count).all(|b| latency.between(a, b) == one));
        match all_one {
            true => {
                let _ = writeln!(text, "latency = {one:?}");
            }
            false => write_table(&mut text, "latency", count, |a, b| latency.between(a, b)),
        }
    }
    Ok((text, Warnings::new()))
}

fn write_cluster(text: &mut String, cluster: &Cluster) -> Result<(), Fault> {
    let _ = writeln!(text, "\n[[cluster]]\nname = {}", quoted(&cluster.name));
    let names: Vec<&str> = cluster.nodes.iter().map(|node| node.name.as_str()).collect();
    let list = host_list::write(&names);
    // A list that cannot express a name, such as one with a comma, must not be written.
    let same = host_list::parse_names(&list).is_ok_and(|parsed| parsed == names);
    if !same {
        return Err(Fault::Unsupported(
            "the name of a host contains a blank, a comma or a bracket".into(),
        )
        .within(format!("cluster \"{}\"", cluster.name)));
    }
    let _ = writeln!(text, "hosts = {}", quoted(&list));
    if !cluster.groups.is_empty() {
        let groups: Vec<String> = cluster.groups.iter().map(|group| quoted(group)).collect();
        let _ = writeln!(text, "groups = [{}]", groups.join(", "));
    }
    let speeds = cluster.nodes.iter().map(|node| speed_source::constant(&node.speed));
    let Some(speeds) = speeds.collect::<Option<Vec<f64>>>() else {
        return Err(Fault::Unsupported(
            "speeds that depend on the size cannot be written here".into(),
        )
        .within(format!("cluster \"{}\"", cluster.name)));
    };
    let first = speeds[0];
    if speeds.iter().all(|&speed| speed == first) {
        let _ = writeln!(text, "speed = {first:?}");
        return Ok(());
    }
    text.push_str("speeds = [");
    for (position, speed) in speeds.iter().enumerate() {
        let separator = match position {
            0 => "",
            _ if position % 12 == 0 => ",\n  ",
            _ => ", ",
        };
        let _ = write!(text, "{separator}{speed:?}");
    }
    text.push_str("]\n");
    Ok(())
}

fn write_table(text: &mut String, name: &str, count: usize, value: impl Fn(usize, usize) -> f64) {
    let _ = writeln!(text, "{name} = [");
    for from in 0..count {
        let row: Vec<String> = (0..count).map(|to| format!("{:?}", value(from, to))).collect();
        let _ = writeln!(text, "  [{}],", row.join(", "));
    }
    text.push_str("]\n");
}

/// A string of TOML on one line.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}
