//! Nodes as hwloc describes them: the XML that `lstopo` writes, of formats 2 and 3.
//!
//! `docs/machines.md` says which parts of it are used.

mod adapters;
mod gpus;
mod info;

use std::collections::{HashMap, HashSet};

use roxmltree::{Document, Node, NodeId};
use topoloom_core::cluster::{Hardware, NodeAdapter, Object, ObjectKind};

use super::cpu_set::CpuSet;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::xml;
use info::info;

/// Deeper than the nesting of any machine. Deeper input must not exhaust the stack.
const DEEPEST: usize = 100;

/// Which kind of XML it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Two,
    Three,
}

/// Reads the node that hwloc's XML `bytes`, called `name`, describes.
///
/// ```
/// let xml = r#"<topology version="2.0"><object type="Machine" cpuset="0x1">
///   <object type="PU" os_index="0" cpuset="0x1"/></object></topology>"#;
/// let hardware = topoloom_io::machines::parse_hwloc("node.xml", xml.as_bytes()).unwrap();
/// assert_eq!(hardware.node.cpus(), [0]);
/// ```
pub fn parse_hwloc(name: &str, bytes: &[u8]) -> Result<Hardware, ReadError> {
    let source = Source::new(name, bytes);
    let document = xml::parse(&source)?;
    let mut reader = Reader {
        source,
        document: &document,
        format: Format::Two,
        allowed: CpuSet::default(),
        seen: HashSet::new(),
        gpus: HashMap::new(),
        num_gpus: 0,
        adapters: Vec::new(),
    };
    reader.topology(document.root_element())
}

/// How an object is treated.
enum Meaning {
    /// A part.
    Part(ObjectKind),
    /// An object that is skipped: its parts belong to the object around it.
    Nothing,
    /// Memory beside the parts.
    Memory,
    /// A bridge or a device beside the parts.
    Device,
    /// An object that is not part of the machine.
    Remark,
}

fn meaning(kind: &str) -> Meaning {
    match kind {
        "Machine" => Meaning::Part(ObjectKind::Node),
        "Package" => Meaning::Part(ObjectKind::Package),
        "Die" => Meaning::Part(ObjectKind::Die),
        "Group" => Meaning::Part(ObjectKind::Group),
        "L5Cache" | "L4Cache" => Meaning::Part(ObjectKind::L4),
        "L3Cache" => Meaning::Part(ObjectKind::L3),
        "L2Cache" => Meaning::Part(ObjectKind::L2),
        "L1Cache" => Meaning::Part(ObjectKind::L1),
        "Core" => Meaning::Part(ObjectKind::Core),
        "PU" => Meaning::Part(ObjectKind::Thread),
        "NUMANode" | "MemCache" => Meaning::Memory,
        "Bridge" | "PCIDev" | "OSDev" => Meaning::Device,
        "Misc" => Meaning::Remark,
        // Instruction caches, and object types that later versions may add.
        _ => Meaning::Nothing,
    }
}

/// A part with the numbers of the GPUs in it, in their order there.
struct Part {
    object: Object,
    gpus: Vec<u32>,
}

/// The contents of a part, before it is assembled.
#[derive(Default)]
struct Inside {
    gpus: Vec<Part>,
    parts: Vec<Part>,
    /// The number of the first attached memory that has CPUs.
    memory: Option<Option<u32>>,
}

struct Reader<'a, 'input> {
    source: Source<'input>,
    document: &'a Document<'input>,
    format: Format,
    /// The CPUs that may be used.
    allowed: CpuSet,
    /// The numbers of the threads so far.
    seen: HashSet<u32>,
    /// The number of each GPU that is a PCI device, in the order of the file.
    gpus: HashMap<NodeId, u32>,
    num_gpus: u32,
    adapters: Vec<adapters::Found<'a, 'input>>,
}

impl<'a, 'input> Reader<'a, 'input> {
    fn topology(&mut self, root: Node<'a, 'input>) -> Result<Hardware, ReadError> {
        if root.tag_name().name() != "topology" {
            let fault = Fault::expected(
                "hwloc's XML, which starts with <topology>",
                format!("<{}>", root.tag_name().name()),
            );
            return Err(self.error(root, fault));
        }
        self.format = match root.attribute("version").map(|version| version.split('.').next()) {
            Some(Some("2")) => Format::Two,
            Some(Some("3")) => Format::Three,
            version => {
                let one = matches!(version, None | Some(Some("1")));
                let found = if one { "1" } else { root.attribute("version").unwrap_or_default() };
                let help =
                    if one { "; lstopo of hwloc 2 converts it: lstopo -i OLD NEW" } else { "" };
                let fault = Fault::expected(
                    "format 2 or 3 of hwloc's XML",
                    format!("format {found}{help}"),
                );
                return Err(self.error(root, fault));
            }
        };
        let mut objects = objects(root);
        let machine = match (objects.next(), objects.next()) {
            (Some(machine), None) if machine.attribute("type") == Some("Machine") => machine,
            _ => return Err(self.error(root, Fault::wanted("one object in <topology>, a Machine"))),
        };
        self.allowed = match machine.attribute("allowed_cpuset") {
            Some(_) => self.cpu_set(machine, "allowed_cpuset")?,
            None => self.cpu_set(machine, "complete_cpuset")?,
        }
        .unwrap_or_else(CpuSet::everything);
        let host = info(root, "HostName").or_else(|| info(machine, "HostName"));
        let node = self.part(machine, ObjectKind::Node, 0)?;
        match node {
            Some(Part { object: node, gpus }) if !self.seen.is_empty() => {
                let adapters = self.node_adapters(&node, &gpus)?;
                Ok(Hardware { host, node, adapters })
            }
            _ => Err(self.error(machine, Fault::expected("threads (PU) that may be used", "none"))),
        }
    }

    /// A part of the machine; none if nothing in it may be used.
    fn part(
        &mut self,
        object: Node<'a, 'input>,
        kind: ObjectKind,
        depth: usize,
    ) -> Result<Option<Part>, ReadError> {
        self.cpu_set(object, "cpuset")?;
        let index = self.number(object, "os_index")?;
        if kind == ObjectKind::Thread {
            let thread = self.thread(object, index)?;
            return Ok(thread.map(|object| Part { object, gpus: Vec::new() }));
        }
        let mut inside = Inside::default();
        self.look_into(object, kind, depth, &mut inside)?;
        let without_pci = gpus::without_pci(self.devices(object.children())?);
        let without_pci: Vec<Part> = without_pci.into_iter().map(|gpu| self.gpu(gpu)).collect();
        inside.gpus.splice(0..0, without_pci);
        let has_parts = !inside.parts.is_empty();
        let in_memory = |part: &Part| part.object.count(ObjectKind::Numa) > 0;
        let closest_memory = has_parts && !inside.parts.iter().any(in_memory);
        // The GPUs come first, because they are near the cores that follow.
        let (mut children, mut gpus) = (Vec::new(), Vec::new());
        for part in inside.gpus.into_iter().chain(inside.parts) {
            children.push(part.object);
            gpus.extend(part.gpus);
        }
        if let (true, Some(memory)) = (closest_memory, inside.memory) {
            children = vec![Object::new(ObjectKind::Numa, memory, children)];
        }
        let is_empty = children.is_empty();
        let part = Part { object: Object::new(kind, index, children), gpus };
        Ok((!is_empty).then_some(part))
    }

    /// A GPU with the next number.
    fn gpu(&mut self, object: Object) -> Part {
        self.num_gpus += 1;
        Part { object, gpus: vec![self.num_gpus - 1] }
    }

    /// The adapters of the node, whose GPUs have these numbers in their order.
    fn node_adapters(&self, node: &Object, gpus: &[u32]) -> Result<Vec<NodeAdapter>, ReadError> {
        let cpus = node.cpus();
        let adapter = |found: &adapters::Found<'a, 'input>| {
            let near = self.cpu_set(found.at, "cpuset")?.unwrap_or_else(CpuSet::everything);
            let near_gpus = adapters::gpus_near(found.pci, &self.gpus);
            let position = |gpu: &u32| gpus.iter().position(|other| other == gpu);
            Ok(NodeAdapter {
                name: found.name.clone(),
                guid: found.guid,
                cpus: cpus.iter().copied().filter(|&cpu| near.contains(cpu)).collect(),
                gpus: near_gpus.iter().filter_map(position).map(|gpu| gpu as u32).collect(),
                megabits_per_second: None,
            })
        };
        self.adapters.iter().map(adapter).collect()
    }

    /// Adds the contents of an object to those of the part of `kind` around it.
    fn look_into(
        &mut self,
        object: Node<'a, 'input>,
        kind: ObjectKind,
        depth: usize,
        inside: &mut Inside,
    ) -> Result<(), ReadError> {
        if depth > DEEPEST {
            return Err(
                self.error(object, Fault::TooLarge(format!("more than {DEEPEST} nested objects")))
            );
        }
        for child in objects(object) {
            let Some(name) = child.attribute("type") else {
                return Err(self.error(child, Fault::expected("the type of an object", "none")));
            };
            match meaning(name) {
                Meaning::Part(ObjectKind::Node) => {
                    return Err(
                        self.error(child, Fault::Malformed("a Machine inside a Machine".into()))
                    );
                }
                Meaning::Part(of) => {
                    let Some(part) = self.part(child, of, depth + 1)? else { continue };
                    // Some virtual machines have no cores.
                    let bare = of == ObjectKind::Thread && kind != ObjectKind::Core;
                    let Part { object, gpus } = part;
                    let object = match bare {
                        true => Object::new(ObjectKind::Core, object.index, vec![object]),
                        false => object,
                    };
                    inside.parts.push(Part { object, gpus });
                }
                Meaning::Nothing => self.look_into(child, kind, depth + 1, inside)?,
                Meaning::Memory => {
                    let nodes = child.descendants().filter(|node| is_object(*node, "NUMANode"));
                    for node in nodes {
                        let cpus = self.cpu_set(node, "cpuset")?;
                        let near = cpus.is_none_or(|cpus| !cpus.is_empty());
                        let index = self.number(node, "os_index")?;
                        if near && inside.memory.is_none() {
                            inside.memory = Some(index);
                        }
                    }
                }
                Meaning::Device => {
                    for device in child.descendants().filter(|node| is_object(*node, "PCIDev")) {
                        let devices = self.devices(device.descendants())?;
                        if let Some(gpu) = gpus::of_pci(device, &devices) {
                            self.gpus.insert(device.id(), self.num_gpus);
                            let gpu = self.gpu(gpu);
                            inside.gpus.push(gpu);
                        }
                        if let Some((name, guid)) = adapters::of_pci(device, &devices) {
                            let found = adapters::Found { name, guid, pci: device, at: object };
                            self.adapters.push(found);
                        }
                    }
                }
                Meaning::Remark => {}
            }
        }
        Ok(())
    }

    fn thread(
        &mut self,
        object: Node<'a, 'input>,
        index: Option<u32>,
    ) -> Result<Option<Object>, ReadError> {
        let Some(index) = index else {
            return Err(self.error(object, Fault::expected("the os_index of a PU", "none")));
        };
        if !self.allowed.contains(index) {
            return Ok(None);
        }
        if !self.seen.insert(index) {
            return Err(self.error(object, Fault::Repeated(format!("PU {index} appears twice"))));
        }
        Ok(Some(Object::new(ObjectKind::Thread, Some(index), Vec::new())))
    }

    /// The devices among `nodes`, as the operating system knows them.
    fn devices(
        &self,
        nodes: impl Iterator<Item = Node<'a, 'input>>,
    ) -> Result<Vec<gpus::Device<'a>>, ReadError> {
        let device = |device: Node<'a, 'input>| {
            let name = device.attribute("name").unwrap_or_default();
            let kind = device.attribute("osdev_type").unwrap_or_default();
            let kind = gpus::kind(kind, self.format == Format::Three).ok_or_else(|| {
                self.error(device, Fault::expected("the type of a device", format!("\"{kind}\"")))
            })?;
            let (model, guid) = (info(device, "GPUModel"), info(device, "NodeGUID"));
            // A NIC of Slingshot has an address instead, which says where it is plugged in.
            let guid = guid.or_else(|| info(device, "Address"));
            Ok(gpus::Device { name, kind, model, guid })
        };
        nodes.filter(|node| is_object(*node, "OSDev")).map(device).collect()
    }

    fn cpu_set(
        &self,
        object: Node<'a, 'input>,
        attribute: &str,
    ) -> Result<Option<CpuSet>, ReadError> {
        let Some(text) = object.attribute(attribute) else { return Ok(None) };
        let wrong = || {
            let fault =
                Fault::expected("CPUs such as 0x0000000f", format!("\"{text}\"")).within(attribute);
            self.error(object, fault)
        };
        CpuSet::parse_hwloc(text).ok_or_else(wrong).map(Some)
    }

    fn number(&self, object: Node<'a, 'input>, attribute: &str) -> Result<Option<u32>, ReadError> {
        let Some(text) = object.attribute(attribute) else { return Ok(None) };
        // The library writes this for "none".
        if text == "4294967295" || text == "-1" {
            return Ok(None);
        }
        let wrong = |_| {
            self.error(
                object,
                Fault::expected("a whole number", format!("\"{text}\"")).within(attribute),
            )
        };
        text.parse().map_err(wrong).map(Some)
    }

    fn error(&self, node: Node<'a, 'input>, fault: impl Into<Fault>) -> ReadError {
        let line = self.document.text_pos_at(node.range().start).row;
        self.source.error_in_line(line as usize, fault)
    }
}

/// The objects directly in an element.
fn objects<'a, 'input>(element: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    element.children().filter(|child| child.has_tag_name("object"))
}

fn is_object(node: Node<'_, '_>, kind: &str) -> bool {
    node.has_tag_name("object") && node.attribute("type") == Some(kind)
}
