//! The processes between the launcher and this one.
//!
//! Variables of a launcher are inherited by everything that a rank starts. A process that joins a
//! job without being a rank waits forever, or breaks the program that is the rank.

use std::fs;
use std::os::unix::process::parent_id;

use super::ancestors::{parent_of, program_of};

/// How this process stands to its launcher.
#[derive(Debug, PartialEq, Eq)]
pub enum Standing {
    /// The launcher started it.
    Rank,
    /// A program that uses MPI started it: that is the rank.
    InsideRank,
    /// This program started it. Nobody knows whether it did so in every rank, and once.
    Unclear(String),
}

/// What is looked at in a process.
struct Process {
    program: String,
    /// Whether it has the variable of the rank, too.
    has_rank: bool,
    uses_mpi: bool,
}

/// Launchers and their helpers. They may have variables of a job that they themselves run in.
const LAUNCHERS: [&str; 12] = [
    "mpirun",
    "mpiexec",
    "orterun",
    "orted",
    "prte",
    "prterun",
    "prted",
    "prun",
    "hydra_pmi_proxy",
    "mpiexec.hydra",
    "srun",
    "slurmstepd",
];

/// Programs that start exactly one other program: watchers and containers.
const WRAPPERS: [&str; 14] = [
    "time",
    "timeout",
    "perf",
    "strace",
    "ltrace",
    "gdb",
    "nsys",
    "rocprof",
    "starter",
    "starter-suid",
    "apptainer",
    "singularity",
    "enroot",
    "podman",
];

/// How this process stands to its launcher. `rank` is the variable with the number of the process
/// and its value.
pub fn standing(rank: &str) -> Standing {
    judge(ancestors().map(|process| look(process, rank)))
}

/// The processes above this one, nearest first.
pub fn ancestors() -> impl Iterator<Item = u32> {
    const MOST: usize = 32;
    let known = |process: &u32| *process > 0;
    let above = move |process: &u32| Some(parent_of(*process)).filter(known);
    std::iter::successors(Some(parent_id()).filter(known), above).take(MOST)
}

fn look(process: u32, rank: &str) -> Process {
    // What belongs to others cannot be read: it is the launcher's side.
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let has_rank = environment.split(|&byte| byte == 0).any(|entry| entry == rank.as_bytes());
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    let program = String::from_utf8_lossy(&program_of(process)).into_owned();
    Process { program, has_rank, uses_mpi: maps.lines().any(names_mpi) }
}

/// Whether a line of a process's memory names an MPI library.
fn names_mpi(line: &str) -> bool {
    let file = line.rsplit('/').next().unwrap_or_default();
    ["libmpi.so", "libmpich.so", "libmpi_abi.so", "libmpi_cray", "libmpi_gnu"]
        .iter()
        .any(|name| file.starts_with(name))
}

fn judge(processes: impl Iterator<Item = Process>) -> Standing {
    let is_between =
        |process: &Process| process.has_rank && !LAUNCHERS.contains(&process.program.as_str());
    let mut standing = Standing::Rank;
    for process in processes.take_while(is_between) {
        if process.uses_mpi {
            return Standing::InsideRank;
        }
        if standing == Standing::Rank && !WRAPPERS.contains(&process.program.as_str()) {
            standing = Standing::Unclear(process.program);
        }
    }
    standing
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process by its program: `+` has the variable of the rank, `*` uses MPI as well.
    fn process(text: &str) -> Process {
        let program = text.trim_start_matches(['+', '*']).to_string();
        let uses_mpi = text.starts_with('*');
        Process { program, has_rank: uses_mpi || text.starts_with('+'), uses_mpi }
    }

    fn standing_under(processes: &[&str]) -> Standing {
        judge(processes.iter().map(|text| process(text)))
    }

    #[test]
    fn a_child_of_the_launcher_is_a_rank() {
        assert_eq!(standing_under(&["mpirun", "bash"]), Standing::Rank);
        assert_eq!(standing_under(&[]), Standing::Rank);
        // A launcher inside a rank of another job has that job's variables.
        assert_eq!(standing_under(&["+hydra_pmi_proxy", "+bash"]), Standing::Rank);
        assert_eq!(standing_under(&["+perf", "prted"]), Standing::Rank);
    }

    #[test]
    fn a_child_of_an_mpi_program_is_not() {
        assert_eq!(standing_under(&["*python3.11", "mpirun"]), Standing::InsideRank);
        assert_eq!(standing_under(&["+sh", "*lmp", "mpirun"]), Standing::InsideRank);
    }

    #[test]
    fn a_child_of_a_script_may_be_one() {
        assert_eq!(standing_under(&["+bash", "mpirun"]), Standing::Unclear("bash".to_string()));
    }

    #[test]
    fn libraries_are_known_by_their_files() {
        assert!(names_mpi("7f00-7f01 r-xp 00000000 08:01 17  /usr/lib/libmpi.so.40.30.4"));
        assert!(names_mpi("7f00-7f01 r-xp 00000000 08:01 17  /usr/lib/libmpich.so.12"));
        assert!(!names_mpi("7f00-7f01 r-xp 00000000 08:01 17  /usr/lib/libmpir.so"));
        assert!(!names_mpi("7f00-7f01 r-xp 00000000 00:00 0"));
    }

    #[test]
    fn the_parent_of_a_test_has_no_such_variable() {
        assert_eq!(standing("TOPOLOOM_NO_SUCH_RANK=3"), Standing::Rank);
        assert_eq!(ancestors().next(), Some(parent_id()));
    }
}
