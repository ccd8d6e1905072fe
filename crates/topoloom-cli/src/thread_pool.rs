//! The threads that everything shares.

use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rayon::{ThreadBuilder, ThreadPoolBuilder};

use crate::output::numbers::plural;
use crate::output::warn;

/// How many threads a command wants.
pub enum Wanted {
    /// Commands that compute nothing need none.
    None,
    /// One for each core.
    Usual,
    /// As many as the user asked for.
    Exactly(u16),
}

impl Wanted {
    /// The number of threads, if this many processes share the cores.
    pub fn threads(&self, processes: usize) -> usize {
        match self {
            Wanted::None => 0,
            Wanted::Usual => (usual() / processes.max(1)).max(1),
            Wanted::Exactly(threads) => usize::from(*threads),
        }
    }
}

/// Starts the wanted threads. If the system allows fewer, these share the work, with a warning. If
/// it allows none, the calling thread does all the work. The result does not depend on it.
pub fn start(wanted: &Wanted, processes: usize) {
    match wanted.threads(processes) {
        0 => {}
        threads => start_up_to(threads),
    }
}

/// As many threads as rayon would use.
fn usual() -> usize {
    let told = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    let cores = || thread::available_parallelism().map_or(1, NonZero::get);
    told.filter(|&threads| threads > 0).unwrap_or_else(cores)
}

/// A global pool can be built only once. So the threads are started first, and the pool gets those
/// that could be started.
fn start_up_to(wanted: usize) {
    let waiting: Vec<Sender<ThreadBuilder>> = (0..wanted).map_while(|_| waiting_thread()).collect();
    let started = waiting.len();
    let pool = ThreadPoolBuilder::new().num_threads(started.max(1));
    let built = match started {
        0 => pool.use_current_thread().build_global(),
        _ => pool
            .spawn_handler(|thread| {
                let gone = || std::io::Error::other("a thread has ended");
                waiting[thread.index()].send(thread).map_err(|_| gone())
            })
            .build_global(),
    };
    if let Err(error) = built {
        warn(&format!("the threads cannot be started: {error}"));
    } else if started < wanted {
        let had = match started {
            0 => "no further thread".to_string(),
            started => format!("only {}", plural(started, "thread")),
        };
        warn(&format!(
            "{had} could be started, not {wanted}: the limit on processes or memory is reached, so \
             the work takes longer"
        ));
    }
}

/// A thread that waits for its task; `None` if no further thread can be started.
fn waiting_thread() -> Option<Sender<ThreadBuilder>> {
    let (sender, receiver): (Sender<ThreadBuilder>, Receiver<ThreadBuilder>) = channel();
    let work = move || {
        if let Ok(thread) = receiver.recv() {
            thread.run();
        }
    };
    thread::Builder::new().spawn(work).ok().map(|_| sender)
}
