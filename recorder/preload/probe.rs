//! Says where a rank is, instead of letting it run.
//!
//! The loader calls [`probe_if_asked`] before the program begins. Processes without a rank are let
//! through: launchers, their helpers on other hosts, and shells above the ranks.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::host::{host_name, say};
use crate::layout::{BESIDE_TRAINING_RANK, PROBE_VARIABLE, RANK_VARIABLES, TRAINING_RANK_VARIABLE};
use crate::report::report;
use crate::system::_exit;

/// Programs that are not ranks even if they have the number of one: launchers and their helpers,
/// which another launcher has started, and programs that bind themselves and then become the rank.
const PASSED: [&[u8]; 27] = [
    b"aprun",
    b"env",
    b"flux",
    b"flux-shell",
    b"hwloc-bind",
    b"hydra_bstrap_proxy",
    b"hydra_nameserver",
    b"hydra_pmi_proxy",
    b"jsrun",
    b"mpiexec",
    b"mpiexec.hydra",
    b"mpirun",
    b"mpispawn",
    b"nice",
    b"numactl",
    b"orted",
    b"orterun",
    b"pmi_proxy",
    b"prte",
    b"prted",
    b"prterun",
    b"prun",
    b"rsh",
    b"srun",
    b"ssh",
    b"stdbuf",
    b"taskset",
];

/// Open MPI's launchers (5.0 at least) do not always end if all ranks on other hosts leave before
/// everything has been set up.
const OPEN_MPI_VARIABLES: [&str; 2] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK"];
const OPEN_MPI_GRACE: Duration = Duration::from_millis(500);

#[used]
#[unsafe(link_section = ".init_array")]
static PROBE_IF_ASKED: extern "C" fn() = probe_if_asked;

extern "C" fn probe_if_asked() {
    let Some(folder) = env::var_os(PROBE_VARIABLE).filter(|folder| !folder.is_empty()) else {
        return;
    };
    let Some((rank, variable)) = rank() else { return };
    let executable = fs::read_link("/proc/self/exe").unwrap_or_default();
    let name = executable.file_name().unwrap_or_default().as_encoded_bytes();
    if PASSED.contains(&name) || is_on_its_way_to_taskset(name) {
        return;
    }
    if let Err(error) = report(&PathBuf::from(folder), rank, variable) {
        say(&format!("rank {rank} on {} cannot report: {error}", host_name()));
    }
    if OPEN_MPI_VARIABLES.contains(&variable) {
        std::thread::sleep(OPEN_MPI_GRACE);
    }
    unsafe { _exit(0) }
}

/// Whether this is a shell that binds itself and then becomes the rank, as in the commands that
/// `topoloom apply` prints.
fn is_on_its_way_to_taskset(name: &[u8]) -> bool {
    const SHELLS: [&[u8]; 5] = [b"sh", b"bash", b"busybox", b"dash", b"ksh"];
    const EXEC: &[u8] = b"exec taskset";
    SHELLS.contains(&name)
        && fs::read("/proc/self/cmdline")
            .is_ok_and(|words| words.windows(EXEC.len()).any(|part| part == EXEC))
}

/// The rank that a launcher has given to this process, and the variable that says so. Launchers of
/// training jobs are often started by another one, so their variable counts most.
fn rank() -> Option<(u32, &'static str)> {
    let given = |name: &'static str| Some((env::var(name).ok()?.trim().parse().ok()?, name));
    let training = BESIDE_TRAINING_RANK.iter().all(|name| env::var_os(name).is_some());
    if let Some(rank) = given(TRAINING_RANK_VARIABLE).filter(|_| training) {
        return Some(rank);
    }
    RANK_VARIABLES.iter().find_map(|&name| given(name)).filter(|_| !starts_training())
}

/// Whether this process starts the ranks of a training job and is not one of them.
fn starts_training() -> bool {
    fs::read("/proc/self/cmdline").is_ok_and(|words| names_training_launcher(&words))
}

/// Whether a command line is that of such a launcher: the launcher itself, an interpreter that runs
/// it, or a shell whose script does. Other words do not count: a rank that was let through by mistake
/// would run for real.
fn names_training_launcher(command: &[u8]) -> bool {
    const LAUNCHERS: [&[u8]; 2] = [b"torchrun", b"deepspeed"];
    const MODULES: [&[u8]; 2] = [b"torch.distributed.run", b"torch.distributed.launch"];
    fn name(word: &[u8]) -> &[u8] {
        word.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }
    let starts = |words: &[&[u8]]| {
        let is_launcher =
            |word: Option<&&[u8]>| word.is_some_and(|word| LAUNCHERS.contains(&name(word)));
        let is_module = |pair: &[&[u8]]| pair[0] == b"-m" && MODULES.contains(&pair[1]);
        let python = words.first().is_some_and(|word| name(word).starts_with(b"python"));
        // The interpreter may have its own options before the module.
        is_launcher(words.first())
            || python && (is_launcher(words.get(1)) || words.windows(2).take(4).any(is_module))
    };
    let words: Vec<&[u8]> = command.split(|&byte| byte == 0).collect();
    let script = match words[..] {
        [shell, b"-c", script, ..] if shell.ends_with(b"sh") => script,
        _ => return starts(&words),
    };
    let words: Vec<&[u8]> =
        script.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let after = match words[..] {
        [b"exec", ref rest @ ..] => rest,
        ref all => all,
    };
    // Variables may be set before the command.
    let variables = after.iter().take_while(|word| word.contains(&b'=')).count();
    starts(&after[variables..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_launchers_of_training_jobs_are_let_through() {
        let named = |words: &[&str]| {
            let line: Vec<u8> = words.join("\0").into_bytes();
            names_training_launcher(&line)
        };
        for launcher in [
            &["/usr/bin/python3", "/opt/bin/torchrun", "--nnodes", "2", "train.py"][..],
            &["torchrun", "train.py"],
            &["python", "-u", "-m", "torch.distributed.run", "train.py"],
            &["sh", "-c", "exec torchrun --node-rank $SLURM_PROCID train.py"],
            &["bash", "-c", "CUDA_VISIBLE_DEVICES=1,0 torchrun train.py"],
            &["/usr/bin/python3", "/opt/bin/deepspeed", "--hostfile", "hosts", "train.py"],
        ] {
            assert!(named(launcher), "{launcher:?}");
        }
        for rank in [
            &["python", "train_deepspeed.py"][..],
            &["python", "train.py", "--deepspeed", "config.json"],
            &["python", "train.py", "torchrun"],
            &["./app", "-x", "torch.distributed.run"],
            &["sh", "-c", "./app torchrun"],
            &[""],
        ] {
            assert!(!named(rank), "{rank:?}");
        }
    }
}
