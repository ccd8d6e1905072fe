//! Rank files of Open MPI 4 and before.

use super::binding::{bound, open_mpi_yields};
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};
use super::rankfile::{self, RankCores};

/// Rank files of Open MPI 4.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "openmpi4-rankfile",
    summary: "rank file of Open MPI 1.7 to 4: host and cores of each rank",
    example: "rankfile",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write, command },
};

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let mut files = rankfile::write(launch)?;
    let unknown = launch.seating()?.seats.iter().any(|seat| seat.cores.is_empty());
    if !launch.has_cores()? && unknown {
        // Open MPI 4 binds what a rank file names, whatever --bind-to says.
        files.warnings.push(
            "each rank is bound to core 0 of its host; openmpi-seq lets it use all cores of its \
             host"
                .to_string(),
        );
    }
    Ok(files)
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    // The rank file is also the allocation, unless a batch system has one, which may have too few
    // slots.
    let share = if RankCores::of(launch)?.shared { " --oversubscribe" } else { "" };
    let program = bound("OMPI_COMM_WORLD_RANK", names);
    let yields = open_mpi_yields(launch)?;
    Ok(format!("mpirun -n {} --rankfile {}{share}{yields} {program}", launch.ranks, names.main))
}
