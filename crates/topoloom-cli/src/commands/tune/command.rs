//! Takes the user's command apart, and builds the new one.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use topoloom::io::Probe;

use crate::shell_words::quoted;

/// Options of launchers that say where ranks go or how many there are, with a value each; written
/// without the leading `-` or `--`.
const REPLACED: &[&str] = &[
    "H",
    "N",
    "bind-to",
    "binding",
    "c",
    "cpu-bind",
    "cpu-list",
    "cpu-set",
    "cpu_bind",
    "cpus-per-proc",
    "cpus-per-rank",
    "distribution",
    "f",
    "host",
    "hostfile",
    "hostlist",
    "hosts",
    "m",
    "machinefile",
    "map-by",
    "n",
    "nodelist",
    "nodes",
    "np",
    "npernode",
    "npersocket",
    "ntasks",
    "ntasks-per-node",
    "perhost",
    "ppn",
    "ppr",
    "rank-by",
    "rankfile",
    "rf",
    "taskmap",
    "tasks-per-node",
    "w",
];

/// The same without a value.
const REPLACED_FLAGS: &[&str] = &[
    "bind-to-core",
    "bind-to-none",
    "bind-to-socket",
    "bycore",
    "bynode",
    "byslot",
    "bysocket",
    "nolocal",
    "nooversubscribe",
    "oversubscribe",
    "pernode",
    "use-hwthread-cpus",
];

/// Options that set a parameter: a name and a value follow.
const PARAMETERS: &[&str] = &["mca", "gmca", "prtemca", "omca", "pmixmca"];

/// Whether a parameter of Open MPI says where ranks go.
fn places_ranks(parameter: &str) -> bool {
    parameter.starts_with("rmaps") || parameter.contains("binding_policy")
}

/// Programs that prepare something and then become the program that is named after them.
const WRAPPERS: &[&str] =
    &["env", "hwloc-bind", "nice", "nohup", "numactl", "setarch", "stdbuf", "taskset", "time"];

/// A command in its parts.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    launcher: String,
    /// The user's launcher options that do not say where ranks go.
    options: Vec<String>,
    program: Vec<String>,
}

impl Job {
    /// The parts of a command whose ranks a probe has seen: the program is the one that they run.
    pub fn of(command: &[OsString], probe: &Probe) -> anyhow::Result<Job> {
        let words: Vec<String> = command
            .iter()
            .map(|word| word.to_str().map(String::from))
            .collect::<Option<_>>()
            .context("expected a command of readable text")?;
        if words.iter().any(|word| word == ":") {
            bail!(
                "a command with several programs, joined by \":\", cannot be tuned; give one \
                 program"
            );
        }
        let rank = probe.ranks.first().context("no rank was started")?;
        let start = program_in(&words, &rank.command)
            .context("the program that the launcher starts is not at the end of the command")?;
        let options = words[1..start].strip_suffix(&["--".to_string()]).unwrap_or(&words[1..start]);
        let (launcher, program) = (words[0].clone(), words[start..].to_vec());
        Ok(Job { launcher, options: kept(options), program })
    }

    /// The program with its arguments, for a shell.
    pub fn program(&self) -> String {
        self.program.iter().map(|word| quoted(word)).collect::<Vec<String>>().join(" ")
    }

    /// A command for the same launcher, with the user's other options in it.
    pub fn relaunched(&self, command: &str) -> String {
        // Variables may precede the launcher.
        let mut done = false;
        let mut words = Vec::new();
        for word in command.split(' ') {
            if !done && LAUNCHERS.contains(&word) {
                done = true;
                words.push(quoted(&self.launcher));
                words.extend(self.options.iter().map(|option| quoted(option)));
            } else {
                words.push(word.to_string());
            }
        }
        words.join(" ")
    }
}

/// The position of the program among the words of a command whose ranks run `run`.
fn program_in(words: &[String], run: &[String]) -> Option<usize> {
    let same = words[1..].iter().rev().zip(run.iter().rev()).take_while(|(a, b)| a == b).count();
    let start = words.len() - same;
    let base = |word: &str| Path::new(word).file_name().map(OsStr::to_os_string);
    let start = match run.len().checked_sub(same)? {
        0 => start,
        // A launcher may replace the program by the path where it found it.
        1 if start > 1 && base(&words[start - 1]) == base(&run[0]) => start - 1,
        // A script runs under the program that its first line names, perhaps with an option.
        1 | 2 if same > 0 && is_script(&words[start]) => start,
        _ => return None,
    };
    let is_wrapper = |word: &String| {
        let name = Path::new(word).file_name().and_then(OsStr::to_str);
        name.is_some_and(|name| WRAPPERS.contains(&name))
    };
    let wrapper = words[1..start].iter().position(is_wrapper);
    Some(wrapper.map_or(start, |before| before + 1))
}

/// Whether a word names a file that begins like a script, or a file that is not visible from here.
fn is_script(word: &str) -> bool {
    match fs::read(word) {
        Ok(content) => content.starts_with(b"#!"),
        Err(_) => word.contains('/'),
    }
}

/// Variables of the environment that may override a launch file.
pub fn variables_that_place_ranks() -> Vec<String> {
    let starts = ["OMPI_MCA_", "PRTE_MCA_"];
    let places = |name: &String| {
        starts.iter().any(|start| name.strip_prefix(start).is_some_and(places_ranks))
    };
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(places).collect()
}

/// The names of launchers in the commands that we write.
const LAUNCHERS: &[&str] = &["mpirun", "mpiexec", "srun", "aprun", "runjob", "flux"];

/// The words of a command, if a shell would use them as they are.
pub fn words(command: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        inside => word.push(inside),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            '$' | '`' | '"' | '&' | '|' | ';' | '<' | '>' | '(' | ')' | '*' | '?' | '\n' => {
                return None;
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    // Only a shell can handle variables before the launcher.
    let first = words.first()?;
    (!first.contains('=')).then_some(words)
}

/// The words of a command as the system needs them.
pub fn as_words(command: &str) -> Vec<OsString> {
    // We must see the launcher to tell it what other hosts need.
    let words = words(command);
    let words = words.unwrap_or_else(|| ["sh", "-c", command].map(String::from).to_vec());
    words.into_iter().map(OsString::from).collect()
}

/// The options that stay: those that do not say where ranks go.
fn kept(options: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let bare = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
        let Some(bare) = bare else {
            kept.push(word.clone());
            continue;
        };
        let (name, has_value) = match bare.split_once('=') {
            Some((name, _)) => (name, true),
            None => (bare, false),
        };
        if PARAMETERS.contains(&name) {
            let parameter: Vec<String> = words.by_ref().take(2).cloned().collect();
            if parameter.first().is_none_or(|name| !places_ranks(name)) {
                kept.push(word.clone());
                kept.extend(parameter);
            }
        } else if REPLACED.contains(&name) {
            if !has_value {
                words.next();
            }
        } else if !REPLACED_FLAGS.contains(&name) && !is_short_with_number(word) {
            kept.push(word.clone());
        }
    }
    kept
}

/// `-n4`, `-N2`.
fn is_short_with_number(word: &str) -> bool {
    ["-n", "-N", "-w", "-m"].iter().any(|short| {
        let rest = word.strip_prefix(short);
        rest.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use topoloom::io::ProbedRank;

    use super::*;

    fn job(command: &str, run: &str) -> anyhow::Result<Job> {
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        let rank = ProbedRank {
            rank: 0,
            host: "a".to_string(),
            cpus: vec![0],
            variable: "PMI_RANK".to_string(),
            process: 1,
            command: run.split(' ').map(String::from).collect(),
            starter: String::new(),
        };
        Job::of(&words, &Probe { ranks: vec![rank], ..Probe::default() })
    }

    #[test]
    fn the_program_is_what_ranks_run() {
        let parts = job("mpirun -n 4 --mca btl self,tcp ./app -n 4", "./app -n 4").unwrap();
        assert_eq!(parts.program(), "./app -n 4");
        assert_eq!(parts.options, ["--mca", "btl", "self,tcp"]);
        let script = job("mpirun -np 4 ./run.sh x", "/bin/sh ./run.sh x").unwrap();
        assert_eq!(script.program(), "./run.sh x");
        assert!(job("mpirun -n 1 ./a : -n 1 ./b", "./a").unwrap_err().to_string().contains(":"));
        assert!(job("./launch-all", "./app x").is_err());
        // Not a part of the arguments, nor a program whose arguments merely end alike.
        assert!(job("mpirun -n 2 ./app a b", "./other b").is_err());
        let found = job("mpirun -n 2 app a", "/usr/bin/app a").unwrap();
        assert_eq!(found.program(), "app a");
    }

    #[test]
    fn what_becomes_the_program_belongs_to_it() {
        let parts = job("mpirun -np 2 env A=1 ./app x", "./app x").unwrap();
        assert_eq!((parts.program().as_str(), parts.options.len()), ("env A=1 ./app x", 0));
        let parts = job("mpirun -np 2 -- ./app x", "./app x").unwrap();
        assert_eq!((parts.program().as_str(), parts.options.len()), ("./app x", 0));
    }

    #[test]
    fn options_that_place_ranks_go() {
        let options = "-x A --mca rmaps_base_mapping_policy node --mca btl self -bind-to=core \
                       --ppr 2:node -hostlist vm -bycore --report-bindings";
        let parts = job(&format!("mpirun -n 2 {options} ./app"), "./app").unwrap();
        assert_eq!(parts.options, ["-x", "A", "--mca", "btl", "self", "--report-bindings"]);
    }

    #[test]
    fn plain_commands_need_no_shell() {
        let split = |text: &str| words(text).map(|words| words.join("|"));
        assert_eq!(split(r"mpirun -n 2 'a b' it\''s'"), Some("mpirun|-n|2|a b|it's".to_string()));
        assert_eq!(split("A=1 srun ./app"), None);
        assert_eq!(split("flux run \"$(cat f)\""), None);
        assert_eq!(split("mpirun 'sh -c $A' ./x"), Some("mpirun|sh -c $A|./x".to_string()));
        assert_eq!(split("mpirun 'open"), None);
    }

    #[test]
    fn the_users_other_options_stay() {
        let parts = job("/opt/bin/mpirun -n 4 --bind-to=core -x A ./app", "./app").unwrap();
        assert_eq!(
            parts.relaunched("mpirun -n 4 --rankfile f ./app"),
            "/opt/bin/mpirun -x A -n 4 --rankfile f ./app"
        );
        let parts = job("srun -n4 -N2 --mpi=pmix ./app", "./app").unwrap();
        assert_eq!(
            parts.relaunched("SLURM_HOSTFILE=f srun -n 4 --distribution=arbitrary ./app"),
            "SLURM_HOSTFILE=f srun --mpi=pmix -n 4 --distribution=arbitrary ./app"
        );
    }
}
