//! Cray XC networks (Aries) as lists of links between routers: `kind,a,b,links`.
//!
//! Router = 96 x group + 16 x chassis + slot, and nodes 4 x router to 4 x router + 3 are on it. Green and
//! black links are those inside group 0; all groups are alike. Blue links join groups.

use topoloom_core::cluster::Network;

use super::device_names::DeviceNames;
use super::subnet::{DeviceKind, Subnet};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

const ROUTERS_PER_GROUP: u32 = 96;
const NODES_PER_ROUTER: u32 = 4;

/// The largest system had 241 groups.
const MOST_GROUPS: u32 = 512;

/// Three lanes of 14 Gbit/s inside a group, and of 12.5 Gbit/s between groups.
const ELECTRICAL: f64 = 5.25e9;
const OPTICAL: f64 = 4.69e9;

const HEADING: &[u8] = b"kind,a,b,links";

/// Links between two routers.
struct Row {
    is_blue: bool,
    ends: [u32; 2],
    links: u32,
}

/// Whether the content of a file is such a list.
pub fn is_aries_links(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    lines.find(|line| !line.is_empty() && !line.starts_with(b"#")) == Some(HEADING)
}

/// Reads such a list: the content `bytes` of a file called `name`. Nodes are `nid00000`, ...
pub fn parse_aries_links(name: &str, bytes: &[u8]) -> Result<(Network, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut rows = Vec::new();
    for (number, line) in source.lines() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") || line == HEADING {
            continue;
        }
        rows.push(row(line).map_err(|fault| source.error_in_line(number, fault))?);
    }
    let last = rows.iter().flat_map(|row| row.ends).max();
    let Some(last) = last else { return Err(source.error(Fault::expected("links", "none"))) };
    let names = DeviceNames::default();
    let mut subnet = Subnet::new(&names);
    let groups = last / ROUTERS_PER_GROUP + 1;
    let routers = groups * ROUTERS_PER_GROUP;
    let mut ports = vec![NODES_PER_ROUTER + 1; routers as usize];
    let devices: Vec<usize> = (0..routers).map(|router| add_router(&mut subnet, router)).collect();
    for Row { is_blue, ends, links } in rows {
        let copies = if is_blue { 1 } else { groups };
        let speed = if is_blue { OPTICAL } else { ELECTRICAL };
        for group in 0..copies {
            let ends = ends.map(|router| (router + group * ROUTERS_PER_GROUP) as usize);
            for _ in 0..links {
                let [a, b] = ends.map(|router| {
                    ports[router] += 1;
                    (devices[router], ports[router] - 1)
                });
                subnet.join(a, b, Some(speed));
            }
        }
    }
    Ok(subnet.network())
}

/// A router with its nodes.
fn add_router(subnet: &mut Subnet<'_>, router: u32) -> usize {
    let (group, chassis, slot) =
        (router / ROUTERS_PER_GROUP, router % ROUTERS_PER_GROUP / 16, router % 16);
    let name = format!("g{group}c{chassis}s{slot}");
    let device = subnet.device(DeviceKind::Switch, &format!("S-{name}"), &name);
    for number in 0..NODES_PER_ROUTER {
        let node = format!("nid{:05}", router * NODES_PER_ROUTER + number);
        let adapter =
            subnet.device(DeviceKind::Adapter, &format!("H-{node}"), &format!("{node} aries"));
        subnet.join((device, number + 1), (adapter, 1), None);
    }
    device
}

/// `green,0,1,1`.
fn row(line: &[u8]) -> Result<Row, Fault> {
    let wrong = || {
        Fault::expected(
            "a kind, two routers and a number of links, such as green,0,1,1",
            shown(line),
        )
    };
    let text = std::str::from_utf8(line).map_err(|_| wrong())?;
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [kind, a, b, links] = fields[..] else { return Err(wrong()) };
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    let (ends, links) = ([number(a)?, number(b)?], number(links)?);
    let is_blue = match kind {
        "green" | "black" => false,
        "blue" => true,
        _ => return Err(wrong()),
    };
    let most = if is_blue { MOST_GROUPS * ROUTERS_PER_GROUP } else { ROUTERS_PER_GROUP };
    if ends[0] == ends[1] || ends.iter().any(|&end| end >= most) || !(1..=64).contains(&links) {
        return Err(wrong());
    }
    Ok(Row { is_blue, ends, links })
}
