//! Host files for Open MPI's sequential mapper, which reads them line by line.

use super::binding::{bound, line, open_mpi_yields};
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};

/// Host files of Open MPI's sequential mapper.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "openmpi-seq",
    summary: "host file of Open MPI's sequential mapper, any version: one line per rank",
    example: "hosts.seq",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write, command },
};

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let mut main = String::new();
    launch.host_names()?.iter().for_each(|host| line(&mut main, host));
    // Open MPI 4 accepts cores after the host, but Open MPI 5 ignores them.
    let bind = if launch.has_cores()? { Some(launch.bind_lines()?) } else { None };
    Ok(LaunchFiles { main, bind, warnings: launch.warning_of_unknown_cpus()? })
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let program = bound("OMPI_COMM_WORLD_RANK", names);
    let (ranks, file) = (launch.ranks, names.main);
    let yields = open_mpi_yields(launch)?;
    Ok(format!("mpirun -n {ranks} --map-by seq --hostfile {file} --bind-to none{yields} {program}"))
}
