//! InfiniBand networks as `ibnetdiscover` prints them.
//!
//! `docs/machines.md` says which parts of it are used.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use topoloom_core::cluster::{
    ADAPTER_LINK, Adapter, Cable, Device as End, Fabric, Network, Port, SWITCH_LATENCY, Switch,
    Wiring,
};
use topoloom_core::topology::LinkProperties;
use topoloom_core::words::counted;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Reads what `ibnetdiscover` printed: the content `bytes` of a file called `name`.
///
/// ```
/// let text = b"Switch\t8 \"S-1\"\t# \"leaf\" base port 0\n[1]\t\"H-2\"[1](3)\t# \"n1 mlx5_0\" lid 4";
/// let (network, _) = topoloom_io::machines::parse_ibnetdiscover("net.out", text).unwrap();
/// assert_eq!(network.hosts[0].0, "n1");
/// ```
pub fn parse_ibnetdiscover(name: &str, bytes: &[u8]) -> Result<(Network, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut subnet = Subnet::default();
    // The device whose ports follow.
    let mut at = None;
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        match LineKind::of(text.trim()) {
            LineKind::Other => {}
            LineKind::Device(kind, rest) => {
                at = Some(subnet.add(kind, rest, number).map_err(error)?);
            }
            LineKind::Port(rest) => {
                let Some(device) = at else {
                    return Err(error(Fault::Malformed(
                        "a port before its switch or adapter".into(),
                    )));
                };
                subnet.port(device, rest).map_err(error)?;
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeviceKind {
    /// Or a router: both pass on messages.
    Switch,
    Adapter,
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

struct Device {
    kind: DeviceKind,
    /// The line of its own entry; none if only other entries name it.
    line: Option<usize>,
    guid: String,
    description: String,
}

/// Device and port of both ends of a cable, the lower one first.
type Ends = [(usize, u32); 2];

/// Devices, and which of their ports are joined.
#[derive(Default)]
struct Subnet {
    devices: Vec<Device>,
    number_of: HashMap<String, usize>,
    /// Each cable once, with its bytes per second.
    cables: BTreeMap<Ends, Option<f64>>,
    /// The addresses of ports of adapters.
    addresses: HashMap<(usize, u32), Range<u32>>,
}

impl Subnet {
    /// Adds a device by what follows its kind: `65 "S-0002" # "description" ...`.
    fn add(&mut self, kind: DeviceKind, rest: &str, line: usize) -> Result<usize, Fault> {
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
        let number = self.device(kind, id, &description(rest));
        let device = &mut self.devices[number];
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

    /// The number of a device, which is added if it was not named before.
    fn device(&mut self, kind: DeviceKind, id: &str, description: &str) -> usize {
        if let Some(&number) = self.number_of.get(id) {
            return number;
        }
        let number = self.devices.len();
        let guid = id.split_once('-').map_or(id, |(_, guid)| guid).to_string();
        self.devices.push(Device { kind, line: None, guid, description: description.to_string() });
        self.number_of.insert(id.to_string(), number);
        number
    }

    /// Adds what a port is joined to: `[1](guid) "S-0002"[3](guid) # ... "description" ...`.
    fn port(&mut self, device: usize, line: &str) -> Result<(), Fault> {
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
        let other = (self.device(kind, id, &description(rest)), other);
        let about = PortComment::of(rest);
        let speed = self.cables.entry([own.min(other), own.max(other)]).or_default();
        *speed = speed.or(about.bytes_per_second);
        for (port, addresses) in [(own, about.own), (other, about.other)] {
            let Some(addresses) = addresses else { continue };
            // The entry of an adapter has all its addresses. Others have only the first one.
            let known = self.addresses.entry(port).or_insert(addresses.clone());
            if addresses.len() > known.len() {
                *known = addresses;
            }
        }
        Ok(())
    }

    fn network(&self) -> (Network, Warnings) {
        let mut warnings = Warnings::new();
        let mut fabric = Fabric::default();
        let mut hosts: BTreeMap<&str, u32> = BTreeMap::new();
        let mut nameless = Vec::new();
        let mut between_hosts = 0;
        // The number of each device in the network; none for devices that are left out.
        let numbers: Vec<Option<u32>> = self
            .devices
            .iter()
            .map(|device| match device.role() {
                Role::Switch(name) => Some(fabric.add_switch(name)),
                Role::Host(name) => {
                    Some(*hosts.entry(name).or_insert_with(|| fabric.add_host(name)))
                }
                Role::Nameless => {
                    nameless.push(device);
                    Some(fabric.add_host(&device.guid))
                }
                Role::Helper => None,
            })
            .collect();
        for [(a, _), (b, _)] in self.cables.keys() {
            let (Some(first), Some(second)) = (numbers[*a], numbers[*b]) else { continue };
            match (self.devices[*a].kind, self.devices[*b].kind) {
                (DeviceKind::Switch, DeviceKind::Switch) => fabric.add_cable(first, second),
                (DeviceKind::Switch, DeviceKind::Adapter) => fabric.plug(second, first),
                (DeviceKind::Adapter, DeviceKind::Switch) => fabric.plug(first, second),
                (DeviceKind::Adapter, DeviceKind::Adapter) => between_hosts += 1,
            }
        }
        if let Some(first) = nameless.first() {
            warnings.push(format!(
                "{} without the name of a host (such as \"{}\"); each is treated as a host named \
                 by its GUID, such as {}",
                counted(nameless.len(), "adapter"),
                first.description,
                first.guid
            ));
        }
        if between_hosts > 0 {
            warnings.push(format!(
                "{between_hosts} from host to host without a switch left out",
                between_hosts = counted(between_hosts, "cable")
            ));
        }
        let (mut network, more) = fabric.network();
        warnings.extend(more);
        network.wiring = Some(self.wiring(&numbers, &mut warnings));
        (network, warnings)
    }

    /// Adapters, switches and cables. `numbers` has the number of each device as a host or a switch.
    fn wiring(&self, numbers: &[Option<u32>], warnings: &mut Warnings) -> Wiring {
        let mut wiring = Wiring::default();
        for (device, number) in self.devices.iter().zip(numbers) {
            if let (Role::Switch(name), Some(_)) = (device.role(), number) {
                wiring.switches.push(Switch { name: name.to_string(), guid: device.number() });
            }
        }
        let is_used = |end: &(usize, u32)| numbers[end.0].is_some();
        let kind_of = |end: &(usize, u32)| self.devices[end.0].kind;
        let joins_switch = |ends: &Ends| {
            ends.iter().any(|end| kind_of(end) == DeviceKind::Switch) && ends.iter().all(is_used)
        };
        let cables: Vec<(&Ends, &Option<f64>)> =
            self.cables.iter().filter(|(ends, _)| joins_switch(ends)).collect();
        // Adapters host by host, each host's by name.
        let ends = cables.iter().flat_map(|(ends, _)| ends.iter());
        let mut adapters: Vec<(u32, &str, (usize, u32))> = ends
            .filter(|end| kind_of(end) == DeviceKind::Adapter)
            .filter_map(|&end| Some((numbers[end.0]?, self.devices[end.0].adapter_name(), end)))
            .collect();
        adapters.sort_unstable();
        let mut number_of = HashMap::new();
        for &(host, name, end) in &adapters {
            number_of.insert(end, wiring.adapters.len() as u32);
            let ports = adapters.iter().filter(|other| other.2.0 == end.0).count();
            let name = if ports > 1 { format!("{name}/{}", end.1) } else { name.to_string() };
            let addresses = self.addresses.get(&end).cloned().unwrap_or(0..0);
            let guid = self.devices[end.0].number();
            wiring.adapters.push(Adapter { host, name, guid, addresses });
        }
        let mut unknown = 0;
        for (ends, speed) in cables {
            let port = |end: &(usize, u32)| {
                let device = match number_of.get(end) {
                    Some(&adapter) => End::Adapter(adapter),
                    None => End::Switch(numbers[end.0].unwrap_or_default()),
                };
                Port { device, number: end.1 }
            };
            let ends = [port(&ends[0]), port(&ends[1])];
            unknown += usize::from(speed.is_none());
            let latency_seconds = match ends.iter().any(|end| matches!(end.device, End::Adapter(_)))
            {
                true => ADAPTER_LINK.latency_seconds,
                false => SWITCH_LATENCY,
            };
            let bytes_per_second = speed.unwrap_or(ADAPTER_LINK.bytes_per_second);
            let link = LinkProperties { bytes_per_second, latency_seconds, ..ADAPTER_LINK };
            wiring.cables.push(Cable { ends, link });
        }
        if unknown > 0 {
            warnings.push(format!(
                "the speed of {} is not known: {} GB/s is assumed",
                counted(unknown, "cable"),
                ADAPTER_LINK.bytes_per_second / 1e9
            ));
        }
        wiring
    }
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

/// The data that a link of a speed such as `4xHDR` carries. The rate of a lane is in Gbit/s, and its
/// encoding takes a part of it.
fn bytes_per_second(speed: &str) -> Option<f64> {
    let (lanes, rate) = speed.split_once('x')?;
    let lanes: u32 = lanes.parse().ok().filter(|lanes| (1..=12).contains(lanes))?;
    let (gigabits, encoding) = match rate {
        "SDR" => (2.5, 0.8),
        "DDR" => (5.0, 0.8),
        "QDR" => (10.0, 0.8),
        "FDR10" => (10.3125, 64.0 / 66.0),
        "FDR" => (14.0625, 64.0 / 66.0),
        "EDR" => (25.78125, 64.0 / 66.0),
        "HDR" => (2.0 * 25.78125, 64.0 / 66.0),
        "NDR" => (100.0, 64.0 / 66.0),
        "XDR" => (200.0, 64.0 / 66.0),
        _ => return None,
    };
    Some(f64::from(lanes) * gigabits * 1e9 * encoding / 8.0)
}

/// What a device is for.
enum Role<'a> {
    /// A switch, by its name.
    Switch(&'a str),
    /// The adapter of a host, by the host's name.
    Host(&'a str),
    /// The adapter of an unknown host.
    Nameless,
    /// A device that a switch uses to compute; it is not a host.
    Helper,
}

impl Device {
    fn role(&self) -> Role<'_> {
        let description = self.description.trim();
        if self.kind == DeviceKind::Switch {
            return Role::Switch(switch_name(description).unwrap_or(&self.guid));
        }
        if description.contains("Aggregation Node") {
            return Role::Helper;
        }
        // The default description of adapters, before a host gives them a name.
        let model = description.contains("Mellanox Technologies")
            || description.contains("ConnectX")
            || description.contains("InfiniHost");
        match description.split_whitespace().next() {
            Some(host) if !model && host != "localhost" => Role::Host(host),
            _ => Role::Nameless,
        }
    }
}

impl Device {
    /// What its host calls an adapter: the second word of its description, or its GUID.
    fn adapter_name(&self) -> &str {
        match self.role() {
            Role::Host(_) => self.description.split_whitespace().nth(1).unwrap_or(&self.guid),
            _ => &self.guid,
        }
    }

    /// The GUID as a number.
    fn number(&self) -> Option<u64> {
        u64::from_str_radix(self.guid.trim_start_matches("0x"), 16).ok()
    }
}

/// The name of a switch in its description: `leaf1` of `MF0;leaf1:MQM9700/U1`.
fn switch_name(description: &str) -> Option<&str> {
    let name = match description.strip_prefix("MF0;").and_then(|rest| rest.split_once(':')) {
        Some((name, _)) => name,
        None => description,
    };
    (!name.is_empty()).then_some(name)
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
