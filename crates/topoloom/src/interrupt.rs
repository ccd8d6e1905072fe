//! Ctrl-C, caught once for the whole program; what it means depends on what is going on.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use anyhow::bail;

/// Nothing that could be cut short: the program ends.
const NOTHING: u8 = 0;
/// A search: the first keeps the best so far, the second ends the program.
const SEARCH: u8 = 1;
/// A job that was started: it has its own way to end, which is waited for.
const JOB: u8 = 2;

static DOING: AtomicU8 = AtomicU8::new(NOTHING);
static SEEN: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Ctrl-C as it is caught.
#[derive(Debug, Clone, Copy)]
pub struct Interrupt;

impl Interrupt {
    /// Catches Ctrl-C from now on.
    pub fn catch() -> anyhow::Result<Interrupt> {
        static CAUGHT: OnceLock<Result<(), String>> = OnceLock::new();
        let caught = CAUGHT.get_or_init(|| {
            ctrlc::set_handler(handle).map_err(|error| format!("cannot catch Ctrl-C: {error}"))
        });
        match caught {
            Ok(()) => Ok(Interrupt),
            Err(message) => bail!("{message}"),
        }
    }

    /// Runs a search that Ctrl-C may cut short.
    pub fn during<T>(&self, search: impl FnOnce() -> T) -> T {
        during(SEARCH, search)
    }

    /// Waits for a job that Ctrl-C ends.
    pub fn during_job<T>(&self, wait: impl FnOnce() -> T) -> T {
        during(JOB, wait)
    }

    /// What is set when Ctrl-C is pressed.
    pub fn flag(&self) -> Arc<AtomicBool> {
        SEEN.clone()
    }

    /// Whether Ctrl-C was pressed.
    pub fn happened(&self) -> bool {
        SEEN.load(Ordering::Relaxed)
    }
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
        }
        _ => std::process::exit(130),
    }
}
