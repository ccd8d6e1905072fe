//! The cables and forwarding tables of a machine file.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use topoloom_core::cluster::{
    ADAPTER_LINK, Adapter, Cable, Device, Host, Port, Switch, Tables, Wiring,
};
use topoloom_core::topology::LinkProperties;

use super::guid::guid;
use crate::text::fault::Fault;

/// Adapters, switches, cables and tables as a machine file has them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WiringDocument {
    switches: Vec<NamedDevice>,
    adapters: Vec<NamedAdapter>,
    /// Two ports such as `s0:17` and `a3:1` (port 17 of switch 0, port 1 of adapter 3), bytes per
    /// second, and the latency in seconds.
    cables: Vec<(String, String, f64, f64)>,
    /// For each switch, its ports by address, two hexadecimal digits each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tables: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedDevice {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guid: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedAdapter {
    host: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guid: Option<String>,
    /// The first address and how many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    addresses: Option<(u32, u32)>,
    /// Which of the adapters of its host's kind it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device: Option<u32>,
}

impl WiringDocument {
    /// What a machine file says about a wiring.
    pub fn of(wiring: &Wiring, hosts: &[Host]) -> WiringDocument {
        let guid = |guid: Option<u64>| guid.map(|guid| format!("{guid:016x}"));
        let switch =
            |switch: &Switch| NamedDevice { name: switch.name.clone(), guid: guid(switch.guid) };
        let adapter = |adapter: &Adapter| NamedAdapter {
            host: hosts[adapter.host as usize].name.clone(),
            name: adapter.name.clone(),
            guid: guid(adapter.guid),
            addresses: (!adapter.addresses.is_empty())
                .then(|| (adapter.addresses.start, adapter.addresses.len() as u32)),
            device: adapter.device,
        };
        let cable = |cable: &Cable| {
            let [a, b] = cable.ends.map(port_in_words);
            (a, b, cable.link.bytes_per_second, cable.link.latency_seconds)
        };
        let tables = wiring.tables.iter().flat_map(|tables| &tables.ports);
        WiringDocument {
            switches: wiring.switches.iter().map(switch).collect(),
            adapters: wiring.adapters.iter().map(adapter).collect(),
            cables: wiring.cables.iter().map(cable).collect(),
            tables: tables
                .map(|ports| ports.iter().map(|port| format!("{port:02x}")).collect())
                .collect(),
        }
    }

    /// The wiring of these hosts.
    pub fn into_wiring(self, hosts: &[Host]) -> Result<Wiring, Fault> {
        let number_of: HashMap<&str, u32> =
            (0..).zip(hosts).map(|(number, host)| (host.name.as_str(), number)).collect();
        let switch = |switch: NamedDevice| {
            Ok(Switch { guid: guid(switch.guid.as_deref())?, name: switch.name })
        };
        let adapter = |adapter: NamedAdapter| {
            let Some(&host) = number_of.get(adapter.host.as_str()) else {
                let text = format!("adapter {} is on {}", adapter.name, adapter.host);
                return Err(Fault::OutOfRange(format!("{text}, which is not among the hosts")));
            };
            let (first, count) = adapter.addresses.unwrap_or((0, 0));
            // Addresses have 16 bits.
            if first > 0xffff || count > 0x80 {
                return Err(Fault::OutOfRange(format!(
                    "adapter {}: addresses are below 65536, and at most 128",
                    adapter.name
                )));
            }
            let guid = guid(adapter.guid.as_deref())?;
            let (name, device) = (adapter.name, adapter.device);
            Ok(Adapter { host, name, guid, addresses: first..first + count, device })
        };
        let cable = |(a, b, bytes_per_second, latency_seconds): (String, String, f64, f64)| {
            let link = LinkProperties { bytes_per_second, latency_seconds, ..ADAPTER_LINK };
            Ok(Cable { ends: [port(&a)?, port(&b)?], link })
        };
        let tables =
            self.tables.iter().map(|text| table(text)).collect::<Result<Vec<_>, Fault>>()?;
        if !tables.is_empty() && tables.len() != self.switches.len() {
            let expected = format!("as many tables as switches ({})", self.switches.len());
            return Err(Fault::expected(expected, tables.len()));
        }
        Ok(Wiring {
            switches: self.switches.into_iter().map(switch).collect::<Result<_, Fault>>()?,
            adapters: self.adapters.into_iter().map(adapter).collect::<Result<_, Fault>>()?,
            cables: self.cables.into_iter().map(cable).collect::<Result<_, Fault>>()?,
            tables: (!tables.is_empty()).then_some(Tables { ports: tables }),
        })
    }
}

fn port_in_words(port: Port) -> String {
    match port.device {
        Device::Switch(number) => format!("s{number}:{}", port.number),
        Device::Adapter(number) => format!("a{number}:{}", port.number),
    }
}

fn port(text: &str) -> Result<Port, Fault> {
    let parts = || {
        let (device, number) = text.split_once(':')?;
        let number = number.parse().ok()?;
        let device = match device.split_at_checked(1)? {
            ("s", switch) => Device::Switch(switch.parse().ok()?),
            ("a", adapter) => Device::Adapter(adapter.parse().ok()?),
            _ => return None,
        };
        Some(Port { device, number })
    };
    parts().ok_or_else(|| Fault::expected("a port such as s0:17 or a3:1", format!("\"{text}\"")))
}

fn table(text: &str) -> Result<Vec<u8>, Fault> {
    let wrong = || Fault::wanted("a table of two hexadecimal digits per address");
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return Err(wrong());
    }
    let digits = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| wrong());
    (0..text.len()).step_by(2).map(digits).collect()
}
