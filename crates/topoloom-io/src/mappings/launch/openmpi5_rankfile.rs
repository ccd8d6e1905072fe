//! Rank files of Open MPI 5.

use super::binding::{bound, open_mpi_yields};
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFormat, LaunchNames};
use super::rankfile::{self, RankCores};

/// Rank files of Open MPI 5.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "openmpi5-rankfile",
    summary: "rank file of Open MPI 5: host and cores of each rank",
    example: "rankfile",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write: rankfile::write, command },
};

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    if names.main.contains([':', ',', '\'']) {
        let reason =
            format!("the name {} contains characters that mpirun treats as separators", names.main);
        return Err(LaunchError::NotPossible { format: ENTRY.name, reason });
    }
    // Here the rank file is not the list of hosts.
    let hosts: Vec<String> = launch
        .used_hosts()?
        .iter()
        .map(|host| format!("{}:{}", host.name, host.ranks.len()))
        .collect();
    let (share, bind) = match (launch.has_cores()?, RankCores::of(launch)?.shared) {
        (false, false) => ("", " --bind-to none"),
        (false, true) => (":oversubscribe", " --bind-to none"),
        // Without both, ranks that share cores are rejected, or silently not bound at all.
        (true, true) => (":oversubscribe", " --bind-to core:overload-allowed"),
        (true, false) => ("", ""),
    };
    Ok(format!(
        "mpirun -n {} --host {} --map-by rankfile:file={}{share}{bind}{} {}",
        launch.ranks,
        hosts.join(","),
        names.main,
        open_mpi_yields(launch)?,
        bound("OMPI_COMM_WORLD_RANK", names)
    ))
}
