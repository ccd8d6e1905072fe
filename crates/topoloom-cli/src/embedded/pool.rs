//! Threads for one command at a time, which are kept for the next one.
//!
//! The pool that all of rayon shares is not used here. After a fork, a child process has none of its
//! threads and would wait for them forever; and two commands on one pool would wait for each other.

use std::process;
use std::sync::{Arc, Mutex};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::session::{self, Session};
use crate::thread_pool::Wanted;

/// Commands run on threads of the pool, which need as much room as the first thread of a program.
const STACK: usize = 8 << 20;

/// The maximum number of pools that are kept for later.
const MOST_KEPT: usize = 4;

/// Threads of this process.
pub struct Pool {
    process: u32,
    threads: ThreadPool,
}

static FREE: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

impl Pool {
    /// As many threads as are wanted, for one command alone.
    pub fn taken(wanted: &Wanted) -> Result<Pool, String> {
        let wanted = wanted.threads(1).max(1);
        let process = process::id();
        // A process that was forked while another thread held the lock would wait for it forever.
        let Ok(mut free) = FREE.try_lock() else { return Pool::started(process, wanted) };
        // Threads of a parent process do not exist here, and cannot be ended either.
        while let Some(stale) = free.iter().position(|pool| pool.process != process) {
            std::mem::forget(free.swap_remove(stale));
        }
        let fits = |pool: &Pool| pool.threads.current_num_threads() == wanted;
        if let Some(place) = free.iter().position(fits) {
            return Ok(free.swap_remove(place));
        }
        drop(free);
        Pool::started(process, wanted)
    }

    fn started(process: u32, wanted: usize) -> Result<Pool, String> {
        let threads = ThreadPoolBuilder::new().num_threads(wanted).stack_size(STACK).build();
        let threads = threads.map_err(|error| format!("the threads cannot be started: {error}"))?;
        Ok(Pool { process, threads })
    }

    /// Does some work for a session in the background, and keeps the threads for later.
    pub fn run(
        self,
        session: Arc<Session>,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), String> {
        let all = move || {
            self.threads.broadcast(|_| session::enter(Some(Arc::clone(&session))));
            self.threads.install(work);
            self.threads.broadcast(|_| session::enter(None));
            self.give_back();
        };
        let started = thread::Builder::new().spawn(all);
        started.map(|_| ()).map_err(|error| format!("no thread can be started: {error}"))
    }

    fn give_back(self) {
        if let Ok(mut free) = FREE.try_lock()
            && free.len() < MOST_KEPT
        {
            free.push(self);
        }
    }
}
