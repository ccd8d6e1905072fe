//! Real machines: what files and the running system say about nodes and networks.

mod adapter_document;
mod adapter_order;
mod aries_links;
pub(crate) mod cost_matrix;
mod cpu_set;
pub(crate) mod described;
pub(crate) mod description_file;
mod detect;
mod device_names;
pub(crate) mod error;
pub mod export;
mod forwarding_tables;
mod guid;
mod host_file;
mod hosted;
mod hwloc;
mod ibnetdiscover;
pub(crate) mod link_list;
mod pci;
mod recognise;
mod recorded;
mod scotch_target;
mod slingshot_cables;
mod slurm;
pub(crate) mod specification;
mod subnet;
mod subnet_list;
mod system_files;
mod wiring_document;

pub use aries_links::parse_aries_links;
pub use detect::{PROBED_FILES, detect};
pub use device_names::{DeviceNames, is_device_names, parse_device_names};
pub use forwarding_tables::{is_forwarding_tables, parse_forwarding_tables};
pub use host_file::parse_host_file;
pub use hwloc::parse_hwloc;
pub use ibnetdiscover::{parse_ibnetdiscover, parse_ibnetdiscover_named};
pub use recognise::{
    MachineFile, looks_like_machine_file, parse_machine_file, parse_machine_file_named,
    read_machine_file,
};
pub use scotch_target::{ScotchTarget, is_scotch_target, parse_scotch_target};
pub use slingshot_cables::parse_slingshot_cables;
pub use slurm::parse_slurm_topology;
pub use subnet_list::{is_subnet_list, parse_subnet_list};
pub use system_files::{KeptFiles, RunningSystem, SystemFiles};
