//! Measures how long messages take between pairs of ranks, instead of letting the program run.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::host::{say, write_whole};
use crate::layout::MEASURE_VARIABLE;
use crate::layout::measure::{PLAN, RESULT_ENDING};
use crate::library::{self, Library, asked};
use crate::system::_exit;

/// Rounds whose time does not count.
const ROUNDS_BEFORE: usize = 10;
const TAG: usize = 1;

/// What is to be measured.
struct Plan {
    bytes: usize,
    rounds: usize,
    pairs: Vec<(i32, i32)>,
}

/// Measures and ends the process if the environment asks for it. MPI is initialised.
pub fn measure_if_asked() {
    let Some(folder) = env::var_os(MEASURE_VARIABLE).filter(|folder| !folder.is_empty()) else {
        return;
    };
    let result = measure(&PathBuf::from(folder));
    if let Err(error) = &result {
        say(&format!("cannot measure: {error}"));
    }
    unsafe {
        // A rank that leaves without the others makes launchers say that something went wrong.
        if result.is_ok() {
            library::finalize();
        }
        _exit(i32::from(result.is_err()))
    }
}

fn measure(folder: &Path) -> io::Result<()> {
    let plan = Plan::read(&folder.join(PLAN))?;
    let library = Library::loaded().ok_or_else(|| other("the MPI library is not a known one"))?;
    let rank = asked(|rank| unsafe { library::comm_rank(library.world, rank) })
        .ok_or_else(|| other("the MPI library does not answer"))?;
    let mut line = Line { library, buffer: vec![0; plan.bytes.max(1)], bytes: plan.bytes };
    let mut results = String::new();
    for (number, &(first, second)) in plan.pairs.iter().enumerate() {
        // One pair at a time: others would use the same links.
        call(unsafe { library::barrier(library.world) })?;
        if rank == first {
            let mut times = Vec::with_capacity(plan.rounds);
            for round in 0..ROUNDS_BEFORE + plan.rounds {
                let begin = Instant::now();
                line.send(second)?;
                line.receive(second)?;
                if round >= ROUNDS_BEFORE {
                    times.push(begin.elapsed().as_nanos());
                }
            }
            times.sort_unstable();
            // There and back: half of the time is one way.
            let median = times.get(times.len() / 2).copied().unwrap_or(0) / 2;
            results.push_str(&format!("{number} {median}\n"));
        } else if rank == second {
            for _ in 0..ROUNDS_BEFORE + plan.rounds {
                line.receive(first)?;
                line.send(first)?;
            }
        }
    }
    if !results.is_empty() {
        write_whole(folder, &format!("{rank}.{RESULT_ENDING}"), results.as_bytes())?;
    }
    call(unsafe { library::barrier(library.world) })
}

/// Sends and receives messages of one size.
struct Line {
    library: Library,
    buffer: Vec<u8>,
    bytes: usize,
}

impl Line {
    fn send(&mut self, to: i32) -> io::Result<()> {
        let buffer = self.buffer.as_mut_ptr() as usize;
        let Library { byte, world, .. } = self.library;
        call(unsafe { library::send(buffer, self.bytes, byte, to as usize, TAG, world) })
    }

    fn receive(&mut self, from: i32) -> io::Result<()> {
        let buffer = self.buffer.as_mut_ptr() as usize;
        let Library { byte, world, status_ignore, .. } = self.library;
        call(unsafe {
            library::receive(buffer, self.bytes, byte, from as usize, TAG, world, status_ignore)
        })
    }
}

fn call(answer: Option<i32>) -> io::Result<()> {
    match answer {
        Some(0) => Ok(()),
        Some(code) => Err(other(&format!("the MPI library answers with error {code}"))),
        None => Err(other("the MPI library lacks a function")),
    }
}

fn other(message: &str) -> io::Error {
    io::Error::other(message.to_string())
}

impl Plan {
    fn read(path: &Path) -> io::Result<Plan> {
        let text = fs::read_to_string(path)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        Plan::parse(&text)
            .ok_or_else(|| other(&format!("{}: not a plan of measurements", path.display())))
    }

    fn parse(text: &str) -> Option<Plan> {
        let mut lines = text.lines().map(|line| line.split_once(' '));
        let (bytes, rounds) = lines.next()??;
        let pair = |line: Option<(&str, &str)>| {
            let (first, second) = line?;
            Some((first.parse().ok()?, second.parse().ok()?))
        };
        let pairs = lines.map(pair).collect::<Option<Vec<(i32, i32)>>>()?;
        Some(Plan { bytes: bytes.parse().ok()?, rounds: rounds.parse().ok()?, pairs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_sizes_and_pairs() {
        let plan = Plan::parse("4096 100\n0 1\n2 5\n").unwrap();
        assert_eq!((plan.bytes, plan.rounds, plan.pairs), (4096, 100, vec![(0, 1), (2, 5)]));
        assert!(Plan::parse("").is_none());
        assert!(Plan::parse("1 2\n3\n").is_none());
    }
}
