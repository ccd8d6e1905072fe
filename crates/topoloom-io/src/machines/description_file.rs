//! Described machines as files: JSON with the kinds of nodes, the network, the hosts and the costs.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use topoloom_core::cluster::{
    Costs, Description, Hardware, Host, Network, Object, ObjectKind, Seat, Speed, SwitchGroup,
};

use super::adapter_document::KindAdapter;
use super::wiring_document::WiringDocument;
use crate::text::atomic_write::atomic_write;
use crate::text::cpu_list::CpuLists;
use crate::text::error::{ReadError, WriteError};
use crate::text::fault::Fault;
use crate::text::json::{json_error, labelled};
use crate::text::source::Source;
use crate::text::{cpu_list, host_list};

const FORMAT: &str = "topoloom-machine";

/// Files of the first version have no cables.
const VERSIONS: [u64; 2] = [1, 2];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u64,
    place: String,
    #[serde(default)]
    costs: BTreeMap<String, u32>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    speeds: BTreeMap<String, LevelSpeed>,
    hosts: Vec<Hosts>,
    kinds: Vec<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<Net>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    seats: Vec<JobSeat>,
}

/// How fast the links of a level are.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelSpeed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes_per_second: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latency_seconds: Option<f64>,
}

/// Where one process of a job may sit.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JobSeat {
    host: String,
    /// Missing for a process that is not bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpus: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gpu: Option<u32>,
}

/// The memory of a thread in the tree of a node, and in the machine that is made from it.
const BYTES_PER_THREAD: usize = 2 * size_of::<Object>();

/// Identical hosts, as a list with brackets.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hosts {
    names: String,
    kind: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slots: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    node: Part,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    adapters: Vec<KindAdapter>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The threads directly in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpus: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "in")]
    inside: Vec<Part>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Net {
    switches: usize,
    links: usize,
    groups: Vec<NetGroup>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wiring: Option<WiringDocument>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NetGroup {
    name: String,
    level: u32,
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "in")]
    parent: Option<u32>,
}

/// Whether this is one of our machine files, valid or not.
pub fn is_machine_file(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(4096)];
    let has = |text: &str| start.windows(text.len()).any(|part| part == text.as_bytes());
    start.trim_ascii_start().first() == Some(&b'{') && has(FORMAT)
}

/// Reads the content `bytes` of a machine file called `name`.
pub fn parse_machine_description(name: &str, bytes: &[u8]) -> Result<Description, ReadError> {
    let source = Source::new(name, bytes);
    labelled(&source, FORMAT, "machine", &VERSIONS)?;
    let document: Document =
        serde_json::from_slice(source.bytes()).map_err(|error| json_error(&source, &error))?;
    description(document).map_err(|fault| source.error(fault))
}

fn description(document: Document) -> Result<Description, Fault> {
    let mut costs = Costs::default();
    for (name, cost) in &document.costs {
        costs.set(name, *cost)?;
    }
    for (name, &LevelSpeed { bytes_per_second, latency_seconds }) in &document.speeds {
        let speed = Speed { bytes_per_second, latency_seconds };
        if !speed.is_fine() {
            let expected = "a bandwidth above 0 and a latency of at least 0";
            return Err(Fault::expected(expected, format!("others as the speed of {name}")));
        }
        costs.set_speed(name, speed)?;
    }
    let place = document.place.parse()?;
    let mut kinds = Vec::new();
    let mut cpus = CpuLists::taking(BYTES_PER_THREAD);
    for kind in document.kinds {
        let node = object(kind.node, &mut cpus)?;
        if node.kind != ObjectKind::Node {
            return Err(Fault::expected("a node as a kind of node", format!("a {}", node.kind)));
        }
        let adapters = kind.adapters.into_iter().map(|adapter| adapter.into_adapter(&mut cpus));
        let adapters = adapters.collect::<Result<_, Fault>>()?;
        kinds.push(Hardware { host: kind.host, node, adapters });
    }
    let mut names = Vec::new();
    let mut hosts: Vec<Host> = Vec::new();
    for Hosts { names: list, kind, slots, group } in document.hosts {
        host_list::parse_names_into(&mut names, &list)?;
        let new = names[hosts.len()..].iter().cloned();
        hosts.extend(new.map(|name| Host { name, kind, slots, group }));
    }
    let network = match document.network {
        Some(net) => network(net, &hosts)?,
        None => Network::default(),
    };
    let seats = seats(document.seats, &hosts)?;
    Ok(Description { kinds, network, hosts, costs, place, seats })
}

fn network(net: Net, hosts: &[Host]) -> Result<Network, Fault> {
    let group = |group: NetGroup| SwitchGroup {
        name: group.name,
        parent: group.parent,
        level: group.level,
    };
    Ok(Network {
        groups: net.groups.into_iter().map(group).collect(),
        hosts: Vec::new(),
        switches: net.switches,
        links: net.links,
        wiring: net.wiring.map(|wiring| wiring.into_wiring(hosts)).transpose()?,
        named: None,
    })
}

fn seats(seats: Vec<JobSeat>, hosts: &[Host]) -> Result<Vec<Seat>, Fault> {
    let numbers: HashMap<&str, u32> =
        (0..).zip(hosts).map(|(number, host)| (host.name.as_str(), number)).collect();
    let mut lists = CpuLists::taking(size_of::<u32>());
    let seat = |(number, seat): (usize, JobSeat)| {
        let Some(&host) = numbers.get(seat.host.as_str()) else {
            return Err(Fault::OutOfRange(format!(
                "seat {number} is on {}, which is not among the hosts",
                seat.host
            )));
        };
        let cpus = match seat.cpus.as_deref().map(|list| lists.parse(list)) {
            None => Vec::new(),
            Some(Ok(cpus)) if cpus.is_empty() => {
                return Err(
                    Fault::expected("CPUs such as 0-3", "none").within(format!("seat {number}"))
                );
            }
            Some(Ok(cpus)) => cpus,
            Some(Err(error)) => return Err(error.within(format!("seat {number}"))),
        };
        Ok(Seat { host, cpus, gpu: seat.gpu })
    };
    seats.into_iter().enumerate().map(seat).collect()
}

fn object(part: Part, cpus_of_all: &mut CpuLists) -> Result<Object, Fault> {
    let kind: ObjectKind = part.kind.parse()?;
    let mut children = Vec::new();
    if let Some(cpus) = &part.cpus {
        let thread = |cpu| Object::new(ObjectKind::Thread, Some(cpu), Vec::new());
        children.extend(cpus_of_all.parse(cpus)?.into_iter().map(thread));
    }
    for inner in part.inside {
        children.push(object(inner, cpus_of_all)?);
    }
    let has_nothing_in_it = matches!(kind, ObjectKind::Thread | ObjectKind::Gpu);
    if has_nothing_in_it && !children.is_empty() {
        return Err(Fault::expected("nothing inside it", "other parts").within(kind));
    }
    Ok(Object { kind, index: part.index, name: part.name, children })
}

/// Writes a machine file, whole or not at all.
pub fn write_machine_description(
    path: impl AsRef<Path>,
    machine: &Description,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    atomic_write(path, machine_content(machine))
}

/// What a machine file holds.
pub fn machine_content(machine: &Description) -> impl FnOnce(&mut dyn io::Write) -> io::Result<()> {
    let document = document(machine);
    move |writer| {
        serde_json::to_writer_pretty(&mut *writer, &document)?;
        writeln!(writer)
    }
}

fn document(machine: &Description) -> Document {
    let alike = |a: &Host, b: &Host| (a.kind, a.slots, a.group) == (b.kind, b.slots, b.group);
    let hosts = machine.hosts.chunk_by(alike).map(|hosts| {
        let names: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
        let first = &hosts[0];
        let names = host_list::write(&names);
        Hosts { names, kind: first.kind, slots: first.slots, group: first.group }
    });
    let kind = |kind: &Hardware| Kind {
        host: kind.host.clone(),
        node: part(&kind.node),
        adapters: kind.adapters.iter().map(KindAdapter::of).collect(),
    };
    let group = |group: &SwitchGroup| NetGroup {
        name: group.name.clone(),
        level: group.level,
        parent: group.parent,
    };
    let network = &machine.network;
    Document {
        format: FORMAT.to_string(),
        version: VERSIONS[VERSIONS.len() - 1],
        place: machine.place.to_string(),
        costs: machine.costs.given().map(|(name, cost)| (name.to_string(), cost)).collect(),
        speeds: machine
            .costs
            .speeds()
            .map(|(name, speed)| (name.to_string(), speed.into()))
            .collect(),
        hosts: hosts.collect(),
        kinds: machine.kinds.iter().map(kind).collect(),
        network: (!network.groups.is_empty()).then(|| Net {
            switches: network.switches,
            links: network.links,
            groups: network.groups.iter().map(group).collect(),
            wiring: network.wiring.as_ref().map(|w| WiringDocument::of(w, &machine.hosts)),
        }),
        seats: machine.seats.iter().map(|seat| job_seat(seat, &machine.hosts)).collect(),
    }
}

impl From<Speed> for LevelSpeed {
    fn from(Speed { bytes_per_second, latency_seconds }: Speed) -> LevelSpeed {
        LevelSpeed { bytes_per_second, latency_seconds }
    }
}

fn job_seat(seat: &Seat, hosts: &[Host]) -> JobSeat {
    JobSeat {
        host: hosts[seat.host as usize].name.clone(),
        cpus: seat.is_bound().then(|| cpu_list::write(&seat.cpus)),
        gpu: seat.gpu,
    }
}

fn part(object: &Object) -> Part {
    let is_thread = |child: &&Object| child.kind == ObjectKind::Thread && child.index.is_some();
    let cpus: Vec<u32> =
        object.children.iter().filter(is_thread).filter_map(|thread| thread.index).collect();
    Part {
        kind: object.kind.to_string(),
        index: object.index,
        name: object.name.clone(),
        cpus: (!cpus.is_empty()).then(|| cpu_list::write(&cpus)),
        inside: object.children.iter().filter(|child| !is_thread(child)).map(part).collect(),
    }
}
