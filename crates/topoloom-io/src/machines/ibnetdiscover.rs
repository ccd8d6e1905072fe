//! InfiniBand networks as `ibnetdiscover` prints them.
//!
//! `docs/machines.md` says which parts of it are used.

use std::ops::Range;

use topoloom_core::cluster::Network;

use super::device_names::DeviceNames;
use super::subnet::{DeviceKind, Subnet, bytes_per_second};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Whether the first line of content is one of `ibnetdiscover`.
pub(super) fn is_ibnetdiscover(bytes: &[u8]) -> bool {
    const DETAILS: [&[u8]; 6] =
        [b"vendid=", b"devid=", b"sysimgguid=", b"switchguid=", b"caguid=", b"rtguid="];
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    let Some(first) = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")) else {
        return false;
    };
    let is_device = |word: &&[u8]| {
        first.strip_prefix(*word).is_some_and(|rest| {
            rest.first().is_some_and(u8::is_ascii_whitespace) && rest.contains(&b'"')
        })
    };
    DETAILS.iter().any(|start| first.starts_with(start))
        || [&b"Switch"[..], b"Ca", b"Rt"].iter().any(is_device)
}

/// Reads what `ibnetdiscover` printed: the content `bytes` of a file called `name`.
///
/// ```
/// let text = b"Switch\t8 \"S-1\"\t# \"leaf\" base port 0\n[1]\t\"H-2\"[1](3)\t# \"n1 mlx5_0\" lid 4";
/// let (network, _) = topoloom_io::machines::parse_ibnetdiscover("net.out", text).unwrap();
/// assert_eq!(network.hosts[0].0, "n1");
/// ```
pub fn parse_ibnetdiscover(name: &str, bytes: &[u8]) -> Result<(Network, Warnings), ReadError> {
    parse_ibnetdiscover_named(name, bytes, &DeviceNames::default())
}

/// Like [`parse_ibnetdiscover`]; devices that `names` knows are called as it says.
pub fn parse_ibnetdiscover_named(
    name: &str,
    bytes: &[u8],
    names: &DeviceNames,
) -> Result<(Network, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut subnet = Subnet::new(names);
    // The device whose ports follow.
    let mut at = None;
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        match LineKind::of(text.trim()) {
            LineKind::Other => {}
            LineKind::Device(kind, rest) => {
                at = Some(add(&mut subnet, kind, rest, number).map_err(error)?);
            }
            LineKind::Port(rest) => {
                let Some(device) = at else {
                    return Err(error(Fault::Malformed(
                        "a port before its switch or adapter".into(),
                    )));
                };
                port(&mut subnet, device, rest).map_err(error)?;
            }
            LineKind::Unknown => {
                return Err(error(Fault::expected(
                    "a switch, an adapter or a port, as ibnetdiscover prints them",
                    shown(text.trim().as_bytes()),
                )));
            }
        }
    }
    if subnet.devices.is_empty() {
        return Err(source.error(Fault::expected("switches and adapters", "none")));
    }
    let (network, warnings) = subnet.network();
    match network.hosts.is_empty() {
        true => Err(source.error(Fault::expected("adapters of hosts (Ca)", "none"))),
        false => Ok((network, warnings)),
    }
}

enum LineKind<'a> {
    Device(DeviceKind, &'a str),
    Port(&'a str),
    /// Nothing that is needed.
    Other,
    Unknown,
}

impl LineKind<'_> {
    fn of(line: &str) -> LineKind<'_> {
        const DEVICES: [(&str, DeviceKind); 3] = [
            ("Switch", DeviceKind::Switch),
            ("Rt", DeviceKind::Switch),
            ("Ca", DeviceKind::Adapter),
        ];
        const DETAILS: [&str; 7] =
            ["vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "Chassis "];
        if line.is_empty() || line.starts_with('#') {
            return LineKind::Other;
        }
        if line.starts_with('[') {
            return LineKind::Port(line);
        }
        let device = |&(word, kind): &(&str, DeviceKind)| {
            let rest = line.strip_prefix(word)?;
            rest.starts_with(char::is_whitespace).then_some((kind, rest))
        };
        match DEVICES.iter().find_map(device) {
            Some((kind, rest)) => LineKind::Device(kind, rest),
            None if DETAILS.iter().any(|start| line.starts_with(start)) => LineKind::Other,
            None => LineKind::Unknown,
        }
    }
}

/// Adds a device by what follows its kind: `65 "S-0002" # "description" ...`.
fn add(subnet: &mut Subnet<'_>, kind: DeviceKind, rest: &str, line: usize) -> Result<usize, Fault> {
    let wrong = || {
        let (word, letter) = match kind {
            DeviceKind::Switch => ("Switch", 'S'),
            DeviceKind::Adapter => ("Ca", 'H'),
        };
        Fault::expected(
            format!("a line such as {word} 8 \"{letter}-0002c90300000001\" # \"description\""),
            shown(rest.trim().as_bytes()),
        )
    };
    let (ports, rest) = rest.split_once('"').ok_or_else(wrong)?;
    let (id, rest) = rest.split_once('"').ok_or_else(wrong)?;
    if ports.trim().parse::<u32>().is_err() || id.is_empty() {
        return Err(wrong());
    }
    let number = subnet.device(kind, id, &description(rest));
    let device = &mut subnet.devices[number];
    match device.line.replace(line) {
        Some(before) => {
            Err(Fault::Repeated(format!("\"{id}\" appears twice, first in line {before}")))
        }
        None if device.kind != kind => Err(Fault::Contradiction(format!(
            "\"{id}\" is a switch in one place and an adapter in another"
        ))),
        None => {
            device.description = description(rest);
            Ok(number)
        }
    }
}

/// Adds what a port is joined to: `[1](guid) "S-0002"[3](guid) # ... "description" ...`.
fn port(subnet: &mut Subnet<'_>, device: usize, line: &str) -> Result<(), Fault> {
    let wrong = || {
        Fault::expected(
            "a port such as [1] \"H-0002c90300000001\"[1] # \"description\"",
            shown(line.as_bytes()),
        )
    };
    let (own, rest) = line.split_once('"').ok_or_else(wrong)?;
    let (id, rest) = rest.split_once('"').ok_or_else(wrong)?;
    let kind = match id.as_bytes().first() {
        Some(b'S' | b'R') => DeviceKind::Switch,
        Some(b'H') => DeviceKind::Adapter,
        _ => return Err(wrong()),
    };
    let port = |text: &str| -> Option<u32> {
        text.trim().strip_prefix('[')?.split_once(']')?.0.trim().parse().ok()
    };
    let own = (device, port(own).ok_or_else(wrong)?);
    let other = port(rest).ok_or_else(wrong)?;
    let other = (subnet.device(kind, id, &description(rest)), other);
    let about = PortComment::of(rest);
    subnet.join(own, other, about.bytes_per_second);
    for (port, addresses) in [(own, about.own), (other, about.other)] {
        // The entry of an adapter has all its addresses. Others have only the first one.
        if let Some(addresses) = addresses {
            subnet.answers_to(port, addresses);
        }
    }
    Ok(())
}

/// What the comment of a port says: `lid 12 lmc 2 "leaf1" lid 8 4xHDR`, without the first two in the
/// entry of a switch.
#[derive(Debug, Default)]
struct PortComment {
    /// The addresses of the port itself.
    own: Option<Range<u32>>,
    /// The first address at the other end.
    other: Option<Range<u32>>,
    bytes_per_second: Option<f64>,
}

impl PortComment {
    fn of(line: &str) -> PortComment {
        let comment = line.split_once('#').map_or("", |(_, comment)| comment);
        let (before, after) = match (comment.find(['"', '\'']), comment.rfind(['"', '\''])) {
            (Some(first), Some(last)) => (&comment[..first], &comment[last + 1..]),
            _ => (comment, comment),
        };
        PortComment {
            own: addresses(before),
            other: addresses(after),
            bytes_per_second: after.split_whitespace().find_map(bytes_per_second),
        }
    }
}

/// `lid 12 lmc 2`: 2^lmc addresses.
fn addresses(text: &str) -> Option<Range<u32>> {
    /// Above it are addresses of groups.
    const HIGHEST: u32 = 0xbfff;
    let mut words = text.split_whitespace();
    let mut after = |name: &str| -> Option<u32> {
        words.find(|&word| word == name)?;
        words.next()?.parse().ok()
    };
    let first = after("lid").filter(|lid| (1..=HIGHEST).contains(lid))?;
    let several = after("lmc").filter(|lmc| *lmc <= 7).unwrap_or(0);
    Some(first..first + (1 << several))
}

/// The text in quotes in the comment of a line.
fn description(line: &str) -> String {
    let comment = line.split_once('#').map_or("", |(_, comment)| comment);
    let inside = |quote: char| {
        let (_, rest) = comment.split_once(quote)?;
        Some(rest.rsplit_once(quote)?.0.trim().to_string())
    };
    let double = inside('"').unwrap_or_default();
    // Some versions write 'host HCA-1', with or without quotes around it.
    let plain = if double.is_empty() { inside('\'').unwrap_or_default() } else { double };
    plain.trim_matches('\'').trim().to_string()
}
