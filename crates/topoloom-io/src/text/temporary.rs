//! Files with unique names, which are removed unless they replace another file.
//!
//! A name is random and created exclusively, so processes with the same number, as in containers,
//! do not collide. The writer holds a lock on the file. A file without a lock is left over from a
//! process that was killed. The next process that writes to the folder removes it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

const PREFIX: &str = ".topoloom-";
const SUFFIX: &str = ".tmp";
/// The digits of the random number in the name.
const DIGITS: usize = 16;

/// Names that collide this often are not random.
const MOST_TRIES: usize = 100;

/// The files that are being written, and the folders that have been cleaned.
#[derive(Debug)]
pub(crate) struct Live {
    paths: BTreeSet<PathBuf>,
    cleaned: BTreeSet<PathBuf>,
}

static LIVE: Mutex<Live> = Mutex::new(Live { paths: BTreeSet::new(), cleaned: BTreeSet::new() });

/// Locks the list of files that are being written.
pub(crate) fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file of this process and calls `end`, which ends the program: while it
/// runs, no new ones are made.
pub fn remove_temporaries_and<T>(end: impl FnOnce() -> T) -> T {
    let live = live();
    for path in &live.paths {
        // A missing file need not be removed.
        let _ = fs::remove_file(path);
    }
    end()
}

/// One of our files, which is removed unless it is renamed.
#[derive(Debug)]
pub(crate) struct Temporary {
    pub path: PathBuf,
    pub file: File,
}

impl Temporary {
    /// An empty file in `folder`.
    pub fn new(folder: &Path) -> io::Result<Temporary> {
        clean(folder);
        made(folder, |path| {
            let file = OpenOptions::new().write(true).create_new(true).open(path)?;
            match is_held(&file, path) {
                true => Ok(Temporary { path: path.to_path_buf(), file }),
                false => Err(io::ErrorKind::AlreadyExists.into()),
            }
        })
    }

    /// A second name in `folder` for the file at `path`.
    pub fn link(path: &Path, folder: &Path) -> io::Result<Link> {
        made(folder, |name| {
            fs::hard_link(path, name)?;
            Ok(Link { path: name.to_path_buf() })
        })
    }
}

/// Makes something under a random name in `folder`, or under another name if the first is taken.
fn made<T>(folder: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<T> {
    for _ in 0..MOST_TRIES {
        let path = folder.join(random_name());
        // A signal waits until the name is known to be ours, and then removes the file.
        let mut live = live();
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                if made.is_ok() {
                    live.paths.insert(path);
                }
                return made;
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

impl Drop for Temporary {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// A second name of a file, which is removed at the end.
#[derive(Debug)]
pub(crate) struct Link {
    pub path: PathBuf,
}

impl Drop for Link {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn remove(path: &Path) {
    // After a rename there is nothing to remove, which is fine.
    let _ = fs::remove_file(path);
    live().paths.remove(path);
}

/// Takes the lock that tells others that a file is being written; false if another process treated
/// the file as a leftover before.
fn is_held(file: &File, path: &Path) -> bool {
    // On a file system without locks, other processes do not remove leftovers, so this file is safe.
    let taken = matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock));
    !taken && fs::symlink_metadata(path).is_ok()
}

fn random_name() -> String {
    // Every state has its own keys, made from the system's random numbers.
    let number = RandomState::new().build_hasher().finish();
    format!("{PREFIX}{number:0width$x}{SUFFIX}", width = DIGITS)
}

fn is_ours(name: &OsStr) -> bool {
    let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    number.is_some_and(|number| {
        number.len() == DIGITS && number.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// Removes the leftovers of killed processes in `folder`, the first time that this process writes
/// there.
fn clean(folder: &Path) {
    let own = {
        let mut live = live();
        if !live.cleaned.insert(folder.to_path_buf()) {
            return;
        }
        live.paths.clone()
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_ours(&entry.file_name()) && is_file && !own.contains(&path) {
            remove_if_left_over(&path);
        }
    }
}

/// Removes a file that no process writes, that is, one that no process has locked.
fn remove_if_left_over(path: &Path) {
    // Some file systems lock only files that are open for writing.
    let Ok(file) = OpenOptions::new().read(true).write(true).open(path) else { return };
    if file.try_lock().is_ok() {
        // Another process may have been faster.
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_random_and_known_again() {
        let (a, b) = (random_name(), random_name());
        assert_ne!(a, b);
        assert!(is_ours(a.as_ref()) && is_ours(b.as_ref()), "{a} {b}");
        for other in [".topoloom-12.tmp", ".topoloom-000000000000000g.tmp", "topoloom.tmp", ""] {
            assert!(!is_ours(other.as_ref()), "{other}");
        }
    }

    #[test]
    fn what_nobody_writes_is_removed_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (left, locked) = (path(&random_name()), path(&random_name()));
        for file in [&left, &locked, &path("data.tmp"), &path(".topoloom-x.tmp")] {
            fs::write(file, "").unwrap();
        }
        let writer = File::open(&locked).unwrap();
        writer.lock().unwrap();
        let temporary = Temporary::new(folder.path()).unwrap();
        assert!(!left.exists());
        for kept in [&locked, &path("data.tmp"), &path(".topoloom-x.tmp"), &temporary.path] {
            assert!(kept.exists(), "{}", kept.display());
        }
        let own = temporary.path.clone();
        drop(temporary);
        assert!(!own.exists());
    }

    #[test]
    fn a_file_that_is_being_written_is_not_taken_for_a_left_over() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = Temporary::new(folder.path()).unwrap();
        remove_if_left_over(&temporary.path);
        assert!(temporary.path.exists());
    }
}
