//! Rank orders of Cray MPICH: the order of ranks in which nodes are filled one after another.

use super::binding::{Binding, bound, line, slurm_cpus_per_task, slurm_option};
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};

/// Rank orders of Cray MPICH.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "cray-rank-order",
    summary: "rank order of Cray MPICH: ranks host by host and core by core, one line per host",
    example: "MPICH_RANK_ORDER",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write, command },
};

/// The ranks of each host in the order of their cores, and how many a host has if that is the
/// same everywhere.
fn filled(launch: &Launch) -> Result<(Vec<Vec<u32>>, Option<usize>), LaunchError> {
    let seats = &launch.seating()?.seats;
    let hosts = launch.used_hosts()?;
    let in_order = |ranks: &[u32]| {
        let mut ranks = ranks.to_vec();
        ranks.sort_by_key(|&rank| {
            let seat = &seats[rank as usize];
            (seat.core, &seat.cpus, rank)
        });
        ranks
    };
    let groups: Vec<Vec<u32>> = hosts.iter().map(|host| in_order(host.ranks)).collect();
    let each = groups.first().map_or(0, Vec::len);
    if let Some(other) = groups.iter().position(|ranks| ranks.len() != each) {
        let full = |host: &super::format::UsedHost<'_>| host.ranks.len() == host.slots as usize;
        if !hosts.iter().all(full) {
            let reason = format!(
                "nodes are filled evenly or to the last slot, but the mapping puts {each} ranks on {} and {} on {}; use slurm-hostfile",
                hosts[0].name,
                groups[other].len(),
                hosts[other].name
            );
            return Err(LaunchError::NotPossible { format: ENTRY.name, reason });
        }
        return Ok((groups, None));
    }
    Ok((groups, Some(each)))
}

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let (groups, _) = filled(launch)?;
    let mut main = String::new();
    for ranks in &groups {
        let ranks: Vec<String> = ranks.iter().map(u32::to_string).collect();
        line(&mut main, &ranks.join(","));
    }
    let bind = launch.binding(&groups, true, true)?.file();
    Ok(LaunchFiles { main, bind, warnings: launch.warning_of_unknown_cpus()? })
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let (groups, each) = filled(launch)?;
    let bind = match launch.binding(&groups, true, true)? {
        Binding::List(lists) => slurm_option(&lists),
        Binding::File(_) | Binding::Free => "--cpu-bind=none".to_string(),
    };
    let share = if launch.has_cores()? && launch.shares_cpus()? { " --overcommit" } else { "" };
    let each = each.map(|each| format!(" --ntasks-per-node={each}")).unwrap_or_default();
    // Slurm's number of a process is its position, not its rank, and so are the lines of the file.
    Ok(format!(
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={} srun -N {} -n {}{each}{} --distribution=block{share} {bind} {}",
        names.main,
        groups.len(),
        launch.ranks,
        slurm_cpus_per_task(launch)?,
        bound("SLURM_PROCID", names)
    ))
}
