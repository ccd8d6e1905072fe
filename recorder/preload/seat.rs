//! The seat of a rank: the CPUs that it may use, and how many threads it has.

use std::env;
use std::fs;
use std::path::PathBuf;

use crate::host::{allowed_cpus, describe_host};
use crate::layout::{FOLDER_VARIABLE, header, record};
use crate::node_files::num_usable_cpus;
use crate::recorder::Recorder;

/// The first rank of a host describes it. This happens before MPI is initialised, so nobody waits
/// for this rank in a call that counts.
pub fn describe_host_if_first() {
    let Some(folder) = env::var_os(FOLDER_VARIABLE).map(PathBuf::from) else { return };
    // If a host is not described, its inside is not known, but everything else is recorded.
    let _ = describe_host(&folder);
}

impl Recorder {
    /// Writes down the seat of the rank, right after MPI was initialised.
    pub fn note_seat(&mut self) {
        *self.totals.number(header::ONLINE) = num_usable_cpus().unwrap_or(0);
        *self.totals.number(header::OPENMP_THREADS) =
            env::var("OMP_NUM_THREADS").ok().and_then(|text| openmp_threads(&text)).unwrap_or(0);
        *self.totals.number(header::THREADS_AT_BEGIN) = num_threads();
        let cpus = allowed_cpus().unwrap_or_default();
        let ranges: Vec<u64> = cpus
            .chunk_by(|a, b| *b == a + 1)
            .map(|run| u64::from(run[0]) | u64::from(run[run.len() - 1]) << 32)
            .collect();
        for three in ranges.chunks(3) {
            // Stands for nothing, because 1 is above 0.
            let mut words = [record::CPUS, 1, 1, 1];
            words[1..=three.len()].copy_from_slice(three);
            self.append(words);
        }
    }

    /// Writes down how many threads there are at the end.
    pub fn note_threads_at_end(&mut self) {
        *self.totals.number(header::THREADS_AT_END) = num_threads();
    }
}

/// The threads of the outermost level: `8` or `8,2`.
fn openmp_threads(text: &str) -> Option<u64> {
    text.split(',').next()?.trim().parse().ok()
}

/// The threads of this process; 0 if the system does not say.
fn num_threads() -> u64 {
    fs::read_dir("/proc/self/task").map_or(0, |threads| threads.count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openmp_is_asked_for_the_outermost_level() {
        assert_eq!(openmp_threads("8"), Some(8));
        assert_eq!(openmp_threads(" 4 , 2"), Some(4));
        assert_eq!(openmp_threads(""), None);
        assert_eq!(openmp_threads("many"), None);
    }

    #[test]
    fn threads_are_counted_while_they_run() {
        let before = num_threads();
        let (stop, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || wait.recv());
        // Other tests run at the same time: their threads may end, but this one is there.
        assert!(before >= 1 && num_threads() >= 2);
        drop(stop);
        let _ = thread.join();
    }
}
