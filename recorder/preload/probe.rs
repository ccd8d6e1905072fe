//! Says where a rank is, instead of letting it run.
//!
//! The loader calls [`probe_if_asked`] before the program begins. Processes without a rank are let
//! through: launchers, their helpers on other hosts, and shells above the ranks.

use std::env;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ancestors::{nearest_that_is_not, program_of};
use crate::layout::probe::{
    COMMAND, CPUS, FIRST_LINE, HOST, PROCESS, RANK, RANK_ENDING, STARTER, VARIABLE,
};
use crate::layout::{BESIDE_TRAINING_RANK, PROBE_VARIABLE, RANK_VARIABLES, TRAINING_RANK_VARIABLE};
use crate::recorder::say;
use crate::seat::describe_host;
use crate::system::{_exit, gethostname, sched_getaffinity};

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
        // The interpreter may have options of its own before the module.
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

fn report(folder: &Path, rank: u32, variable: &str) -> io::Result<()> {
    let host = host_name();
    let process = std::process::id();
    let text = format!(
        "{FIRST_LINE}\n{RANK} {rank}\n{HOST} {host}\n{CPUS} {}\n{VARIABLE} {variable}\n\
         {PROCESS} {process}\n{STARTER} {}\n{COMMAND} {}\n",
        list(&allowed_cpus()?),
        word(&starter(variable)),
        command()
    );
    // Neither the host nor the process distinguishes ranks of several containers.
    let name = format!("{rank}.{:016x}.{RANK_ENDING}", random_number());
    write_whole(folder, &name, text.as_bytes())?;
    describe_host(folder)
}

/// The program that started this rank and its siblings. The launcher gave them their numbers in
/// this variable.
fn starter(variable: &str) -> Vec<u8> {
    let is_rank = |other: &[u8]| {
        other.strip_prefix(variable.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
    };
    program_of(nearest_that_is_not(is_rank))
}

/// A number that almost certainly no other process has.
fn random_number() -> u64 {
    // The standard library takes its keys from the system.
    RandomState::new().build_hasher().finish()
}

/// What this process runs, in one line.
fn command() -> String {
    let words = fs::read("/proc/self/cmdline").unwrap_or_default();
    let words = words.strip_suffix(&[0]).unwrap_or(&words);
    words.split(|&byte| byte == 0).map(word).collect::<Vec<String>>().join(" ")
}

/// A word in visible characters.
fn word(word: &[u8]) -> String {
    let letter = |&byte: &u8| match byte {
        b'%' | 0..=b' ' | 127.. => format!("%{byte:02x}"),
        _ => char::from(byte).to_string(),
    };
    match word {
        // An empty word would not be seen between blanks.
        [] => "%".to_string(),
        word => word.iter().map(letter).collect(),
    }
}

/// Writes a file in such a way that nobody ever sees a part of it.
pub fn write_whole(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let path = folder.join(name);
    let beside = folder.join(format!("{name}.part"));
    let written = File::create_new(&beside).and_then(|mut file| file.write_all(content));
    written
        .and_then(|()| fs::rename(&beside, &path))
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

/// The CPUs that this process may run on.
pub fn allowed_cpus() -> io::Result<Vec<u32>> {
    const MOST_BYTES: usize = 1 << 20;
    let mut mask = vec![0_u8; 128];
    // The kernel refuses a mask that is shorter than its own.
    while unsafe { sched_getaffinity(0, mask.len(), mask.as_mut_ptr()) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::InvalidInput || mask.len() >= MOST_BYTES {
            return Err(error);
        }
        mask.resize(mask.len() * 2, 0);
    }
    // The mask consists of numbers in the machine's byte order, lowest bits first.
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    let words = mask.chunks_exact(8).map(word).enumerate();
    let bits = |(place, word): (usize, u64)| {
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place as u32 * 64 + bit)
    };
    Ok(words.flat_map(bits).collect())
}

/// Rising numbers as Linux writes them: `0-3,8`.
pub fn list(numbers: &[u32]) -> String {
    let range = |run: &[u32]| match run {
        [one] => one.to_string(),
        run => format!("{}-{}", run[0], run[run.len() - 1]),
    };
    numbers.chunk_by(|a, b| *b == a + 1).map(range).collect::<Vec<String>>().join(",")
}

fn host_name() -> String {
    String::from_utf8_lossy(&host()).into_owned()
}

/// The name of this host in a form that may be part of a file's name.
pub fn host_in_file_names() -> String {
    // Names of hosts have no other characters, but a file's name must not lead elsewhere.
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    host_name().replace(|letter| !plain(letter), "-")
}

/// The name of this host.
pub fn host() -> Vec<u8> {
    let mut name = [0_u8; 256];
    unsafe { gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    name.split(|&byte| byte == 0).next().unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_listed_as_linux_does() {
        assert_eq!(list(&[]), "");
        assert_eq!(list(&[5]), "5");
        assert_eq!(list(&[0, 1, 2, 8, 10, 11]), "0-2,8,10-11");
    }

    #[test]
    fn this_process_may_run_where_the_system_says() {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let said = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        assert_eq!(list(&allowed_cpus().unwrap()), said.trim());
    }

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
