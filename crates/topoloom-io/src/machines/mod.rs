//! Machines as they are: what files and the running system say of nodes and networks.

mod cpu_set;
mod hwloc;
mod pci;

pub use hwloc::parse_hwloc;
