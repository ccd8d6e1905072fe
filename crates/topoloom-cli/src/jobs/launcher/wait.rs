//! Waits for a job that was started, and ends one that does not end by itself.

use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::interrupt::{Doing, Interrupt};
use crate::jobs::process_tree;

/// How a job ended.
pub struct Ended {
    /// The exit status of the launcher.
    pub status: ExitStatus,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Whether it exceeded its time limit and was ended.
    pub timed_out: bool,
}

/// Ends a command that cannot be watched.
pub fn end(mut child: Child) {
    process_tree::signal("-KILL", &process_tree::below(child.id()));
    let _ = child.wait();
}

/// A job that is about to start, or has started. From here on a signal is for the job.
pub struct Job {
    interrupt: Interrupt,
    _doing: Doing,
}

impl Job {
    /// To be made before the job starts.
    pub fn about_to_start() -> anyhow::Result<Job> {
        let interrupt = Interrupt::catch()?;
        Ok(Job { interrupt, _doing: interrupt.for_job() })
    }

    /// Waits for the job, up to its time limit. If it is interrupted, the work done until then is
    /// kept.
    pub fn wait(self, child: &mut Child, limit: Option<Duration>) -> anyhow::Result<Ended> {
        const LOOK: Duration = Duration::from_millis(20);
        self.wait_and(child, limit, || LOOK)
    }

    /// The same, and does something from time to time. It says how long to sleep after it.
    pub fn wait_and(
        self,
        child: &mut Child,
        limit: Option<Duration>,
        mut meanwhile: impl FnMut() -> Duration,
    ) -> anyhow::Result<Ended> {
        const GRACE: Duration = Duration::from_secs(2);
        let begin = Instant::now();
        let is_late = || limit.is_some_and(|limit| begin.elapsed() > limit);
        let mut since: Option<Instant> = None;
        let mut signals = ["-INT", "-TERM", "-KILL"].into_iter();
        let mut tree = Vec::new();
        let mut timed_out = false;
        loop {
            if let Some(status) = child.try_wait().context("cannot wait for the command")? {
                // Processes that the launcher has left behind are ended too.
                if timed_out {
                    process_tree::signal("-KILL", &tree);
                }
                return Ok(Ended { status, interrupted: self.interrupt.happened(), timed_out });
            }
            if !timed_out && is_late() {
                timed_out = true;
                tree = process_tree::below(child.id());
                process_tree::signal("-TERM", &tree);
                since = Some(Instant::now());
                signals = ["-TERM", "-KILL", "-KILL"].into_iter();
            }
            if self.interrupt.happened() || timed_out {
                // Ctrl-C reaches the job as well; other signals may have reached this process only.
                let begin = *since.get_or_insert_with(Instant::now);
                if begin.elapsed() > GRACE {
                    since = Some(Instant::now());
                    if let Some(signal) = signals.next() {
                        process_tree::signal(signal, &[child.id()]);
                        if timed_out {
                            process_tree::signal(signal, &tree);
                        }
                    }
                }
            }
            thread::sleep(meanwhile());
        }
    }
}
