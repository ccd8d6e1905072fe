//! Which PCI devices compute.

/// Whether a device of a class and a vendor, both as hexadecimal digits without `0x`, is an
/// accelerator. A VGA card may only show the console of a server. So it must be able to render, or
/// come from a vendor that makes no such cards.
pub(super) fn is_accelerator(class: &str, vendor: &str, renders: bool) -> bool {
    let three_d_or_accelerator = matches!(class, "0302" | "1200");
    match vendor {
        // NVIDIA
        "10de" => three_d_or_accelerator || class == "0300",
        // AMD
        "1002" => three_d_or_accelerator || class == "0380" || (class == "0300" && renders),
        // Intel, whose processors have integrated graphics that report themselves as VGA cards.
        "8086" => matches!(class, "0302" | "0380"),
        _ => false,
    }
}
