//! What is wrong with the network of a cluster, as JSON and in sentences.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use topoloom::core::cluster::{Device, Wiring};
use topoloom::core::fabric_survey::{CrossedAdapter, FabricSurvey, fabric_survey};
use topoloom::core::topology::{Cluster, Wired};

use crate::output::numbers::{grouped, plural, precise};
use crate::output::table::wrapped;

/// What differs from the usual in a network.
#[derive(Serialize)]
pub struct FabricRecord {
    /// How many pairs of leaf and spine switches should have a cable.
    pub leaf_spine_pairs: usize,
    pub uncabled_pairs: Vec<PairRecord>,
    pub thin_pairs: Vec<ThinPairRecord>,
    pub crossed_hosts: Vec<CrossedHostRecord>,
    pub usual_adapters: Option<usize>,
    pub hosts_with_few_adapters: Vec<FewAdaptersRecord>,
    pub slow_cables: Vec<SlowCableRecord>,
    pub unrouted_addresses: Vec<UnroutedRecord>,
    pub adapters_without_address: Vec<String>,
    pub switches_without_table: Vec<String>,
}

#[derive(Serialize)]
pub struct PairRecord {
    pub leaf: String,
    pub spine: String,
}

#[derive(Serialize)]
pub struct ThinPairRecord {
    pub leaf: String,
    pub spine: String,
    pub cables: usize,
    pub usual: usize,
}

#[derive(Serialize)]
pub struct CrossedHostRecord {
    pub host: String,
    pub adapters: Vec<CrossedAdapterRecord>,
}

#[derive(Serialize)]
pub struct CrossedAdapterRecord {
    pub adapter: String,
    pub switch: String,
    /// Where the adapters of this name of other hosts are.
    pub usual: String,
}

#[derive(Serialize)]
pub struct FewAdaptersRecord {
    pub host: String,
    pub adapters: usize,
}

#[derive(Serialize)]
pub struct SlowCableRecord {
    pub ends: Vec<String>,
    pub bytes_per_second: f64,
    pub usual: f64,
}

#[derive(Serialize)]
pub struct UnroutedRecord {
    pub adapter: String,
    pub address: u32,
    /// How many adapters have no route to it.
    pub from: u64,
}

/// What is wrong with the network of a cluster; none if its cables are not known.
pub fn record(cluster: &Cluster) -> Option<FabricRecord> {
    let description = cluster.description();
    let wiring = description.network.wiring.as_ref()?;
    let hosts: Vec<&str> = description.hosts.iter().map(|host| &host.name[..]).collect();
    let routes = cluster.wired().and_then(Wired::network);
    let FabricSurvey { uncabled, thin, crossed, few_adapters, slow, holes } =
        fabric_survey(wiring, routes, &hosts);
    let names = Names::of(wiring, &hosts);
    let host = |number: u32| hosts[number as usize].to_string();
    let crossed_adapter = |crossed: &CrossedAdapter| {
        let adapter = wiring.adapters[crossed.adapter as usize].name.clone();
        let [switch, usual] = [crossed.switch, crossed.usual].map(|switch| names.switch(switch));
        CrossedAdapterRecord { adapter, switch, usual }
    };
    let pair = |&[leaf, spine]: &[u32; 2]| PairRecord {
        leaf: names.switch(leaf),
        spine: names.switch(spine),
    };
    Some(FabricRecord {
        leaf_spine_pairs: uncabled.of,
        uncabled_pairs: uncabled.pairs.iter().map(pair).collect(),
        thin_pairs: thin
            .iter()
            .map(|thin| {
                let PairRecord { leaf, spine } = pair(&thin.switches);
                ThinPairRecord { leaf, spine, cables: thin.cables, usual: thin.usual }
            })
            .collect(),
        crossed_hosts: crossed
            .iter()
            .map(|crossed| CrossedHostRecord {
                host: host(crossed.host),
                adapters: crossed.adapters.iter().map(crossed_adapter).collect(),
            })
            .collect(),
        usual_adapters: few_adapters.usual,
        hosts_with_few_adapters: few_adapters
            .hosts
            .iter()
            .map(|&(number, adapters)| FewAdaptersRecord { host: host(number), adapters })
            .collect(),
        slow_cables: slow
            .iter()
            .map(|slow| SlowCableRecord {
                ends: wiring.cables[slow.cable].ends.map(|end| names.device(end.device)).to_vec(),
                bytes_per_second: slow.bytes_per_second,
                usual: slow.usual,
            })
            .collect(),
        unrouted_addresses: holes
            .unrouted
            .iter()
            .map(|hole| {
                let adapter = names.device(Device::Adapter(hole.to.0));
                UnroutedRecord { adapter, address: hole.address, from: hole.from }
            })
            .collect(),
        adapters_without_address: holes
            .without_address
            .iter()
            .map(|&adapter| names.device(Device::Adapter(adapter)))
            .collect(),
        switches_without_table: holes
            .without_table
            .iter()
            .map(|&switch| names.switch(switch))
            .collect(),
    })
}

/// What switches and adapters are called.
struct Names<'a> {
    wiring: &'a Wiring,
    hosts: &'a [&'a str],
    /// How many switches have a name.
    switches: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn of(wiring: &'a Wiring, hosts: &'a [&'a str]) -> Names<'a> {
        let mut switches = HashMap::new();
        for switch in &wiring.switches {
            *switches.entry(switch.name.as_str()).or_default() += 1;
        }
        Names { wiring, hosts, switches }
    }

    /// The name of a switch, with its GUID if others have the same name.
    fn switch(&self, number: u32) -> String {
        let switch = &self.wiring.switches[number as usize];
        match (self.switches.get(switch.name.as_str()), switch.guid) {
            (Some(2..), Some(guid)) => format!("{} ({guid:016x})", switch.name),
            _ => switch.name.clone(),
        }
    }

    fn device(&self, device: Device) -> String {
        match device {
            Device::Switch(switch) => self.switch(switch),
            Device::Adapter(number) => {
                let adapter = &self.wiring.adapters[number as usize];
                match (self.hosts[adapter.host as usize], &adapter.name[..]) {
                    (host, "") => host.to_string(),
                    (host, name) if host == name => host.to_string(),
                    (host, name) => format!("{host} {name}"),
                }
            }
        }
    }
}

/// A paragraph for each kind of fault; nothing if there is none.
pub fn sentences(record: &FabricRecord) -> Vec<String> {
    let mut found = Vec::new();
    if !record.uncabled_pairs.is_empty() {
        let pairs = record.uncabled_pairs.iter();
        found.push(format!(
            "{} of {} of leaf and spine switches {} no cable: {}",
            grouped(record.uncabled_pairs.len() as f64),
            plural(record.leaf_spine_pairs, "pair"),
            have(record.uncabled_pairs.len()),
            some(pairs.map(|pair| format!("{} and {}", pair.leaf, pair.spine)))
        ));
    }
    let mut thin: BTreeMap<(usize, usize), Vec<&ThinPairRecord>> = BTreeMap::new();
    for pair in &record.thin_pairs {
        thin.entry((pair.usual, pair.cables)).or_default().push(pair);
    }
    for ((usual, cables), pairs) in thin {
        found.push(format!(
            "{} of switches {} {} instead of {usual}: {}",
            plural(pairs.len(), "pair"),
            have(pairs.len()),
            plural(cables, "cable"),
            some(pairs.iter().map(|pair| format!("{} and {}", pair.leaf, pair.spine)))
        ));
    }
    if !record.crossed_hosts.is_empty() {
        let host = |crossed: &CrossedHostRecord| {
            let adapter = |adapter: &CrossedAdapterRecord| {
                format!("{} on {}, not {}", adapter.adapter, adapter.switch, adapter.usual)
            };
            let adapters: Vec<String> = crossed.adapters.iter().map(adapter).collect();
            format!("{} ({})", crossed.host, adapters.join("; "))
        };
        found.push(format!(
            "{} with crossed rails, in another order than most peers: {}",
            plural(record.crossed_hosts.len(), "host"),
            some(record.crossed_hosts.iter().map(host))
        ));
    }
    found.extend(few_adapters(record));
    found.extend(slow_cables(record));
    found.extend(holes(record));
    found
}

fn few_adapters(record: &FabricRecord) -> Vec<String> {
    let mut few: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for host in &record.hosts_with_few_adapters {
        few.entry(host.adapters).or_default().push(&host.host);
    }
    let usual = record.usual_adapters.unwrap_or_default();
    let sentence = |(adapters, hosts): (usize, Vec<&str>)| {
        format!(
            "{} {} {} instead of {usual}: {}",
            plural(hosts.len(), "host"),
            have(hosts.len()),
            plural(adapters, "adapter"),
            some(hosts.iter().map(ToString::to_string))
        )
    };
    few.into_iter().map(sentence).collect()
}

fn slow_cables(record: &FabricRecord) -> Vec<String> {
    // Whole bytes per second can be compared.
    let mut slow: BTreeMap<(u64, u64), Vec<&SlowCableRecord>> = BTreeMap::new();
    for cable in &record.slow_cables {
        let speeds = (cable.usual as u64, cable.bytes_per_second as u64);
        slow.entry(speeds).or_default().push(cable);
    }
    let sentence = |((usual, speed), cables): ((u64, u64), Vec<&SlowCableRecord>)| {
        format!(
            "{} {} {} GB/s instead of {}: {}",
            plural(cables.len(), "cable"),
            have(cables.len()),
            precise(speed as f64 / 1e9),
            precise(usual as f64 / 1e9),
            some(cables.iter().map(|cable| cable.ends.join(" to ")))
        )
    };
    slow.into_iter().map(sentence).collect()
}

fn holes(record: &FabricRecord) -> Vec<String> {
    let mut found = Vec::new();
    if !record.unrouted_addresses.is_empty() {
        let hole = |hole: &UnroutedRecord| {
            let from = plural(hole.from as usize, "adapter");
            format!("0x{:04x} of {} from {from}", hole.address, hole.adapter)
        };
        found.push(format!(
            "{} without a route in the forwarding tables: {}",
            plural(record.unrouted_addresses.len(), "address"),
            some(record.unrouted_addresses.iter().map(hole))
        ));
    }
    for (what, names) in [
        ("adapter without an address", &record.adapters_without_address),
        ("switch without a forwarding table", &record.switches_without_table),
    ] {
        let (thing, rest) = what.split_once(' ').expect("two words or more");
        if !names.is_empty() {
            let count = plural(names.len(), thing);
            found.push(format!("{count} {rest}: {}", some(names.iter().cloned())));
        }
    }
    found
}

fn have(count: usize) -> &'static str {
    if count == 1 { "has" } else { "have" }
}

/// The first few of a list; the rest is counted.
fn some(items: impl Iterator<Item = String>) -> String {
    const MOST: usize = 4;
    let items: Vec<String> = items.collect();
    let shown = items[..items.len().min(MOST)].join(", ");
    match items.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The sentences below a heading, for a terminal; empty if nothing was found.
pub fn show(cluster: &Cluster) -> String {
    let found = record(cluster).map(|record| sentences(&record)).unwrap_or_default();
    if found.is_empty() {
        return String::new();
    }
    let lines =
        found.iter().map(|sentence| format!("{}\n", wrapped(&format!("- {sentence}"), "  ")));
    format!("\nfaults of the network:\n\n{}", lines.collect::<String>())
}
