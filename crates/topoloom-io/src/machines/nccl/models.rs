//! What GPUs are called.

use roxmltree::Node;

/// Vendors and devices of PCI, and the models that they are.
const MODELS: &[(&str, &str, &str)] = &[
    ("0x10de", "0x20b0", "NVIDIA A100"),
    ("0x10de", "0x20b5", "NVIDIA A100"),
    ("0x10de", "0x2330", "NVIDIA H100"),
    ("0x10de", "0x2335", "NVIDIA H200"),
    ("0x10de", "0x31c2", "NVIDIA GB300"),
    ("0x1002", "0x74a1", "AMD MI300X"),
];

/// The model of a GPU by its PCI device or, if that is not known, by what it can compute.
pub fn gpu_model(pci: Node<'_, '_>, gpu: Option<Node<'_, '_>>) -> Option<String> {
    let of_pci = |name: &str| pci.attribute(name).unwrap_or_default();
    let known = |&&(vendor, device, _): &&(&str, &str, &str)| {
        vendor == of_pci("vendor") && device == of_pci("device")
    };
    if let Some((_, _, model)) = MODELS.iter().find(known) {
        return Some(model.to_string());
    }
    let gpu = gpu?;
    if let Some(architecture) = gpu.attribute("gcn") {
        let prefix = if architecture.starts_with("gfx") { "" } else { "gcn " };
        return Some(format!("AMD {prefix}{architecture}"));
    }
    let sm: u32 = gpu.attribute("sm")?.parse().ok()?;
    Some(format!("NVIDIA sm_{sm}"))
}
