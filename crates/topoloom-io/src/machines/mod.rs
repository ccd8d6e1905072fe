//! Real machines: what files and the running system say about nodes and networks.

pub(crate) mod cost_matrix;
mod cpu_set;
pub(crate) mod described;
pub(crate) mod description_file;
mod detect;
pub(crate) mod error;
pub mod export;
mod forwarding_tables;
mod host_file;
mod hwloc;
mod ibnetdiscover;
pub(crate) mod link_list;
mod pci;
mod recognise;
mod recorded;
mod scotch_target;
mod slurm;
pub(crate) mod specification;
mod system_files;
mod wiring_document;

pub use detect::{PROBED_FILES, detect};
pub use forwarding_tables::{is_forwarding_tables, parse_forwarding_tables};
pub use host_file::parse_host_file;
pub use hwloc::parse_hwloc;
pub use ibnetdiscover::parse_ibnetdiscover;
pub use recognise::{MachineFile, looks_like_machine_file, parse_machine_file, read_machine_file};
pub use scotch_target::{ScotchTarget, is_scotch_target, parse_scotch_target};
pub use slurm::parse_slurm_topology;
pub use system_files::{KeptFiles, RunningSystem, SystemFiles};
