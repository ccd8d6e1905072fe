//! Files that tell launchers where ranks go, and the commands that start jobs with them.
//!
//! One file per format; [`LAUNCH_FORMATS`] lists them.
//!
//! ```
//! use topoloom_io::launch::{self, Launch};
//! use topoloom_io::{MappingFile, host_list};
//!
//! let mapping = MappingFile {
//!     machine: Some("mesh:1,slots=2".to_string()),
//!     node_of_rank: vec![0, 0],
//!     slot_of_rank: Some(vec![1, 0]),
//!     ..MappingFile::default()
//! };
//! let format = launch::find("openmpi4-rankfile").unwrap();
//! let hosts = host_list::parse("n01").unwrap();
//! let launch = Launch::new(&mapping, Some(&hosts), format).unwrap();
//! let prepared = launch::prepare(format, &launch, None, "./app").unwrap();
//! assert_eq!(prepared.files[0].content, "rank 0=n01 slot=1\nrank 1=n01 slot=0\n");
//! assert_eq!(prepared.command, "mpirun -n 2 --rankfile rankfile ./app");
//! ```

mod bgq_mapfile;
mod binding;
mod cray_rank_order;
mod deepspeed_hostfile;
mod error;
mod even;
mod flux_taskmap;
mod format;
mod hostlist;
mod hosts;
mod mpich_hosts;
mod node_rank_table;
mod openmpi4_rankfile;
mod openmpi5_rankfile;
mod openmpi_seq;
mod prepare;
mod rankfile;
mod registry;
mod seating;
mod shell;
mod slurm_hostfile;
mod slurm_torchrun;
mod smpi_hostfile;

pub use error::LaunchError;
pub use format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};
pub use hosts::{read_hosts, read_hosts_with};
pub use prepare::{LaunchFile, Prepared, prepare, write_files};
pub use registry::{LAUNCH_FORMATS, find};
pub use seating::seating_of;

#[cfg(test)]
mod tests;
