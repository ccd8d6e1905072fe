//! GPUs and adapters in NCCL's files.

use roxmltree::Node;

use super::models::gpu_model;
use crate::text::fault::Fault;

/// A GPU and where it is in the file.
pub struct FoundGpu<'a, 'input> {
    /// The number that the file gives it.
    pub given: Option<u32>,
    pub number: u32,
    pub name: Option<String>,
    pub pci: Node<'a, 'input>,
    /// Whether it has links to other GPUs or to switches of such links.
    pub is_linked: bool,
    pub has_xgmi: bool,
}

/// An adapter and where it is in the file.
pub struct FoundAdapter<'a, 'input> {
    pub name: String,
    pub guid: Option<u64>,
    pub megabits_per_second: Option<u32>,
    pub at: Node<'a, 'input>,
}

/// Whether a part names GPUs. Files of clouds only have PCI devices.
pub fn has_gpus(part: Node<'_, '_>) -> bool {
    part.descendants().any(|node| node.has_tag_name("gpu"))
}

/// The GPUs of a part: those that are named or, if the file names none, those by their PCI class.
pub fn gpus_in<'a, 'input>(
    part: Node<'a, 'input>,
    named: bool,
) -> Result<Vec<FoundGpu<'a, 'input>>, (Node<'a, 'input>, Fault)> {
    let mut gpus = Vec::new();
    for node in part.descendants() {
        if named && node.has_tag_name("gpu") {
            gpus.push(named_gpu(node)?);
        }
        if !named && node.has_tag_name("pci") && is_gpu(node) {
            let name = gpu_model(node, None);
            let (given, number) = (None, 0);
            gpus.push(FoundGpu {
                given,
                number,
                name,
                pci: node,
                is_linked: false,
                has_xgmi: false,
            });
        }
    }
    Ok(gpus)
}

fn named_gpu<'a, 'input>(
    gpu: Node<'a, 'input>,
) -> Result<FoundGpu<'a, 'input>, (Node<'a, 'input>, Fault)> {
    let dev = gpu.attribute("dev");
    let given = dev.map(str::parse::<u32>).transpose().map_err(|_| {
        let found = format!("\"{}\"", dev.unwrap_or_default());
        (gpu, Fault::expected("the number of a GPU", found).within("dev"))
    })?;
    let has = |tag: &str| gpu.children().any(|child| child.has_tag_name(tag));
    let pci = gpu.parent_element().filter(|parent| parent.has_tag_name("pci")).unwrap_or(gpu);
    Ok(FoundGpu {
        given,
        number: given.unwrap_or_default(),
        name: gpu_model(pci, Some(gpu)),
        pci,
        is_linked: has("nvlink") || has("xgmi"),
        has_xgmi: has("xgmi"),
    })
}

/// The class of a PCI device, without the byte for its interface: `0302`.
fn class<'a>(pci: Node<'a, '_>) -> &'a str {
    let class = pci.attribute("class").unwrap_or_default();
    class.strip_prefix("0x").unwrap_or(class).get(..4).unwrap_or_default()
}

fn is_gpu(pci: Node<'_, '_>) -> bool {
    matches!(class(pci), "0300" | "0302" | "0380" | "1200")
}

/// How many things of a part may be adapters.
pub fn num_nets(part: Node<'_, '_>) -> usize {
    let may_be =
        |node: &Node<'_, '_>| node.has_tag_name("net") || matches!(class(*node), "0200" | "0207");
    part.descendants().filter(may_be).count()
}

/// The adapters of a part: those that are named, and PCI devices whose class says so.
pub fn adapters_in<'a, 'input>(part: Node<'a, 'input>) -> Vec<FoundAdapter<'a, 'input>> {
    let mut adapters = Vec::new();
    for node in part.descendants() {
        if node.has_tag_name("net") {
            let Some(name) = node.attribute("name") else { continue };
            let guid = node.attribute("guid").and_then(|guid| {
                u64::from_str_radix(guid.strip_prefix("0x").unwrap_or(guid), 16).ok()
            });
            let guid = guid.filter(|&guid| guid != 0);
            adapters.push(FoundAdapter {
                name: name.to_string(),
                guid,
                megabits_per_second: node.attribute("speed").and_then(|speed| speed.parse().ok()),
                at: node,
            });
        }
        let is_adapter = node.has_tag_name("pci") && matches!(class(node), "0200" | "0207");
        if is_adapter && !node.descendants().any(|inner| inner.has_tag_name("net")) {
            let name = node.attribute("busid").unwrap_or("adapter").to_string();
            adapters.push(FoundAdapter { name, guid: None, megabits_per_second: None, at: node });
        }
    }
    adapters
}

/// The numbers of the GPUs on the smallest bridge around something that has any.
pub fn gpus_near(at: Node<'_, '_>, gpus: &[&FoundGpu<'_, '_>]) -> Vec<u32> {
    let bridges = at.ancestors().filter(|node| node.has_tag_name("pci"));
    let on = |bridge: Node<'_, '_>| -> Vec<u32> {
        let inside = |gpu: &&&FoundGpu<'_, '_>| {
            let (whole, part) = (bridge.range(), gpu.pci.range());
            whole.start <= part.start && part.end <= whole.end
        };
        gpus.iter().filter(inside).map(|gpu| gpu.number).collect()
    };
    bridges.map(on).find(|found| !found.is_empty()).unwrap_or_default()
}

/// The bus id of a PCI device as a number: `0000:a4:00.0`.
pub fn bus_number(pci: Node<'_, '_>) -> u64 {
    let digits = pci.attribute("busid").unwrap_or_default();
    let digit = |letter: char| letter.to_digit(16).map(u64::from);
    digits.chars().filter_map(digit).fold(0, |number, digit| number << 4 | digit)
}
