//! What a rank reports about itself: where it is, and what it runs.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;

use crate::ancestors::{nearest_that_is_not, program_of};
use crate::host::{allowed_cpus, describe_host, host_name, list, write_whole};
use crate::layout::probe::{
    COMMAND, CPUS, FIRST_LINE, HOST, PROCESS, RANK, RANK_ENDING, STARTER, VARIABLE,
};

/// Writes the report of this process, which has this rank by this variable of its launcher.
pub fn report(folder: &Path, rank: u32, variable: &str) -> io::Result<()> {
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
pub fn random_number() -> u64 {
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
