//! Ctrl-C, caught once for the whole program; its effect depends on what is running.

use std::fs;
use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use anyhow::bail;
use topoloom::io::remove_temporaries_and;

use crate::leave::leave;
use crate::session::{self, Session};
use crate::threads;

/// Nothing is running that could be cut short: the program ends.
const NOTHING: u8 = 0;
/// A search: the first Ctrl-C keeps the best result so far, the second ends the program.
const SEARCH: u8 = 1;
/// A job that was started: it has its own way to end, and we wait for it.
const JOB: u8 = 2;

/// Statistics of the result of a search, which is already written. After an interrupt they may take
/// [`PATIENCE`] and not longer.
const SCORING: u8 = 3;

/// How long after an interrupt statistics are still worth waiting for.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The exit code that shells use for an interrupt.
pub const INTERRUPTED: u8 = 130;

/// Folders that must be removed at the end.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The message about a folder that stays behind; `None` if it holds nothing of value.
type Farewell = fn(&Path) -> Option<String>;

/// Folders that stay behind if they hold data that is not written elsewhere yet.
static NAMED: Mutex<Vec<(PathBuf, Farewell)>> = Mutex::new(Vec::new());

static DOING: AtomicU8 = AtomicU8::new(NOTHING);
static SEEN: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether another process decides what a signal means.
static IS_LED: AtomicBool = AtomicBool::new(false);

/// From now on signals are only noted: the leader of the job decides when it ends.
pub fn leave_to_leader() {
    IS_LED.store(true, Ordering::Relaxed);
}

/// Whether a signal came, in a process that leaves it to the leader.
pub fn was_signalled() -> bool {
    SEEN.load(Ordering::Relaxed)
}

/// Notes an interrupt that the leader decided on.
pub fn note() {
    SEEN.store(true, Ordering::Relaxed);
}

/// Treats the work as interrupted, because another process of the job was. Batch systems send the
/// same signal to this process too, perhaps later: then it is a repetition.
pub fn request() {
    if !is_repetition() && !SEEN.swap(true, Ordering::Relaxed) {
        finish_soon();
    }
}

/// Proof that Ctrl-C is caught.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt;

impl Interrupt {
    /// Catches Ctrl-C from now on. If that is not possible, Ctrl-C ends the program at once, as
    /// usual.
    pub fn catch() -> anyhow::Result<Interrupt> {
        // Inside another program, that program catches it.
        if session::current().is_some() {
            return Ok(Interrupt);
        }
        static CAUGHT: OnceLock<Result<(), ctrlc::Error>> = OnceLock::new();
        let caught = CAUGHT.get_or_init(|| {
            // A caught signal would be lost without a thread that handles it.
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

    /// Runs a search that Ctrl-C can cut short.
    pub fn during<T>(&self, search: impl FnOnce() -> T) -> T {
        during(SEARCH, search)
    }

    /// Computes statistics, which are given up soon after Ctrl-C.
    pub fn during_scoring<T>(&self, score: impl FnOnce() -> T) -> T {
        during(SCORING, score)
    }

    /// From now on Ctrl-C is for a job, which it ends. To be called before the job starts: a signal
    /// that comes in between would end this program and leave the job running.
    pub fn for_job(&self) -> Doing {
        Doing::begin(JOB)
    }

    /// The flag that is set when Ctrl-C is pressed.
    pub fn flag(&self) -> Arc<AtomicBool> {
        match session::current() {
            Some(session) => session.stop.clone(),
            None => SEEN.clone(),
        }
    }

    /// Treats Ctrl-C as handled: it does not apply to what comes next.
    pub fn forget(&self) {
        self.flag().store(false, Ordering::Relaxed);
    }

    /// Whether Ctrl-C was pressed.
    pub fn happened(&self) -> bool {
        happened()
    }
}

/// Makes sure that a folder is removed if Ctrl-C ends the program.
pub fn remove_at_end(folder: &Path) {
    if let Ok(mut folders) = FOLDERS.lock() {
        folders.push(folder.to_path_buf());
    }
}

/// Cancels [`remove_at_end`] for a folder.
pub fn keep_at_end(folder: &Path) {
    if let Ok(mut folders) = FOLDERS.lock() {
        folders.retain(|other| other != folder);
    }
    if let Ok(mut folders) = NAMED.lock() {
        folders.retain(|(other, _)| other != folder);
    }
}

/// Keeps a folder if Ctrl-C ends the program and `farewell` has a message about it, which is printed
/// then.
pub fn name_at_end(folder: &Path, farewell: Farewell) {
    keep_at_end(folder);
    if let Ok(mut folders) = NAMED.lock() {
        folders.push((folder.to_path_buf(), farewell));
    }
}

fn name_folders() {
    for (folder, farewell) in NAMED.lock().iter().flat_map(|folders| folders.iter()) {
        match farewell(folder) {
            Some(words) => eprintln!("interrupted; {words}"),
            // A folder that cannot be removed does no harm.
            None => drop(fs::remove_dir_all(folder)),
        }
    }
}

fn remove_folders() {
    for folder in FOLDERS.lock().iter().flat_map(|folders| folders.iter()) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Whether Ctrl-C was pressed and has not been handled.
pub fn happened() -> bool {
    match session::current() {
        Some(session) => session.stop.load(Ordering::Relaxed),
        None => SEEN.load(Ordering::Relaxed),
    }
}

/// Whether a session is at something that ends soon if it is asked to stop.
pub fn can_be_cut_short(session: &Session) -> bool {
    session.doing.load(Ordering::Relaxed) != NOTHING
}

fn during<T>(doing: u8, action: impl FnOnce() -> T) -> T {
    let _doing = Doing::begin(doing);
    action()
}

/// What is being done, until this is dropped.
pub struct Doing {
    session: Option<Arc<Session>>,
    /// One search may be part of another.
    before: u8,
}

impl Doing {
    fn begin(doing: u8) -> Doing {
        let session = session::current();
        let before = Doing::now(session.as_ref()).swap(doing, Ordering::Relaxed);
        Doing { session, before }
    }

    fn now(session: Option<&Arc<Session>>) -> &AtomicU8 {
        session.map_or(&DOING, |session| &session.doing)
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        Doing::now(self.session.as_ref()).store(self.before, Ordering::Relaxed);
    }
}

/// When the last signal came that was not a repetition.
static SINCE: Mutex<Option<Instant>> = Mutex::new(None);

/// Signals within this time are one: a person who presses Ctrl-C again has read the answer.
const BURST: Duration = Duration::from_secs(1);

/// The same without a terminal. Batch systems send the same signal by several ways, and on a busy node
/// seconds may lie between them. To end a job at once they use another signal.
const BURST_IN_BATCH: Duration = Duration::from_secs(10);

/// Whether a signal only repeats one that came just before.
fn is_repetition() -> bool {
    let burst = if stdin().is_terminal() { BURST } else { BURST_IN_BATCH };
    let mut since = SINCE.lock().unwrap_or_else(PoisonError::into_inner);
    let repeats = since.is_some_and(|since| since.elapsed() < burst);
    if !repeats {
        *since = Some(Instant::now());
    }
    repeats
}

fn handle() {
    if is_repetition() {
        return;
    }
    let again = SEEN.swap(true, Ordering::Relaxed);
    if IS_LED.load(Ordering::Relaxed) {
        return;
    }
    match DOING.load(Ordering::Relaxed) {
        JOB => {}
        SEARCH if !again => finish_soon(),
        _ => end(),
    }
}

fn finish_soon() {
    if DOING.load(Ordering::Relaxed) == SEARCH {
        eprintln!("\ninterrupted: finishing with the best so far (again to stop at once)");
    }
    // If no thread can be started, a second Ctrl-C ends the program.
    let _ = std::thread::Builder::new().spawn(give_up_scoring);
}

fn end() {
    remove_folders();
    name_folders();
    remove_temporaries_and(|| leave(i32::from(INTERRUPTED)));
}

/// Ends the program if it still computes statistics some time after an interrupt.
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
