//! A plain list of hosts, one line per rank, for launchers without their own file format.

use std::fmt::Write;

use super::binding::{cpus_of, line};
use super::error::LaunchError;
use super::even::{Even, PORT, even};
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};
use super::shell::in_double_quotes;
use crate::text::cpu_list;

/// Plain lists of hosts.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "hostlist",
    summary: "plain list with the host of rank r in line r; started by torchrun or ssh",
    example: "hosts.txt",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write, command },
};

fn write(launch: &Launch) -> Result<LaunchFiles, LaunchError> {
    let mut files = LaunchFiles::default();
    launch.host_names()?.iter().for_each(|host| line(&mut files.main, host));
    if even(launch)?.is_some() {
        // Cores that are only counted, not known, just give the order of ranks.
        let known = launch.seating()?.seats.iter().any(|seat| !seat.cpus.is_empty());
        if known && launch.has_cores()? {
            files.warnings.push(
                "torchrun does not bind ranks to the CPUs of the mapping; slurm-hostfile and the \
                 formats of MPI launchers do"
                    .to_string(),
            );
        }
        return Ok(files);
    }
    files.warnings.push(
        "torchrun numbers ranks host by host, with the same number on each, which differs from \
         this mapping: the command starts each rank by ssh"
            .to_string(),
    );
    let seats = &launch.seating()?.seats;
    if launch.has_cores()? || seats.iter().any(|seat| seat.gpu.is_some()) {
        files.warnings.extend(launch.warning_of_unknown_cpus()?);
        let mut content = String::new();
        for seat in seats {
            let _ = write!(content, "{}", cpu_list::write(&cpus_of(seat)));
            seat.gpu.into_iter().for_each(|gpu| {
                let _ = write!(content, " {gpu}");
            });
            content.push('\n');
        }
        files.bind = Some(content);
    }
    Ok(files)
}

fn command(launch: &Launch, names: &LaunchNames<'_>) -> Result<String, LaunchError> {
    let hosts = launch.host_names()?;
    let (first, file) = (hosts.first().copied().unwrap_or_default(), names.main);
    let program = in_double_quotes(names.program);
    let seats = &launch.seating()?.seats;
    Ok(match (even(launch)?, names.bind) {
        (Some(even @ Even { hosts: _, each, .. }), _) => {
            let (hosts, gpus) = (even.hosts.len(), even.devices());
            format!(
                r#"i=0; for host in $(uniq {file}); do ssh -n "$host" "cd '$PWD' && {gpus}torchrun --nnodes {hosts} --nproc-per-node {each} --node-rank $i --master-addr {first} --master-port {PORT} {program}" & i=$((i+1)); done; wait"#
            )
        }
        (None, bind) => {
            let (lines, columns, bound) = match bind {
                Some(bind) => (format!("paste -d ' ' {file} {bind}"), " cpus", "taskset -c $cpus "),
                None => (format!("cat {file}"), "", ""),
            };
            let has_gpus = bind.is_some() && seats.iter().any(|seat| seat.gpu.is_some());
            let (gpu, device) = match has_gpus {
                true => (" gpu", "CUDA_VISIBLE_DEVICES=$gpu "),
                false => ("", ""),
            };
            let ranks = launch.ranks;
            format!(
                r#"{lines} | {{ rank=0; while read -r host{columns}{gpu}; do ssh -n "$host" "cd '$PWD' && {device}RANK=$rank WORLD_SIZE={ranks} MASTER_ADDR={first} MASTER_PORT={PORT} {bound}{program}" & rank=$((rank+1)); done; wait; }}"#
            )
        }
    })
}
