//! InfiniBand networks as `ibnetdiscover` prints them.
//!
//! `docs/machines.md` says which parts of it are used.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use topoloom_core::cluster::{Fabric, Network};
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

/// Devices, and which of their ports are joined.
#[derive(Default)]
struct Subnet {
    devices: Vec<Device>,
    number_of: HashMap<String, usize>,
    /// Each cable once: device and port of both ends, the lower one first.
    cables: BTreeSet<[(usize, u32); 2]>,
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
        self.cables.insert([own.min(other), own.max(other)]);
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
        for [(a, _), (b, _)] in &self.cables {
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
        let (network, more) = fabric.network();
        warnings.extend(more);
        (network, warnings)
    }
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
