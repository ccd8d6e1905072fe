//! Slingshot networks as the fabric manager lists their cables: `Shasta_system_hsn_pt_pt.csv`.
//!
//! A switch is `x3000c0r15`, one of its jacks `x3000c0r15j7`, an adapter of a node `x3000c0s1b0n0h0`.
//! A jack has two ports. So a cable between two jacks is two links, and a cable to nodes is one link
//! to each of two adapters.

use std::collections::HashMap;

use topoloom_core::cluster::Network;

use super::device_names::DeviceNames;
use super::subnet::{DeviceKind, Subnet};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// What a port of a Rosetta switch carries each way: 200 Gbit/s.
const BYTES_PER_SECOND: f64 = 25e9;

/// The columns that say what a cable joins.
const COLUMNS: [&str; 4] = ["src_conn_a", "src_conn_b", "dst_conn_a", "dst_conn_b"];

/// The line with the names of columns begins like this.
const HEADING: &[u8] = b"cable_id,";

fn is_comment(line: &[u8]) -> bool {
    line.is_empty() || line.starts_with(b"#") || line.starts_with(b"\"#")
}

/// Whether the content of a file is such a list.
pub fn is_slingshot_cables(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    lines.find(|line| !is_comment(line)).is_some_and(|line| line.starts_with(HEADING))
}

/// Reads such a list: the content `bytes` of a file called `name`.
pub fn parse_slingshot_cables(name: &str, bytes: &[u8]) -> Result<(Network, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let names = DeviceNames::default();
    let mut subnet = Subnet::new(&names);
    let mut columns: Option<Vec<usize>> = None;
    let mut line_of_jack: HashMap<String, usize> = HashMap::new();
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let line = line.trim_ascii();
        if is_comment(line) {
            continue;
        }
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        let Some(places) = &columns else {
            let place = |name: &&str| {
                let at = fields.iter().position(|field| field == name);
                at.ok_or_else(|| error(Fault::expected(format!("a column {name}"), "none")))
            };
            columns = Some(COLUMNS.iter().map(place).collect::<Result<_, _>>()?);
            continue;
        };
        let ends: Vec<End> = places
            .iter()
            .map(|&at| end(fields.get(at).copied().unwrap_or_default()))
            .collect::<Result<Vec<Option<End>>, Fault>>()
            .map_err(error)?
            .into_iter()
            .flatten()
            .collect();
        for jack in ends.iter().filter_map(End::jack_name) {
            if let Some(other) = line_of_jack.insert(jack.clone(), number) {
                let found = format!("another in line {other}");
                return Err(error(Fault::expected(format!("one cable in {jack}"), found)));
            }
        }
        join(&mut subnet, &ends).map_err(error)?;
    }
    let (network, warnings) = subnet.network();
    match network.hosts.is_empty() {
        true => Err(source.error(Fault::expected("cables to nodes (x3000c0s1b0n0h0)", "none"))),
        false => Ok((network, warnings)),
    }
}

/// What a cable leads to.
enum End {
    /// The jack of a switch.
    Jack { switch: String, jack: u32 },
    /// The adapter of a node.
    Adapter { node: String, adapter: String },
}

impl End {
    fn jack_name(&self) -> Option<String> {
        match self {
            End::Jack { switch, jack } => Some(format!("{switch}j{jack}")),
            End::Adapter { .. } => None,
        }
    }
}

/// An end by its name; none for `none` and `n/a`.
fn end(text: &str) -> Result<Option<End>, Fault> {
    let name: String = text.chars().filter(|&letter| letter != '.').collect();
    if name.is_empty() || name == "none" || name == "n/a" {
        return Ok(None);
    }
    let wrong = || {
        Fault::expected("a jack such as x3000c0r15j7 or an adapter such as x3000c0s1b0n0h0", text)
    };
    let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number < 1 << 16);
    if !name.starts_with('x') || !name.bytes().all(|letter| letter.is_ascii_alphanumeric()) {
        return Err(wrong());
    }
    if let Some((switch, jack)) = name.split_once('j') {
        // A port of the jack may follow.
        let jack = number(jack.split('p').next().unwrap_or(jack)).ok_or_else(wrong)?;
        return match switch.contains('r') {
            true => Ok(Some(End::Jack { switch: switch.to_string(), jack })),
            false => Err(wrong()),
        };
    }
    match name.split_once('h') {
        Some((node, adapter)) if node.contains('n') && number(adapter).is_some() => {
            Ok(Some(End::Adapter { node: node.to_string(), adapter: format!("h{adapter}") }))
        }
        _ => Err(wrong()),
    }
}

/// Adds the links of a cable.
fn join(subnet: &mut Subnet<'_>, ends: &[End]) -> Result<(), Fault> {
    let mut plugged = Vec::new();
    let mut ports_of = |end: &End| match end {
        End::Jack { switch, jack } => {
            let device = subnet.device(DeviceKind::Switch, &format!("S-{switch}"), switch);
            vec![(device, 2 * jack + 1), (device, 2 * jack + 2)]
        }
        End::Adapter { node, adapter } => {
            let (id, description) = (format!("H-{node}{adapter}"), format!("{node} {adapter}"));
            let device = subnet.device(DeviceKind::Adapter, &id, &description);
            // One adapter may take both links of a cable.
            let before = plugged.iter().filter(|&&other| other == device).count() as u32;
            plugged.push(device);
            vec![(device, 1 + before)]
        }
    };
    let [first, others @ ..] = ends else { return Ok(()) };
    let own = ports_of(first);
    let other: Vec<_> = others.iter().flat_map(&mut ports_of).collect();
    if !matches!(first, End::Jack { .. }) || other.is_empty() {
        return Err(Fault::expected("a cable from a switch to something", "another one"));
    }
    for (port, other) in own.into_iter().zip(other) {
        subnet.join(port, other, Some(BYTES_PER_SECOND));
    }
    Ok(())
}
