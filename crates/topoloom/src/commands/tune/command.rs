//! The user's command taken apart, and put together anew.

use std::ffi::OsString;

use anyhow::{Context, bail};
use topoloom::io::Probe;

use super::super::record::quoted;

/// Options of launchers that say where ranks go or how many there are, with a value each.
const REPLACED: &[&str] = &[
    "-n",
    "-np",
    "--n",
    "--np",
    "-c",
    "--rankfile",
    "-rankfile",
    "-rf",
    "--map-by",
    "-map-by",
    "--bind-to",
    "-bind-to",
    "--rank-by",
    "-rank-by",
    "--hostfile",
    "-hostfile",
    "--machinefile",
    "-machinefile",
    "-f",
    "--host",
    "-host",
    "-H",
    "-hosts",
    "--hosts",
    "-ppn",
    "--ppn",
    "-perhost",
    "-N",
    "--npernode",
    "-npernode",
    "--npersocket",
    "-npersocket",
    "--ntasks",
    "--ntasks-per-node",
    "--nodes",
    "--nodelist",
    "-w",
    "-m",
    "--distribution",
    "--cpu-bind",
    "--taskmap",
    "--cpu-set",
];

/// The same without a value.
const REPLACED_FLAGS: &[&str] = &[
    "--bynode",
    "-bynode",
    "--byslot",
    "-byslot",
    "--bycore",
    "--bysocket",
    "--bind-to-core",
    "-bind-to-core",
    "--bind-to-socket",
    "--bind-to-none",
    "--pernode",
    "-pernode",
    "--nolocal",
    "--use-hwthread-cpus",
    "--oversubscribe",
];

/// A command in its parts.
#[derive(Debug, PartialEq, Eq)]
pub struct Job {
    launcher: String,
    /// What the user told the launcher that does not say where ranks go.
    options: Vec<String>,
    program: Vec<String>,
}

impl Job {
    /// The parts of a command whose ranks a probe has seen: the program is what they run.
    pub fn of(command: &[OsString], probe: &Probe) -> anyhow::Result<Job> {
        let words: Vec<String> = command
            .iter()
            .map(|word| word.to_str().map(String::from))
            .collect::<Option<_>>()
            .context("expected a command of readable text")?;
        if words.iter().any(|word| word == ":") {
            bail!("several programs, joined by \":\", cannot be tuned; one program can");
        }
        let rank = probe.ranks.first().context("no rank was started")?;
        let run = &rank.command;
        // The longest end of the command that ranks end in too; a script runs under its shell.
        let same =
            words[1..].iter().rev().zip(run.iter().rev()).take_while(|(a, b)| a == b).count();
        let same = if same == 0 && run.len() == 1 { 1 } else { same };
        if same == 0 || same >= words.len() {
            bail!("the program that the launcher starts is not at the end of the command");
        }
        let program = words[words.len() - same..].to_vec();
        Ok(Job {
            launcher: words[0].clone(),
            options: kept(&words[1..words.len() - same]),
            program,
        })
    }

    /// The program with its arguments, for a shell.
    pub fn program(&self) -> String {
        self.program.iter().map(|word| quoted(word)).collect::<Vec<String>>().join(" ")
    }

    /// A command for the same launcher, with the user's other options in it.
    pub fn relaunched(&self, command: &str) -> String {
        // Variables may stand before the launcher.
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

/// What launchers are called in commands that are made.
const LAUNCHERS: &[&str] = &["mpirun", "mpiexec", "srun", "aprun", "runjob", "flux"];

/// The words of a command, if a shell has nothing to do but to take them as they are.
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
    // Variables before the launcher are a shell's business.
    let first = words.first()?;
    (!first.contains('=')).then_some(words)
}

/// The options that stay: those that do not say where ranks go.
fn kept(options: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let (name, has_value) = match word.split_once('=') {
            Some((name, _)) if word.starts_with("--") => (name, true),
            _ => (word.as_str(), false),
        };
        let short_with_value = ["-n", "-N", "-w", "-m"].iter().any(|short| {
            let rest = word.strip_prefix(short);
            rest.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
        });
        if REPLACED.contains(&name) {
            if !has_value {
                words.next();
            }
        } else if !REPLACED_FLAGS.contains(&name) && !short_with_value {
            kept.push(word.clone());
        }
    }
    kept
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
