//! Nodes as NCCL and RCCL see them: the XML of `NCCL_TOPO_DUMP_FILE` and `NCCL_TOPO_FILE`.
//!
//! `docs/machines.md` says which parts of it are used.

mod devices;
mod models;

use roxmltree::{Document, Node};
use topoloom_core::cluster::{Hardware, NodeAdapter};
use topoloom_core::words::counted;

use super::cpu_set::CpuSet;
use super::gpu_node::{Gpu, GpuNode, Near, warn_of_unlinked};
use crate::text::cpu_list::MOST_CPUS;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::text::xml;
use devices::{FoundGpu, adapters_in, bus_number, gpus_in, gpus_near, num_nets};

/// More GPUs or adapters than any node has.
const MOST_DEVICES: usize = 1024;

/// Whether the root of XML is that of a file of NCCL: a topology or a graph.
pub fn is_nccl(bytes: &[u8]) -> bool {
    matches!(xml::root_name(bytes), Some(b"system" | b"graphs"))
}

/// Reads the node that NCCL's XML `bytes`, called `name`, describes.
///
/// ```
/// let xml = r#"<system version="1"><cpu numaid="0" affinity="0000000f">
///   <pci busid="0000:a4:00.0" class="0x030200"><gpu dev="0" sm="90"/></pci></cpu></system>"#;
/// let (hardware, _) = topoloom_io::machines::parse_nccl("topo.xml", xml.as_bytes()).unwrap();
/// assert_eq!(hardware.node.cpus(), [0, 1, 2, 3]);
/// ```
pub fn parse_nccl(name: &str, bytes: &[u8]) -> Result<(Hardware, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let document = xml::parse(&source)?;
    let reader = Reader { source, document: &document };
    reader.system(document.root_element())
}

struct Reader<'a, 'input> {
    source: Source<'input>,
    document: &'a Document<'input>,
}

impl<'a, 'input> Reader<'a, 'input> {
    fn system(&self, root: Node<'a, 'input>) -> Result<(Hardware, Warnings), ReadError> {
        match root.tag_name().name() {
            "system" => {}
            "graphs" => {
                let fault = Fault::WrongInput(
                    "a graph of NCCL (NCCL_GRAPH_DUMP_FILE): it lists channels, not what is inside \
                     a node; expected the file of NCCL_TOPO_DUMP_FILE, which starts with <system>"
                        .into(),
                );
                return Err(self.error(root, fault));
            }
            other => {
                let expected = "NCCL's XML, which starts with <system>";
                return Err(self.error(root, Fault::expected(expected, format!("<{other}>"))));
            }
        }
        let mut warnings = Warnings::new();
        let cpus = self.one_host(root, &mut warnings);
        let mut gpus: Vec<Vec<FoundGpu<'a, 'input>>> = Vec::new();
        let declared = cpus.iter().any(|cpu| devices::has_gpus(*cpu));
        for cpu in &cpus {
            gpus.push(gpus_in(*cpu, declared).map_err(|(node, fault)| self.error(node, fault))?);
        }
        let devices = [gpus.iter().flatten().count(), cpus.iter().map(|cpu| num_nets(*cpu)).sum()];
        if devices.iter().any(|&devices| devices > MOST_DEVICES) {
            let fault = Fault::TooLarge(format!("more than {MOST_DEVICES} GPUs or adapters"));
            return Err(self.error(root, fault));
        }
        self.number(&mut gpus, root)?;
        let mut parts: Vec<Near> = Vec::new();
        // The part of each element: elements of one NUMA node are one part.
        let mut part_of = Vec::new();
        for (cpu, gpus) in cpus.iter().zip(&gpus) {
            let (numa, own) = (self.numa(*cpu)?, self.affinity(*cpu)?);
            let gpus = gpus.iter().map(|gpu| Gpu { number: gpu.number, name: gpu.name.clone() });
            let same = |part: &Near| part.numa == numa && (numa.is_some() || part.cpus == own);
            match parts.iter().position(same) {
                Some(part) => {
                    parts[part].gpus.extend(gpus);
                    parts[part].cpus.extend(own);
                    parts[part].cpus.sort_unstable();
                    parts[part].cpus.dedup();
                    part_of.push(part);
                }
                None => {
                    part_of.push(parts.len());
                    parts.push(Near { numa, cpus: own, gpus: gpus.collect() });
                }
            }
        }
        let node = GpuNode::new(parts, &mut warnings).map_err(|fault| self.error(root, fault))?;
        if node.node.cpus().is_empty() {
            let expected = "CPUs (affinity of <cpu>) or GPUs";
            return Err(self.error(root, Fault::expected(expected, "none")));
        }
        let found: Vec<&FoundGpu<'a, 'input>> = gpus.iter().flatten().collect();
        let links = if found.iter().any(|gpu| gpu.has_xgmi) { "xGMI links" } else { "NVLink" };
        let linked = found.iter().map(|gpu| (gpu.number, gpu.is_linked));
        warn_of_unlinked(links, linked, &mut warnings);
        let mut adapters = Vec::new();
        for (cpu, part) in cpus.iter().zip(part_of) {
            for adapter in adapters_in(*cpu) {
                let near = gpus_near(adapter.at, &found);
                adapters.push(NodeAdapter {
                    name: adapter.name,
                    guid: adapter.guid,
                    cpus: node.cpus[part].clone(),
                    gpus: near.into_iter().filter_map(|gpu| node.position(gpu)).collect(),
                    megabits_per_second: adapter.megabits_per_second,
                });
            }
        }
        // Interfaces without a GUID serve the operating system, unless there is nothing else.
        if adapters.iter().any(|adapter| adapter.guid.is_some()) {
            adapters.retain(|adapter| adapter.guid.is_some());
        }
        Ok((Hardware { host: None, node: node.node, adapters }, warnings))
    }

    /// The CPUs of the first host. A dump of hosts that NVLink joins has those of all.
    fn one_host(&self, root: Node<'a, 'input>, warnings: &mut Warnings) -> Vec<Node<'a, 'input>> {
        let host = |cpu: &Node<'a, 'input>| cpu.attribute("host_hash");
        let mut cpus: Vec<Node<'a, 'input>> =
            root.children().filter(|child| child.has_tag_name("cpu")).collect();
        let mut hosts: Vec<Option<&str>> = cpus.iter().map(host).collect();
        let first = hosts.first().copied().flatten();
        hosts.sort_unstable();
        hosts.dedup();
        if hosts.len() > 1 {
            warnings.push(format!(
                "the dump holds {} that NVLink joins, without their names: only what is inside the \
                 first is used; a list of fabric UUIDs says which hosts are in an NVLink domain",
                counted(hosts.len(), "host")
            ));
            cpus.retain(|cpu| host(cpu) == first);
        }
        cpus
    }

    /// Gives every GPU a number: its own, or its position by bus id, as the driver counts.
    fn number(
        &self,
        gpus: &mut [Vec<FoundGpu<'a, 'input>>],
        root: Node<'a, 'input>,
    ) -> Result<(), ReadError> {
        let mut all: Vec<&mut FoundGpu<'a, 'input>> = gpus.iter_mut().flatten().collect();
        if all.iter().any(|gpu| gpu.given.is_none()) {
            all.sort_by_key(|gpu| bus_number(gpu.pci));
            (0..).zip(&mut all).for_each(|(number, gpu)| gpu.number = number);
            return Ok(());
        }
        let mut numbers: Vec<u32> = all.iter().map(|gpu| gpu.number).collect();
        numbers.sort_unstable();
        match numbers.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let fault = Fault::Repeated(format!("GPU {} appears twice", pair[0]));
                Err(self.error(root, fault))
            }
            None => Ok(()),
        }
    }

    /// The number of a NUMA node; -1 if it is not known.
    fn numa(&self, cpu: Node<'a, 'input>) -> Result<Option<u32>, ReadError> {
        let Some(text) = cpu.attribute("numaid") else { return Ok(None) };
        match text.parse::<i64>() {
            Ok(-1) => Ok(None),
            Ok(number) if (0..i64::from(MOST_CPUS)).contains(&number) => Ok(Some(number as u32)),
            _ => {
                let fault = Fault::expected("the number of a NUMA node", format!("\"{text}\""));
                Err(self.error(cpu, fault.within("numaid")))
            }
        }
    }

    /// The CPUs of a NUMA node; none if they are not known.
    fn affinity(&self, cpu: Node<'a, 'input>) -> Result<Vec<u32>, ReadError> {
        let text = cpu.attribute("affinity").unwrap_or_default();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let wrong = |fault: Fault| self.error(cpu, fault.within("affinity"));
        let set = CpuSet::parse_hwloc(text).ok_or_else(|| {
            wrong(Fault::expected("CPUs such as 0000ffff,ffffffff", format!("\"{text}\"")))
        })?;
        let cpus: Vec<u32> = set.numbers().take(MOST_CPUS as usize + 1).collect();
        match cpus.last() {
            Some(&last) if last >= MOST_CPUS || cpus.len() > MOST_CPUS as usize => {
                Err(wrong(Fault::TooLarge(format!("a CPU beyond {}", MOST_CPUS - 1))))
            }
            _ => Ok(cpus),
        }
    }

    fn error(&self, node: Node<'a, 'input>, fault: Fault) -> ReadError {
        let line = self.document.text_pos_at(node.range().start).row;
        self.source.error_in_line(line as usize, fault)
    }
}
