//! The formats of launch files.

use topoloom_core::{Registry, Spec, SpecError};

use super::format::{LaunchEntry, LaunchFormat};
use super::{
    bgq_mapfile, cray_rank_order, deepspeed_hostfile, flux_taskmap, hostlist, mpich_hosts,
    node_rank_table, openmpi_seq, openmpi4_rankfile, openmpi5_rankfile, slurm_hostfile,
    slurm_torchrun, smpi_hostfile,
};

/// Every known format of launch files.
pub static LAUNCH_FORMATS: Registry<LaunchFormat> = Registry {
    kind: "launch format",
    entries: &[
        &openmpi4_rankfile::ENTRY,
        &openmpi5_rankfile::ENTRY,
        &openmpi_seq::ENTRY,
        &mpich_hosts::ENTRY,
        &slurm_hostfile::ENTRY,
        &cray_rank_order::ENTRY,
        &bgq_mapfile::ENTRY,
        &flux_taskmap::ENTRY,
        &hostlist::ENTRY,
        &smpi_hostfile::ENTRY,
        &slurm_torchrun::ENTRY,
        &deepspeed_hostfile::ENTRY,
        &node_rank_table::ENTRY,
    ],
    common: &[],
};

/// The format of this name.
pub fn find(name: &str) -> Result<&'static LaunchEntry, SpecError> {
    LAUNCH_FORMATS.find(&Spec { name: name.to_string(), shape: None, options: Vec::new() })
}
