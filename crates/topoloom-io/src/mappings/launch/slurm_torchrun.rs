//! Host files of Slurm for jobs that start torchrun once on each host.

use super::binding::line;
use super::error::LaunchError;
use super::even::needs_even;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};

/// Host files with one line per host.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "slurm-torchrun",
    summary: "host file of Slurm with one line per host, for torchrun on each of them",
    example: "hosts.torchrun",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: false, write, command },
};

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let mut files = LaunchFiles::default();
    let even = needs_even(launch, ENTRY.name)?;
    even.hosts.iter().for_each(|host| line(&mut files.main, host));
    files.warnings.push(
        "run this inside an allocation, and without -N: with SLURM_HOSTFILE srun takes the order \
         from the file, SLURM_PROCID follows it, and SLURM_NODEID does not"
            .to_string(),
    );
    Ok(files)
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let even = needs_even(launch, ENTRY.name)?;
    // With a slash every version treats it as a file, not as a host.
    let folder = if names.main.contains('/') { "" } else { "./" };
    let inner = even.torchrun("$SLURM_PROCID", names.program).replace('\'', r"'\''");
    Ok(format!(
        "SLURM_HOSTFILE={folder}{} srun -n {} --distribution=arbitrary sh -c 'exec {inner}'",
        names.main,
        even.hosts.len(),
    ))
}
