//! InfiniBand networks as OpenSM and `ibdiagnet` list them: `opensm-subnet.lst`, `ibdiagnet2.lst`.
//!
//! A line is a cable, and most cables have a line for each end.

use topoloom_core::cluster::Network;

use super::device_names::DeviceNames;
use super::subnet::{DeviceKind, DevicePort, Subnet, bytes_per_second};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Whether the content of a file is such a list.
pub fn is_subnet_list(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let text = first.and_then(|line| std::str::from_utf8(line).ok()).unwrap_or_default();
    let rest = text.strip_prefix('{').map(str::trim_start).unwrap_or_default();
    let starts = ["SW", "CA", "RT"].iter().any(|kind| rest.starts_with(kind));
    starts && rest.contains("NodeGUID:")
}

/// Reads such a list: the content `bytes` of a file called `name`. Devices that `names` knows are
/// called as it says.
pub fn parse_subnet_list(
    name: &str,
    bytes: &[u8],
    names: &DeviceNames,
) -> Result<(Network, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut subnet = Subnet::new(names);
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        cable(&mut subnet, text).map_err(error)?;
    }
    if subnet.devices.is_empty() {
        return Err(source.error(Fault::expected("cables between switches and adapters", "none")));
    }
    let (network, warnings) = subnet.network();
    match network.hosts.is_empty() {
        true => Err(source.error(Fault::expected("adapters of hosts (CA)", "none"))),
        false => Ok((network, warnings)),
    }
}

/// Adds a cable: `{ SW ... PN:03 } { CA ... PN:01 } PHY=4x LOG=ACT SPD=50`.
fn cable(subnet: &mut Subnet<'_>, line: &str) -> Result<(), Fault> {
    let wrong = || {
        let form = "{ SW ... NodeGUID:0002c90300000001 ... {name} LID:0004 PN:03 }";
        Fault::expected(
            format!("two ports such as {form}, then PHY=4x LOG=ACT SPD=50"),
            shown(line.as_bytes()),
        )
    };
    let (own, rest) = end(line).ok_or_else(wrong)?;
    let (other, rest) = end(rest).ok_or_else(wrong)?;
    let value = |key: &str| rest.split_whitespace().find_map(|word| word.strip_prefix(key));
    // A cable that is down has no route.
    if value("LOG=").is_some_and(|state| state.starts_with("DOW") || state.starts_with("DWN")) {
        return Ok(());
    }
    let (width, rate) = (value("PHY=").ok_or_else(wrong)?, value("SPD=").ok_or_else(wrong)?);
    let speed = bytes_per_second(&format!("{width}{}", rate_name(rate)));
    let ports = [own.add(subnet)?, other.add(subnet)?];
    subnet.join(ports[0], ports[1], speed);
    Ok(())
}

/// What the rate of a lane in Gbit/s is called. `FDR10` stands for itself.
fn rate_name(gigabits: &str) -> &str {
    match gigabits {
        "2.5" => "SDR",
        "5" => "DDR",
        "10" => "QDR",
        "14" => "FDR",
        "25" => "EDR",
        "50" => "HDR",
        "100" => "NDR",
        "200" => "XDR",
        other => other,
    }
}

/// One end of a cable.
struct End<'a> {
    kind: DeviceKind,
    guid: &'a str,
    description: &'a str,
    address: u32,
    port: u32,
}

impl End<'_> {
    /// Adds the device and its address, and returns the port.
    fn add(&self, subnet: &mut Subnet<'_>) -> Result<DevicePort, Fault> {
        let letter = match self.kind {
            DeviceKind::Switch => 'S',
            DeviceKind::Adapter => 'H',
        };
        let id = format!("{letter}-{}", self.guid.to_ascii_lowercase());
        let port = (subnet.device(self.kind, &id, self.description), self.port);
        if self.kind == DeviceKind::Adapter && (1..=0xbfff).contains(&self.address) {
            subnet.answers_to(port, self.address..self.address + 1);
        }
        Ok(port)
    }
}

/// The first end of a line, and what follows it. The name may have braces inside.
fn end(line: &str) -> Option<(End<'_>, &str)> {
    let line = line.trim_start().strip_prefix('{')?;
    let (front, rest) = line.split_once('{')?;
    let mut words = front.split_whitespace();
    let kind = match words.next()?.split('-').next()? {
        "SW" | "RT" => DeviceKind::Switch,
        "CA" => DeviceKind::Adapter,
        _ => return None,
    };
    let guid = words.find_map(|word| word.strip_prefix("NodeGUID:"))?;
    if guid.is_empty() || !guid.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let (description, rest) = rest.split_once("} LID:")?;
    let (address, rest) = rest.split_once(" PN:")?;
    let (port, rest) = rest.split_once('}')?;
    let hexadecimal = |text: &str| u32::from_str_radix(text.trim(), 16).ok();
    let (address, port) = (hexadecimal(address)?, hexadecimal(port)?);
    Some((End { kind, guid, description, address, port }, rest))
}
