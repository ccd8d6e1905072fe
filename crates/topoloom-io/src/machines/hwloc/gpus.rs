//! Which of hwloc's devices are accelerators.

use std::collections::BTreeMap;

use roxmltree::Node;
use topoloom_core::cluster::{Object, ObjectKind};

/// A device as the operating system or a library calls it.
pub struct Device<'a> {
    /// Such as `cuda0`.
    pub name: &'a str,
    pub kind: DeviceKind,
    /// The model of a GPU, if it is known.
    pub model: Option<String>,
    /// The GUID of an adapter, if it is known: four groups of hexadecimal digits.
    pub guid: Option<String>,
}

/// What a device is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    Gpu,
    CoProcessor,
    /// A network interface, such as `eth0`.
    Network,
    /// An adapter that can be used without the operating system, such as `mlx5_0`.
    OpenFabrics,
    Other,
}

impl DeviceKind {
    fn computes(self) -> bool {
        matches!(self, DeviceKind::Gpu | DeviceKind::CoProcessor)
    }
}

/// The meaning of a type: one of a few numbers in format 2, a bit mask in format 3.
pub fn kind(text: &str, of_bits: bool) -> Option<DeviceKind> {
    const GPU_BIT: u32 = 4;
    const CO_PROCESSOR_BIT: u32 = 8;
    const NETWORK_BIT: u32 = 16;
    const OPEN_FABRICS_BIT: u32 = 32;
    let number: u32 = match text {
        "GPU" => return Some(DeviceKind::Gpu),
        "Co-Processor" | "CoProc" => return Some(DeviceKind::CoProcessor),
        "Network" => return Some(DeviceKind::Network),
        "OpenFabrics" => return Some(DeviceKind::OpenFabrics),
        text if text.starts_with(|letter: char| letter.is_ascii_alphabetic()) => {
            return Some(DeviceKind::Other);
        }
        text => text.parse().ok()?,
    };
    Some(match (of_bits, number) {
        (true, bits) if bits & CO_PROCESSOR_BIT != 0 => DeviceKind::CoProcessor,
        (true, bits) if bits & GPU_BIT != 0 => DeviceKind::Gpu,
        (true, bits) if bits & OPEN_FABRICS_BIT != 0 => DeviceKind::OpenFabrics,
        (true, bits) if bits & NETWORK_BIT != 0 => DeviceKind::Network,
        (false, 5) => DeviceKind::CoProcessor,
        (false, 3) => DeviceKind::OpenFabrics,
        (false, 2) => DeviceKind::Network,
        (false, 1) => DeviceKind::Gpu,
        _ => DeviceKind::Other,
    })
}

/// The GPU of a PCI device, if it is one. A device with many names is still one GPU.
pub fn of_pci(pci: Node<'_, '_>, devices: &[Device<'_>]) -> Option<Object> {
    let known_to_library = devices.iter().any(|device| match device.kind {
        DeviceKind::CoProcessor => true,
        DeviceKind::Gpu => !is_display(device.name),
        DeviceKind::Network | DeviceKind::OpenFabrics | DeviceKind::Other => false,
    });
    // Without a driver, nothing but its class tells of it.
    let computes = || {
        let may_be = devices.is_empty() || devices.iter().any(|device| device.kind.computes());
        may_be && computes(pci.attribute("pci_type").unwrap_or_default(), devices)
    };
    if !(known_to_library || computes()) {
        return None;
    }
    let model = devices.iter().find_map(|device| device.model.clone());
    Some(Object {
        name: model.or_else(|| super::info::info(pci, "PCIDevice")),
        ..Object::new(ObjectKind::Gpu, number(devices), Vec::new())
    })
}

/// GPUs if no PCI devices are known: the devices of the library that sees the most.
pub fn without_pci(devices: Vec<Device<'_>>) -> Vec<Object> {
    let mut by_library: BTreeMap<&str, Vec<Device<'_>>> = BTreeMap::new();
    for device in devices {
        let library = device.name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        // OpenCL's devices may be the CPUs.
        let other = !device.kind.computes() || library.starts_with("opencl");
        if !other && !is_display(device.name) {
            by_library.entry(library).or_default().push(device);
        }
    }
    // The last of the longest lists: in reverse order this is the first by name.
    let most = by_library.into_values().rev().max_by_key(Vec::len).unwrap_or_default();
    let gpu = |device: Device<'_>| {
        let number = number(std::slice::from_ref(&device));
        Object { name: device.model, ..Object::new(ObjectKind::Gpu, number, Vec::new()) }
    };
    most.into_iter().map(gpu).collect()
}

/// Names that any graphics card has, even one that only shows the console.
fn is_display(name: &str) -> bool {
    ["card", "renderD", "controlD", ":"].iter().any(|start| name.starts_with(start))
}

/// Whether a card known only as a display also computes, judging by `0302 [10de:1db8] ...`.
fn computes(pci_type: &str, devices: &[Device<'_>]) -> bool {
    let class = pci_type.split(' ').next().unwrap_or_default();
    let vendor = pci_type.split('[').nth(1).and_then(|rest| rest.get(..4)).unwrap_or_default();
    let renders = devices.iter().any(|device| device.name.starts_with("renderD"));
    crate::machines::pci::is_accelerator(class, vendor, renders)
}

/// The number that the vendor's library gives it.
fn number(devices: &[Device<'_>]) -> Option<u32> {
    const LIBRARIES: [&str; 4] = ["cuda", "nvml", "rsmi", "ze"];
    let number = |device: &Device<'_>, library| device.name.strip_prefix(library)?.parse().ok();
    LIBRARIES.iter().find_map(|library| devices.iter().find_map(|device| number(device, *library)))
}
