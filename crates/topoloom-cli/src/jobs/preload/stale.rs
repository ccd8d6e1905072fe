//! Folders that killed runs left behind. A folder is in use as long as its owner holds a lock in
//! it. A process number would not do, because containers use the same numbers.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use topoloom_recorder::layout::{OWNER, TOTALS_ENDING};

use crate::output::numbers::bytes;
use crate::output::warn;
use crate::shell_words::quoted;

/// The names of folders begin with this.
pub const PREFIX: &str = ".topoloom-";

/// Marks a folder as in use. The lock ends with this process, however it ends.
pub fn claim(folder: &Path) -> io::Result<File> {
    // Nobody may see the file before it is locked: otherwise its owner would seem to be gone.
    let before = folder.join(format!("{OWNER}.new"));
    let mut file = File::create_new(&before)?;
    // If the file system has no locks, the folder is never treated as abandoned.
    let is_locked = file.try_lock().is_ok();
    file.write_all(if is_locked { this_start() } else { String::new() }.as_bytes())?;
    fs::rename(&before, folder.join(OWNER))?;
    Ok(file)
}

/// Removes the folders in `parent` of runs that no longer exist. Recordings stay, and are named
/// once.
pub fn clean(parent: &Path) {
    static NAMED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    for folder in abandoned(parent) {
        if !has_recordings(&folder) {
            // It may belong to somebody else, or be removed by another run at this moment.
            let _ = fs::remove_dir_all(&folder);
            continue;
        }
        let is_new = NAMED
            .lock()
            .is_ok_and(|mut named| named.get_or_insert_default().insert(folder.clone()));
        if is_new {
            warn(&format!("an earlier run was killed: {}", how_to_recover(&folder)));
        }
    }
}

/// The sentence that says how to recover a folder that stays.
pub fn how_to_recover(folder: &Path) -> String {
    format!(
        "what its ranks wrote ({}) is in {}. To read it: topoloom record --recover {} --output FILE",
        bytes(size_of(folder) as f64),
        folder.display(),
        quoted(&folder.to_string_lossy()),
    )
}

/// The same, if ranks that were recorded have left anything.
pub fn left_in_words(folder: &Path) -> Option<String> {
    has_recordings(folder).then(|| how_to_recover(folder))
}

/// Whether ranks that were recorded have left anything.
pub fn has_recordings(folder: &Path) -> bool {
    let is_totals =
        |name: &OsStr| Path::new(name).extension().is_some_and(|ending| ending == TOTALS_ENDING);
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.map(|file| file.file_name()).any(|name| is_totals(&name))
}

/// Whether a folder belongs to a run that still exists.
pub fn is_in_use(folder: &Path) -> bool {
    File::open(folder.join(OWNER))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

fn size_of(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|about| about.len()).sum()
}

fn abandoned(parent: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder && entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes())
    });
    let mut found: Vec<PathBuf> =
        ours.map(|entry| entry.path()).filter(|path| is_abandoned(path)).collect();
    found.sort();
    found
}

fn is_abandoned(folder: &Path) -> bool {
    /// Locks may not be visible between hosts.
    const LONG_AGO: Duration = Duration::from_secs(7 * 24 * 3600);
    let is_old = || {
        let changed = fs::metadata(folder).and_then(|about| about.modified());
        changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LONG_AGO))
    };
    let path = folder.join(OWNER);
    match File::open(&path) {
        Ok(file) => {
            let is_free = file.try_lock_shared().is_ok();
            let start = fs::read_to_string(&path).unwrap_or_default();
            is_free && ((!start.is_empty() && start == this_start()) || is_old())
        }
        // It was just made, or an older version made it.
        Err(error) => error.kind() == io::ErrorKind::NotFound && is_old(),
    }
}

/// Identifies this boot of this system, in all of its containers.
fn this_start() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(parent: &Path, name: &str, files: &[&str]) -> PathBuf {
        let path = parent.join(name);
        fs::create_dir(&path).unwrap();
        files.iter().for_each(|file| fs::write(path.join(file), "").unwrap());
        path
    }

    #[test]
    fn only_what_nobody_uses_and_holds_no_recording_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let parent = parent.path();
        let in_use = folder(parent, ".topoloom-probe-a", &[]);
        let owner = claim(&in_use).unwrap();
        let dead = folder(parent, ".topoloom-probe-b", &["0.rank"]);
        drop(claim(&dead).unwrap());
        let recorded = folder(parent, ".topoloom-record-c", &["job.1.0.totals"]);
        drop(claim(&recorded).unwrap());
        // Without an owner it may have been made just now.
        let new = folder(parent, ".topoloom-record-d", &[]);
        let other = folder(parent, "topoloom-record-e", &[]);
        // From another boot of the system, or from another host.
        let elsewhere = folder(parent, ".topoloom-probe-f", &[]);
        fs::write(elsewhere.join(OWNER), "another").unwrap();

        clean(parent);
        assert!(!dead.exists());
        for stays in [&in_use, &recorded, &new, &other, &elsewhere] {
            assert!(stays.exists(), "{}", stays.display());
        }
        assert!(is_in_use(&in_use) && !is_in_use(&recorded));
        drop(owner);
        clean(parent);
        assert!(!in_use.exists());
    }
}
