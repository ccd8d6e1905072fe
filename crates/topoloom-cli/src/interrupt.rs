//! Ctrl-C, caught once for the whole program; what it means depends on what is going on.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::Duration;

use anyhow::bail;
use topoloom::io::remove_temporaries_and;

use crate::threads;

/// Nothing that could be cut short: the program ends.
const NOTHING: u8 = 0;
/// A search: the first keeps the best so far, the second ends the program.
const SEARCH: u8 = 1;
/// A job that was started: it has its own way to end, which is waited for.
const JOB: u8 = 2;

/// Statistics of what a search found, which is written already: after an interrupt they may take
/// [`PATIENCE`] and no more.
const SCORING: u8 = 3;

/// How long after an interrupt statistics are still worth waiting for.
const PATIENCE: Duration = Duration::from_millis(1500);

/// What a shell makes of an interrupt.
pub const INTERRUPTED: u8 = 130;

/// Folders that must not stay behind.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What to say of a folder that stays behind; nothing where it holds nothing of worth.
type Farewell = fn(&Path) -> Option<String>;

/// Folders that stay behind if they hold what nobody has written elsewhere yet.
static NAMED: Mutex<Vec<(PathBuf, Farewell)>> = Mutex::new(Vec::new());

static DOING: AtomicU8 = AtomicU8::new(NOTHING);
static SEEN: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Ctrl-C as it is caught.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt;

impl Interrupt {
    /// Catches Ctrl-C from now on. Where that cannot be, it ends the program at once, as without us.
    pub fn catch() -> anyhow::Result<Interrupt> {
        static CAUGHT: OnceLock<Result<(), ctrlc::Error>> = OnceLock::new();
        let caught = CAUGHT.get_or_init(|| {
            // Without a thread that looks at it, a signal that was caught would be lost.
            if !threads::can_start() {
                return Ok(());
            }
            ctrlc::set_handler(handle)
        });
        match caught {
            Ok(()) => Ok(Interrupt),
            Err(error) => bail!("cannot catch Ctrl-C: {error}"),
        }
    }

    /// Runs a search that Ctrl-C may cut short.
    pub fn during<T>(&self, search: impl FnOnce() -> T) -> T {
        during(SEARCH, search)
    }

    /// Works out statistics, which are given up soon after Ctrl-C.
    pub fn during_scoring<T>(&self, score: impl FnOnce() -> T) -> T {
        during(SCORING, score)
    }

    /// Waits for a job that Ctrl-C ends.
    pub fn during_job<T>(&self, wait: impl FnOnce() -> T) -> T {
        during(JOB, wait)
    }

    /// What is set when Ctrl-C is pressed.
    pub fn flag(&self) -> Arc<AtomicBool> {
        SEEN.clone()
    }

    /// Takes it that Ctrl-C has done its work: what comes next is not meant.
    pub fn forget(&self) {
        SEEN.store(false, Ordering::Relaxed);
    }

    /// Whether Ctrl-C was pressed.
    pub fn happened(&self) -> bool {
        SEEN.load(Ordering::Relaxed)
    }
}

/// Has a folder removed if Ctrl-C ends the program.
pub fn remove_at_end(folder: &Path) {
    if let Ok(mut folders) = FOLDERS.lock() {
        folders.push(folder.to_path_buf());
    }
}

/// The same no longer.
pub fn keep_at_end(folder: &Path) {
    if let Ok(mut folders) = FOLDERS.lock() {
        folders.retain(|other| other != folder);
    }
    if let Ok(mut folders) = NAMED.lock() {
        folders.retain(|(other, _)| other != folder);
    }
}

/// Has a folder stay if Ctrl-C ends the program, and says then what `farewell` says of it.
pub fn name_at_end(folder: &Path, farewell: Farewell) {
    keep_at_end(folder);
    if let Ok(mut folders) = NAMED.lock() {
        folders.push((folder.to_path_buf(), farewell));
    }
}

fn name_folders() {
    for (folder, farewell) in NAMED.lock().iter().flat_map(|folders| folders.iter()) {
        if let Some(words) = farewell(folder) {
            eprintln!("interrupted; {words}");
        }
    }
}

fn remove_folders() {
    for folder in FOLDERS.lock().iter().flat_map(|folders| folders.iter()) {
        // What cannot be removed was not kept from anyone either.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Whether Ctrl-C was pressed and nobody has taken notice.
pub fn happened() -> bool {
    SEEN.load(Ordering::Relaxed)
}

fn during<T>(doing: u8, action: impl FnOnce() -> T) -> T {
    DOING.store(doing, Ordering::Relaxed);
    let result = action();
    DOING.store(NOTHING, Ordering::Relaxed);
    result
}

fn handle() {
    let again = SEEN.swap(true, Ordering::Relaxed);
    match DOING.load(Ordering::Relaxed) {
        JOB => {}
        SEARCH if !again => {
            eprintln!("\ninterrupted: finishing with the best so far (again to stop at once)");
            // Without a thread to spare, a second Ctrl-C ends it.
            let _ = std::thread::Builder::new().spawn(give_up_scoring);
        }
        _ => end(),
    }
}

fn end() {
    remove_folders();
    name_folders();
    remove_temporaries_and(|| std::process::exit(i32::from(INTERRUPTED)));
}

/// Ends the program if it is still at statistics some time after an interrupt.
fn give_up_scoring() {
    std::thread::sleep(PATIENCE);
    loop {
        if DOING.load(Ordering::Relaxed) == SCORING {
            eprintln!("interrupted: the score of this placement takes too long and is not shown");
            end();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
