//! An InfiniBand subnet: its devices and cables, from whatever file has them, as a network.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use topoloom_core::cluster::{
    ADAPTER_LINK, Adapter, Cable, Device as End, Fabric, Network, Port, SWITCH_LATENCY, Switch,
    Wiring,
};
use topoloom_core::topology::LinkProperties;
use topoloom_core::words::counted;

use super::device_names::DeviceNames;
use crate::text::warnings::Warnings;

/// What a device of a subnet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeviceKind {
    /// Or a router: both pass on messages.
    Switch,
    Adapter,
}

pub(super) struct Device {
    pub kind: DeviceKind,
    /// The line of its own entry; none if only other entries name it.
    pub line: Option<usize>,
    guid: String,
    pub description: String,
    /// What a map of GUIDs to names calls it.
    named: Option<String>,
}

/// A port: its device and its number there.
pub(super) type DevicePort = (usize, u32);

/// Both ends of a cable, the lower one first.
type Ends = [DevicePort; 2];

/// Devices, and which of their ports are joined.
pub(super) struct Subnet<'a> {
    pub devices: Vec<Device>,
    names: &'a DeviceNames,
    number_of: HashMap<String, usize>,
    /// Each cable once, with its bytes per second.
    cables: BTreeMap<Ends, Option<f64>>,
    /// The addresses of ports of adapters.
    addresses: HashMap<DevicePort, Range<u32>>,
}

impl<'a> Subnet<'a> {
    /// A subnet without devices, which `names` knows by other names than their own.
    pub fn new(names: &'a DeviceNames) -> Subnet<'a> {
        Subnet {
            devices: Vec::new(),
            names,
            number_of: HashMap::new(),
            cables: BTreeMap::new(),
            addresses: HashMap::new(),
        }
    }

    /// The number of a device with an id such as `S-0002c90300000001`, which is added if it was not
    /// named before.
    pub fn device(&mut self, kind: DeviceKind, id: &str, description: &str) -> usize {
        if let Some(&number) = self.number_of.get(id) {
            return number;
        }
        let number = self.devices.len();
        let guid = id.split_once('-').map_or(id, |(_, guid)| guid).to_string();
        let named = number_of_guid(&guid).and_then(|guid| self.names.get(guid));
        let (description, named) = (description.to_string(), named.map(ToString::to_string));
        self.devices.push(Device { kind, line: None, guid, description, named });
        self.number_of.insert(id.to_string(), number);
        number
    }

    /// Adds a cable between two ports. Several entries may tell of the same one.
    pub fn join(&mut self, a: DevicePort, b: DevicePort, bytes_per_second: Option<f64>) {
        let speed = self.cables.entry([a.min(b), a.max(b)]).or_default();
        *speed = speed.or(bytes_per_second);
    }

    /// Adds the addresses of a port. Of several entries, the one with the most counts.
    pub fn answers_to(&mut self, port: DevicePort, addresses: Range<u32>) {
        let known = self.addresses.entry(port).or_insert(addresses.clone());
        if addresses.len() > known.len() {
            *known = addresses;
        }
    }

    /// The network, and what the user should know about it.
    pub fn network(&self) -> (Network, Warnings) {
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
            wiring.adapters.push(Adapter { host, name, guid, addresses, device: None });
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

/// The data that a link of a speed such as `4xHDR` carries. The rate of a lane is in Gbit/s, and its
/// encoding takes a part of it.
pub(super) fn bytes_per_second(speed: &str) -> Option<f64> {
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
            let name = self.named.as_deref().or_else(|| switch_name(description));
            return Role::Switch(name.unwrap_or(&self.guid));
        }
        if description.contains("Aggregation Node") {
            return Role::Helper;
        }
        // The author of a map meant a host.
        if let Some(host) = self.words().next().filter(|_| self.named.is_some()) {
            return Role::Host(host);
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
    /// The words of its name in a map or, without one, of its description.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.named.as_deref().unwrap_or(&self.description).split_whitespace()
    }

    /// What its host calls an adapter: the second word, or its GUID.
    fn adapter_name(&self) -> &str {
        match self.role() {
            Role::Host(_) => self.words().nth(1).unwrap_or(&self.guid),
            _ => &self.guid,
        }
    }

    /// The GUID as a number.
    fn number(&self) -> Option<u64> {
        number_of_guid(&self.guid)
    }
}

fn number_of_guid(guid: &str) -> Option<u64> {
    u64::from_str_radix(guid.trim_start_matches("0x"), 16).ok()
}

/// The name of a switch in its description: `leaf1` of `MF0;leaf1:MQM9700/U1`.
fn switch_name(description: &str) -> Option<&str> {
    let name = match description.strip_prefix("MF0;").and_then(|rest| rest.split_once(':')) {
        Some((name, _)) => name,
        None => description,
    };
    (!name.is_empty()).then_some(name)
}
