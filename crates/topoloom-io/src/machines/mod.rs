//! Machines as they are: what files and the running system say of nodes and networks.

mod cpu_set;
mod detect;
mod hwloc;
mod pci;
mod system_files;

pub use detect::{PROBED_FILES, detect};
pub use hwloc::parse_hwloc;
pub use system_files::{KeptFiles, RunningSystem, SystemFiles};
