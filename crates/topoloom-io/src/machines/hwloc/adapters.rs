//! Which of hwloc's devices are adapters of a network, and what is near to them.

use std::collections::HashMap;

use roxmltree::{Node, NodeId};

use super::gpus::{Device, DeviceKind};

/// An adapter and where it is in the file.
pub struct Found<'a, 'input> {
    pub name: String,
    pub guid: Option<u64>,
    pub pci: Node<'a, 'input>,
    /// The object that its bridges are attached to.
    pub at: Node<'a, 'input>,
}

/// The name and the GUID of a PCI device, if it is an adapter of a network for messages: one that
/// programs use without the operating system, or a NIC of Slingshot. Others only serve the operating
/// system.
pub fn of_pci(pci: Node<'_, '_>, devices: &[Device<'_>]) -> Option<(String, Option<u64>)> {
    const SLINGSHOT: &str = "[17db:";
    let of_kind = |kind: DeviceKind| devices.iter().find(|device| device.kind == kind);
    let is_slingshot = pci.attribute("pci_type").is_some_and(|text| text.contains(SLINGSHOT));
    let plain = || of_kind(DeviceKind::Network).filter(|_| is_slingshot);
    let device = of_kind(DeviceKind::OpenFabrics).or_else(plain)?;
    let guid = device.guid.as_ref().map(|guid| guid.replace(':', ""));
    let guid = guid.and_then(|guid| u64::from_str_radix(&guid, 16).ok()).filter(|&guid| guid != 0);
    Some((device.name.to_string(), guid))
}

/// The GPUs on the smallest bridge of an adapter that has any. `gpus` has their numbers.
pub fn gpus_near(pci: Node<'_, '_>, gpus: &HashMap<NodeId, u32>) -> Vec<u32> {
    let bridges =
        pci.ancestors().skip(1).take_while(|node| node.attribute("type") == Some("Bridge"));
    let on = |bridge: Node<'_, '_>| -> Vec<u32> {
        bridge.descendants().filter_map(|node| gpus.get(&node.id()).copied()).collect()
    };
    bridges.map(on).find(|found| !found.is_empty()).unwrap_or_default()
}
