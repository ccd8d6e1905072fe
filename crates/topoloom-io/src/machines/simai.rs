//! Clusters as SimAI describes them: `.topo` files with GPUs, switches and links.
//!
//! The first line has the number of all nodes, of GPUs per server, of switches of NVLink and of the
//! network, and of links, and the model of the GPUs. The second line has the numbers of all
//! switches, those of NVLink first. Each further line is a link: `0 36 400Gbps 0.0005ms 0`.

use std::collections::HashMap;

use topoloom_core::budget;
use topoloom_core::cluster::{
    Adapter, Cable, Costs, Device, Fabric, Hardware, Network, NodeAdapter, Object, ObjectKind,
    Parts, Port, Speed, Switch, Wiring,
};
use topoloom_core::topology::LinkProperties;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// The memory of a host with its name, here and in the machine that is built from it.
const BYTES_PER_SERVER: u64 = 512;

/// More GPUs than any server has.
const MOST_GPUS: u32 = 1024;

/// Whether the content of a file is such a cluster: five numbers and a model, then only numbers.
pub fn is_simai(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| String::from_utf8_lossy(line));
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let is_number = |word: &str| word.parse::<u32>().is_ok();
    let words: Vec<&str> = first.split_whitespace().collect();
    words.len() == 6
        && words[..5].iter().all(|word| is_number(word))
        && !is_number(words[5])
        && second.split_whitespace().all(is_number)
}

/// Reads such a cluster: the content `bytes` of a file called `name`. Its hosts are the servers,
/// called `server0`, `server1`, ...; a rank gets a GPU.
///
/// ```
/// let text = b"5 2 1 2 4 H100\n2 3 4\n0 2 2880Gbps 0ms 0\n0 3 400Gbps 0ms 0\n\
///              1 2 2880Gbps 0ms 0\n1 4 400Gbps 0ms 0\n";
/// let (parts, _) = topoloom_io::machines::parse_simai("a.topo", text).unwrap();
/// assert_eq!(parts.network.unwrap().hosts[0].0, "server0");
/// ```
pub fn parse_simai(name: &str, bytes: &[u8]) -> Result<(Parts, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut lines = source.lines();
    let mut next = || {
        let (number, line) = lines.next().unwrap_or((1, b""));
        let text = std::str::from_utf8(line);
        let wanted = |_| source.error_in_line(number, Fault::wanted("UTF-8 text"));
        text.map(|text| (number, text.trim())).map_err(wanted)
    };
    let (number, text) = next()?;
    let header = Header::of(text).map_err(|fault| source.error_in_line(number, fault))?;
    let (number, text) = next()?;
    let mut cluster =
        Servers::new(header, text).map_err(|fault| source.error_in_line(number, fault))?;
    for (number, line) in lines {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        if !text.trim().is_empty() {
            cluster.add(link(text).map_err(error)?).map_err(error)?;
        }
    }
    cluster.check_links().map_err(|fault| source.error(fault))?;
    let mut warnings = Warnings::new();
    let parts = cluster.parts(&mut warnings).map_err(|fault| source.error(fault))?;
    Ok((parts, warnings))
}

/// The first line.
struct Header {
    nodes: u32,
    gpus_per_server: u32,
    nvswitches: u32,
    switches: u32,
    links: u64,
    model: String,
}

impl Header {
    fn of(line: &str) -> Result<Header, Fault> {
        let wrong = || {
            let expected = "nodes, GPUs per server, switches of NVLink, switches, links and the \
                            model of GPUs, such as 39 8 4 3 66 H100";
            Fault::expected(expected, shown(line.as_bytes()))
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        let [nodes, gpus_per_server, nvswitches, switches, links, model] = words[..] else {
            return Err(wrong());
        };
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let header = Header {
            nodes: number(nodes)?,
            gpus_per_server: number(gpus_per_server)?,
            nvswitches: number(nvswitches)?,
            switches: number(switches)?,
            links: number(links)?.into(),
            model: model.to_string(),
        };
        let fits = (1..=MOST_GPUS).contains(&header.gpus_per_server);
        match fits && header.gpus() > 0 && header.gpus().is_multiple_of(header.gpus_per_server) {
            true => Ok(header),
            false => Err(Fault::expected(
                "whole servers of GPUs",
                format!("{} GPUs, {} per server", header.gpus(), header.gpus_per_server),
            )),
        }
    }

    /// The nodes that are not switches.
    fn gpus(&self) -> u32 {
        self.nodes.saturating_sub(self.nvswitches).saturating_sub(self.switches)
    }
}

/// A link of a file.
struct Link {
    ends: [u32; 2],
    link: LinkProperties,
}

/// `0 36 400Gbps 0.0005ms 0`: two nodes, a bandwidth, a delay, and how often data are damaged.
fn link(line: &str) -> Result<Link, Fault> {
    let wrong =
        || Fault::expected("a link such as 0 36 400Gbps 0.0005ms 0", shown(line.as_bytes()));
    let words: Vec<&str> = line.split_whitespace().collect();
    let [a, b, bandwidth, delay, _] = words[..] else { return Err(wrong()) };
    let node = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    let quantity = |text: &str, units: &[(&str, f64)]| {
        let end = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let factor = units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| factor)?;
        number.parse::<f64>().ok().map(|number| number * factor)
    };
    const BANDWIDTHS: [(&str, f64); 4] =
        [("Gbps", 1e9 / 8.0), ("Mbps", 1e6 / 8.0), ("Tbps", 1e12 / 8.0), ("bps", 1.0 / 8.0)];
    const DELAYS: [(&str, f64); 4] = [("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("s", 1.0)];
    let link = LinkProperties {
        bytes_per_second: quantity(bandwidth, &BANDWIDTHS).ok_or_else(wrong)?,
        latency_seconds: quantity(delay, &DELAYS).ok_or_else(wrong)?,
        ..LinkProperties::ELECTRICAL
    };
    match link.is_fine() {
        true => Ok(Link { ends: [node(a)?, node(b)?], link }),
        false => Err(wrong()),
    }
}

/// What a node of the file is.
#[derive(Clone, Copy)]
enum What {
    Gpu(u32),
    NvSwitch,
    Switch(u32),
}

struct Servers {
    header: Header,
    /// The numbers of switches: their positions in the second line.
    switches: HashMap<u32, u32>,
    /// The switches of the network by their numbers in the file.
    names: Vec<u32>,
    /// The links of the network.
    cables: Vec<(What, What, LinkProperties)>,
    /// The link of a GPU to its switch of NVLink.
    nvlink: Option<LinkProperties>,
    links: u64,
}

impl Servers {
    fn new(header: Header, line: &str) -> Result<Servers, Fault> {
        let expected = u64::from(header.nvswitches) + u64::from(header.switches);
        let number = |word: &str| {
            let number = word.parse::<u32>().ok().filter(|&number| number >= header.gpus());
            number.filter(|&number| number < header.nodes).ok_or_else(|| {
                let range = format!("a switch from {} to {}", header.gpus(), header.nodes - 1);
                Fault::expected(range, shown(word.as_bytes()))
            })
        };
        let numbers = line.split_whitespace().map(number).collect::<Result<Vec<u32>, _>>()?;
        let switches: HashMap<u32, u32> = numbers.iter().copied().zip(0..).collect();
        if numbers.len() as u64 != expected || switches.len() as u64 != expected {
            let found = switches.len();
            return Err(Fault::expected(format!("the numbers of {expected} switches"), found));
        }
        let names = numbers[header.nvswitches as usize..].to_vec();
        let (cables, nvlink, links) = (Vec::new(), None, 0);
        Ok(Servers { header, switches, names, cables, nvlink, links })
    }

    fn what(&self, node: u32) -> Result<What, Fault> {
        match self.switches.get(&node) {
            Some(&at) if at < self.header.nvswitches => Ok(What::NvSwitch),
            Some(&at) => Ok(What::Switch(at - self.header.nvswitches)),
            None if node < self.header.gpus() => Ok(What::Gpu(node)),
            None => Err(Fault::OutOfRange(format!(
                "there is no node {node}: there are {}",
                self.header.nodes
            ))),
        }
    }

    fn add(&mut self, Link { ends: [a, b], link }: Link) -> Result<(), Fault> {
        self.links += 1;
        let [a, b] = [self.what(a)?, self.what(b)?];
        match (a, b) {
            (What::Gpu(_), What::NvSwitch) | (What::NvSwitch, What::Gpu(_)) => {
                self.nvlink.get_or_insert(link);
            }
            (What::NvSwitch, _) | (_, What::NvSwitch) => {
                let expected = "a link from a switch of NVLink to a GPU";
                return Err(Fault::expected(expected, "one to another switch"));
            }
            (What::Gpu(_), What::Gpu(_)) => {
                let expected = "a link from a GPU to a switch";
                return Err(Fault::expected(expected, "one to another GPU"));
            }
            _ => self.cables.push((a, b, link)),
        }
        Ok(())
    }

    fn check_links(&self) -> Result<(), Fault> {
        match self.links == self.header.links {
            true => Ok(()),
            false => Err(Fault::expected(format!("{} links", self.header.links), self.links)),
        }
    }

    fn parts(self, warnings: &mut Warnings) -> Result<Parts, Fault> {
        // A number in the file says how many servers there are.
        let servers = self.header.gpus() / self.header.gpus_per_server;
        budget::memory().check_items("so many servers", servers.into(), BYTES_PER_SERVER)?;
        let network = self.network(warnings);
        let mut costs = Costs::default();
        if let Some(link) = self.nvlink {
            let speed = Speed {
                bytes_per_second: Some(link.bytes_per_second),
                latency_seconds: Some(link.latency_seconds),
            };
            costs.set_speed(ObjectKind::Node.name(), speed)?;
        }
        Ok(Parts {
            hardware: vec![(self.server(), Vec::new())],
            network: Some(network),
            costs,
            place: Some(ObjectKind::Gpu),
            ..Parts::default()
        })
    }

    /// What is inside a server: GPUs, and one core for each, because the file has no CPUs.
    fn server(&self) -> Hardware {
        let gpus = self.header.gpus_per_server;
        let gpu = |number| Object {
            name: Some(self.header.model.clone()),
            ..Object::new(ObjectKind::Gpu, Some(number), Vec::new())
        };
        let mut node = Object::flat_node(gpus);
        node.children.splice(0..0, (0..gpus).map(gpu));
        // The adapters of the first server stand for those of all.
        let mut count = HashMap::new();
        let mut adapters = Vec::new();
        for (a, b, link) in &self.cables {
            let ((What::Gpu(gpu), _) | (_, What::Gpu(gpu))) = (a, b) else { continue };
            if *gpu < gpus {
                let megabits = (link.bytes_per_second * 8.0 / 1e6).round();
                adapters.push(NodeAdapter {
                    name: adapter_name(*gpu, &mut count),
                    guid: None,
                    cpus: Vec::new(),
                    gpus: vec![*gpu],
                    megabits_per_second: Some(megabits as u32),
                });
            }
        }
        Hardware { host: None, node, adapters }
    }

    fn network(&self, warnings: &mut Warnings) -> Network {
        let mut fabric = Fabric::default();
        let mut wiring = Wiring::default();
        for name in &self.names {
            let name = format!("switch{name}");
            fabric.add_switch(&name);
            wiring.switches.push(Switch { name, guid: None });
        }
        for server in 0..self.header.gpus() / self.header.gpus_per_server {
            fabric.add_host(&format!("server{server}"));
        }
        // Adapters are in the order of their hosts, and cables in that of the file.
        let mut plugged: Vec<(u32, usize)> = Vec::new();
        for (number, (a, b, _)) in self.cables.iter().enumerate() {
            if let (What::Gpu(gpu), _) | (_, What::Gpu(gpu)) = (a, b) {
                plugged.push((*gpu, number));
            }
        }
        plugged.sort_unstable();
        let mut adapter_of = HashMap::new();
        let mut count = HashMap::new();
        for (gpu, cable) in plugged {
            let (host, local) =
                (gpu / self.header.gpus_per_server, gpu % self.header.gpus_per_server);
            adapter_of.insert(cable, wiring.adapters.len() as u32);
            // Names are those inside the server.
            let nth = count.entry(gpu).and_modify(|nth| *nth += 1).or_insert(0);
            let mut before = HashMap::from([(local, *nth)]);
            let name = adapter_name(local, &mut before);
            wiring.adapters.push(Adapter { host, name, guid: None, addresses: 0..0, device: None });
        }
        let mut next_port = vec![1; self.names.len()];
        for (number, (a, b, link)) in self.cables.iter().enumerate() {
            let mut port = |end: &What| match end {
                What::Switch(switch) => {
                    let number = next_port[*switch as usize];
                    next_port[*switch as usize] += 1;
                    Port { device: Device::Switch(*switch), number }
                }
                _ => Port { device: Device::Adapter(adapter_of[&number]), number: 1 },
            };
            let ends = [port(a), port(b)];
            wiring.cables.push(Cable { ends, link: *link });
            match (a, b) {
                (What::Switch(a), What::Switch(b)) => fabric.add_cable(*a, *b),
                (What::Gpu(gpu), What::Switch(switch)) | (What::Switch(switch), What::Gpu(gpu)) => {
                    fabric.plug(gpu / self.header.gpus_per_server, *switch);
                }
                _ => {}
            }
        }
        let (mut network, more) = fabric.network();
        warnings.extend(more);
        network.wiring = Some(wiring);
        network
    }
}

/// The next adapter of a GPU: `gpu3`, then `gpu3-1`, ...
fn adapter_name(gpu: u32, count: &mut HashMap<u32, u32>) -> String {
    let before = count.entry(gpu).or_insert(0);
    *before += 1;
    match *before - 1 {
        0 => format!("gpu{gpu}"),
        more => format!("gpu{gpu}-{more}"),
    }
}
