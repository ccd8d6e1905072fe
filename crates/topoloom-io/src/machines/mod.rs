//! Machines as they are: what files and the running system say of nodes and networks.

mod cpu_set;
mod detect;
mod host_file;
mod hwloc;
mod ibnetdiscover;
mod machine_file;
mod pci;
mod slurm;
mod system_files;

pub use detect::{PROBED_FILES, detect};
pub use host_file::parse_host_file;
pub use hwloc::parse_hwloc;
pub use ibnetdiscover::parse_ibnetdiscover;
pub use machine_file::{
    MachineFile, looks_like_machine_file, parse_machine_file, read_machine_file,
};
pub use slurm::parse_slurm_topology;
pub use system_files::{KeptFiles, RunningSystem, SystemFiles};
