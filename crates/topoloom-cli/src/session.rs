//! A command that runs inside another program: its output is kept, and it reads what is in memory.
//!
//! The program itself has no session. A session belongs to the threads that work for it.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use topoloom::core::Traffic;
use topoloom::io::{Loader, MappingFile};

/// Stands for an output that is kept in memory.
pub const IN_MEMORY: &str = "memory:";

/// Hears how far a command is.
pub trait Watcher: Send + Sync {
    /// A task begins, or goes on: so many steps of so many are done, and the least cost so far.
    fn progress(&self, task: &str, done: u64, total: u64, best: Option<f64>);
}

/// Everything that a command has done so far.
#[derive(Default)]
pub struct Done {
    /// What it would have printed.
    pub printed: String,
    /// Its warnings.
    pub warnings: Vec<String>,
    /// What it would have said on standard error about what it did.
    pub notes: Vec<String>,
    /// The placement that it found.
    pub mapping: Option<MappingFile>,
    /// The traffic that it made.
    pub traffic: Option<Traffic>,
    /// The machine that it described, as the content of a machine file.
    pub machine: Option<Vec<u8>>,
    /// The report that it wrote, as a page.
    pub page: Option<String>,
    /// The picture that it drew, as SVG and as PNG.
    pub picture: Option<(String, Vec<u8>)>,
}

/// One command inside another program.
pub struct Session {
    pub loader: Loader,
    /// Set if the command should end with the best so far.
    pub stop: Arc<AtomicBool>,
    /// What it does now: see `interrupt`.
    pub doing: AtomicU8,
    /// The arguments after the name of the program.
    pub arguments: Vec<OsString>,
    pub watcher: Option<Arc<dyn Watcher>>,
    done: Mutex<Done>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
}

/// The session of this thread, if it has one.
pub fn current() -> Option<Arc<Session>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Makes this thread work for a session, or for none.
pub fn enter(session: Option<Arc<Session>>) {
    CURRENT.set(session);
}

/// Whether this process shows nothing at all.
static KEEPS_EVERYTHING: AtomicBool = AtomicBool::new(false);

/// From now on nothing is shown, also by threads without a session: another process shows the same.
pub fn keep_everything() {
    KEEPS_EVERYTHING.store(true, Ordering::Relaxed);
}

/// Whether output of this thread is kept.
pub fn is_silent() -> bool {
    KEEPS_EVERYTHING.load(Ordering::Relaxed) || current().is_some()
}

/// Lets `keep` note something in the session of this thread; `false` if it should be shown.
pub fn keep(keep: impl FnOnce(&mut Done)) -> bool {
    if let Some(session) = current() {
        session.note(keep);
    }
    is_silent()
}

/// Whether an output stays in memory.
pub fn is_in_memory(output: &Path) -> bool {
    current().is_some() && output == Path::new(IN_MEMORY)
}

/// The arguments of the command, as users would give them to the program.
pub fn arguments() -> Vec<OsString> {
    match current() {
        None => std::env::args_os().skip(1).collect(),
        Some(session) => {
            session.arguments.iter().filter(|word| !names_memory(word)).cloned().collect()
        }
    }
}

fn names_memory(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| word.ends_with(&format!("={IN_MEMORY}")))
}

impl Session {
    pub fn new(
        loader: Loader,
        arguments: Vec<OsString>,
        watcher: Option<Arc<dyn Watcher>>,
    ) -> Self {
        let (stop, doing, done) = (Arc::default(), AtomicU8::default(), Mutex::default());
        Session { loader, stop, doing, arguments, watcher, done }
    }

    fn note(&self, keep: impl FnOnce(&mut Done)) {
        keep(&mut self.done.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What was done, which is then forgotten.
    pub fn take(&self) -> Done {
        std::mem::take(&mut self.done.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
