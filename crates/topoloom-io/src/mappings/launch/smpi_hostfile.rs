//! Host files of SimGrid's `smpirun`, which simulates an MPI program on a platform.

use super::binding::line;
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};

/// Host files of SimGrid.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "smpi-hostfile",
    summary: "host file of SimGrid's smpirun: one line per rank; nodes of a machine without hosts \
              are called n0, n1, ..., as in platforms of machine export",
    example: "hosts.smpi",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::KnownOrNumbered, binds: false, write, command },
};

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let mut main = String::new();
    launch.host_names()?.iter().for_each(|host| line(&mut main, host));
    // SimGrid knows no cores: ranks of a host share its memory and its links.
    Ok(LaunchFiles { main, ..LaunchFiles::default() })
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let (ranks, file) = (launch.ranks, names.main);
    Ok(format!("smpirun -np {ranks} -platform platform.xml -hostfile {file} {}", names.program))
}
