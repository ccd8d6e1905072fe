//! Links inside a host, by the part that they lead out of.

use super::ObjectKind;
use crate::topology::LinkProperties;

/// The link from a part of a host to what is around it. Two ranks of a host send through the parts
/// around both.
///
/// What a core copies, and the time between two cores, are what UCX assumes for shared memory
/// (12.2 GB/s, 80 ns). Between packages it is what AMD EPYC 7742 reaches (16 GB/s). A GPU hangs on
/// PCIe 4 with 16 lanes (31.5 GB/s). A NUMA node has two channels of DDR4-3200 (51.2 GB/s), and
/// caches get as much as the memory they are close to.
pub fn inside_link(kind: ObjectKind) -> LinkProperties {
    let (bytes_per_second, latency_seconds) = match kind {
        ObjectKind::Thread | ObjectKind::Core | ObjectKind::L1 | ObjectKind::L2 => (12.2e9, 40e-9),
        ObjectKind::Gpu => (31.5e9, 300e-9),
        ObjectKind::L3 | ObjectKind::L4 | ObjectKind::Die | ObjectKind::Numa => (51.2e9, 50e-9),
        ObjectKind::Package | ObjectKind::Group | ObjectKind::Node => (16e9, 65e-9),
    };
    LinkProperties { bytes_per_second, latency_seconds, ..LinkProperties::ELECTRICAL }
}
