//! Host files of MPICH and its derivatives, whose launcher is Hydra.

use std::fmt::Write;

use super::binding::{Binding, bound};
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};

/// Host files of MPICH.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "mpich-hosts",
    summary: "host file of MPICH (Hydra): hosts with runs of ranks",
    example: "hosts.mpich",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write, command },
};

/// Hosts in the order of ranks: the index of the host and the length of the run.
fn runs(launch: &Launch) -> Result<Vec<(u32, usize)>, LaunchError> {
    let seats = &launch.seating()?.seats;
    let runs = seats.chunk_by(|a, b| a.host == b.host);
    Ok(runs.map(|run| (run[0].host, run.len())).collect())
}

/// Hydra counts the processes of a host again in each of its runs, so a list of CPUs works only if
/// each host has one run.
fn binding(launch: &Launch) -> Result<Binding, LaunchError> {
    let groups: Vec<Vec<u32>> =
        launch.used_hosts()?.iter().map(|host| host.ranks.to_vec()).collect();
    launch.binding(&groups, false, runs(launch)?.len() == groups.len())
}

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let hosts = &launch.seating()?.hosts;
    let mut main = String::new();
    for (host, length) in runs(launch)? {
        let _ = writeln!(main, "{}:{length}", hosts[host as usize]);
    }
    let bind = binding(launch)?.file();
    let mut warnings = launch.warning_of_unknown_cpus()?;
    if launch.is_crowded()? && launch.has_cores()? {
        warnings.push(
            "ranks share CPUs. Waiting ranks of MPICH 5 let others run, but waiting ranks of MPICH \
             4 do not, and there is no option for it: such jobs may be very slow"
                .to_string(),
        );
    }
    Ok(LaunchFiles { main, bind, warnings })
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let bind = match binding(launch)? {
        Binding::List(lists) => {
            let one = |cpus: &Vec<u32>| {
                cpus.iter().map(u32::to_string).collect::<Vec<String>>().join("+")
            };
            let lists: Vec<String> = lists.iter().map(one).collect();
            format!(" -bind-to user:{}", lists.join(","))
        }
        Binding::File(_) | Binding::Free => String::new(),
    };
    let program = bound("PMI_RANK", names);
    Ok(format!("mpirun -f {} -n {}{bind} {program}", names.main, launch.ranks))
}
