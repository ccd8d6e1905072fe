//! The state of a long search in a file: the same command continues from it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::bail;
use topoloom::core::crew::{Checkpoint, Packed, Reader, mark};
use topoloom::io::atomic_write;

use crate::files;
use crate::interrupt::Interrupt;
use crate::output::warn;

/// How long the state of a search may be older in the file than in memory, besides the time of one
/// generation. Writing takes far less time than that.
const OLDEST: Duration = Duration::from_secs(20);

/// The beginning of such a file.
const MAGIC: &[u8] = b"topoloom checkpoint 1\n";

/// A file with the state of a search.
pub struct CheckpointFile {
    path: PathBuf,
    interrupt: Interrupt,
    /// Whether a search had a state to keep.
    asked_for: AtomicBool,
    /// What the file had at the beginning: a mark and a state.
    found: Mutex<Option<(u64, Vec<u8>)>>,
    written: Mutex<Written>,
}

#[derive(Default)]
struct Written {
    /// When the state was written last.
    at: Option<Instant>,
    /// Whether that failed once.
    failed: bool,
}

impl CheckpointFile {
    /// Reads the file, if there is one. Every process of a job gets what the first one reads.
    pub fn open(path: &Path, interrupt: Interrupt) -> anyhow::Result<CheckpointFile> {
        let mut found = None;
        if files::exists(path) {
            let bytes = files::open(path)?.bytes()?;
            let Some(state) = read(&bytes) else {
                bail!(
                    "{}: not a checkpoint, or damaged: expected a file that --checkpoint wrote, or \
                     the name of a new file",
                    path.display()
                );
            };
            found = Some(state);
        }
        let (found, written) = (Mutex::new(found), Mutex::default());
        let (path, asked_for) = (path.to_path_buf(), AtomicBool::new(false));
        Ok(CheckpointFile { path, interrupt, asked_for, found, written })
    }

    /// Whether a search had a state to keep.
    pub fn was_asked_for(&self) -> bool {
        self.asked_for.load(Ordering::Relaxed)
    }
}

/// The mark and the state in a checkpoint; none if it is not one.
fn read(bytes: &[u8]) -> Option<(u64, Vec<u8>)> {
    let mut from = Reader::new(bytes.strip_prefix(MAGIC)?);
    let (search, sum) = <(u64, u64)>::unpack(&mut from)?;
    let state = from.take_all();
    (sum == checksum(state)).then(|| (search, state.to_vec()))
}

/// Tells whether all bytes of a state are there.
fn checksum(state: &[u8]) -> u64 {
    let words = state.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    mark("checkpoint", words.chain([state.len() as u64]))
}

impl Checkpoint for CheckpointFile {
    fn load(&self, mark: u64) -> Option<Vec<u8>> {
        self.asked_for.store(true, Ordering::Relaxed);
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner).take();
        match found {
            Some((of, state)) if of == mark => Some(state),
            Some(_) => {
                warn(&format!(
                    "{}: the checkpoint of another search: this one begins from the start, and the \
                     file will be replaced",
                    self.path.display()
                ));
                None
            }
            None => None,
        }
    }

    fn save(&self, mark: u64, state: &dyn Fn() -> Vec<u8>) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = written.at.is_some_and(|at| at.elapsed() < OLDEST);
        if is_recent && !self.interrupt.happened() {
            return;
        }
        let state = state();
        let sum = checksum(&state);
        let content = |out: &mut dyn Write| -> io::Result<()> {
            out.write_all(MAGIC)?;
            out.write_all(&(mark, sum).packed())?;
            out.write_all(&state)
        };
        match atomic_write(&self.path, content) {
            Ok(()) => written.failed = false,
            // The search goes on: it may end well, and the disk may have room again.
            Err(error) if !written.failed => {
                warn(&format!("{error}; the search goes on without a new checkpoint"));
                written.failed = true;
            }
            Err(_) => {}
        }
        written.at = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_checkpoint_is_not_read() {
        let state = vec![7; 100];
        let mut bytes = MAGIC.to_vec();
        bytes.extend((5u64, checksum(&state)).packed());
        bytes.extend(&state);
        assert_eq!(read(&bytes), Some((5, state)));
        for end in 0..bytes.len() {
            assert_eq!(read(&bytes[..end]), None);
        }
        bytes[60] ^= 1;
        assert_eq!(read(&bytes), None);
    }

    #[test]
    fn a_state_is_found_again_by_the_same_search_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let interrupt = Interrupt::catch().unwrap();
        let first = CheckpointFile::open(&path, interrupt).unwrap();
        assert!(!first.was_asked_for());
        assert_eq!(first.load(1), None);
        assert!(first.was_asked_for());
        first.save(1, &|| vec![1, 2, 3]);
        // Too soon to be written again.
        first.save(1, &|| vec![9]);
        // The program opens each file once; a test has its own loader.
        let (of, state) = read(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!((of, &state[..]), (1, &[1, 2, 3][..]));
        let second = CheckpointFile::open(&path, interrupt).unwrap();
        assert_eq!(second.load(2), None);
        let third = CheckpointFile::open(&path, interrupt).unwrap();
        assert_eq!(third.load(1), Some(vec![1, 2, 3]));
    }
}
