//! Host files of Slurm's arbitrary distribution.

use super::binding::{Binding, bound, line, slurm_cpus_per_task, slurm_option};
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};

/// Host files of Slurm.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "slurm-hostfile",
    summary: "host file of Slurm's arbitrary distribution: one line per rank",
    example: "hosts.slurm",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write, command },
};

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let mut main = String::new();
    launch.host_names()?.iter().for_each(|host| line(&mut main, host));
    let bind = launch.binding_by_rank()?.file();
    Ok(LaunchFiles { main, bind, warnings: launch.warning_of_unknown_cpus()? })
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let bind = match launch.binding_by_rank()? {
        Binding::List(lists) => slurm_option(&lists),
        Binding::File(_) | Binding::Free => "--cpu-bind=none".to_string(),
    };
    let share = if launch.has_cores()? && launch.shares_cpus()? { " --overcommit" } else { "" };
    // With a slash every version treats it as a file, not as a host.
    let folder = if names.main.contains('/') { "" } else { "./" };
    Ok(format!(
        "SLURM_HOSTFILE={folder}{} srun -n {}{} --distribution=arbitrary{share} {bind} {}",
        names.main,
        launch.ranks,
        slurm_cpus_per_task(launch)?,
        bound("SLURM_PROCID", names)
    ))
}
