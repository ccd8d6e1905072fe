//! A plain list of hosts, one line per rank, for launchers without their own file format.

use std::fmt::Write;

use super::binding::{cpus_of, line};
use super::error::LaunchError;
use super::format::{HostNames, Launch, LaunchEntry, LaunchFiles, LaunchFormat, LaunchNames};
use super::shell::in_double_quotes;
use crate::text::cpu_list;

/// The port at which the processes of PyTorch meet.
const PORT: u32 = 29500;

/// Plain lists of hosts.
pub(super) static ENTRY: LaunchEntry = LaunchEntry {
    name: "hostlist",
    summary: "plain list with the host of rank r in line r; started by torchrun or ssh",
    example: "hosts.txt",
    parameters: &[],
    build: LaunchFormat { hosts: HostNames::Known, binds: true, write, command },
};

/// What torchrun can express: the same number of ranks on each host, one host after another.
struct Even {
    hosts: usize,
    each: usize,
    /// The GPUs of each host's ranks, if they are known.
    gpus: Option<Vec<String>>,
}

/// What torchrun needs to know, if it can start the ranks at all: it numbers them host by host,
/// and the same command runs on each.
fn even(launch: &Launch) -> Result<Option<Even>, LaunchError> {
    let seats = &launch.seating()?.seats;
    let runs: Vec<_> = seats.chunk_by(|a, b| a.host == b.host).collect();
    let (hosts, each) = (launch.used_hosts()?.len(), runs.first().map_or(0, |run| run.len()));
    if runs.len() != hosts || runs.iter().any(|run| run.len() != each) {
        return Ok(None);
    }
    let gpus = |run: &[topoloom_core::topology::Place]| -> Option<Vec<String>> {
        run.iter().map(|seat| seat.gpu.map(|gpu| gpu.to_string())).collect()
    };
    let first = gpus(runs[0]);
    match runs.iter().all(|run| gpus(run) == first) {
        true => Ok(Some(Even { hosts, each, gpus: first })),
        false => Ok(None),
    }
}

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
        (Some(Even { hosts, each, gpus }), _) => {
            let gpus = gpus.map(|gpus| format!("CUDA_VISIBLE_DEVICES={} ", gpus.join(",")));
            let gpus = gpus.unwrap_or_default();
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
