//! Waits for a job that was started, and ends one that does not end by itself.

use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::interrupt::{Doing, Interrupt};
use crate::jobs::process_tree::Tree;

/// How long a job has to end after each signal.
const GRACE: Duration = Duration::from_secs(2);

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
    Tree::below(child.id()).signal("-KILL");
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
        let begin = Instant::now();
        let is_late = || limit.is_some_and(|limit| begin.elapsed() > limit);
        // When the job was last asked to end, and what it consists of.
        let mut asked: Option<(Instant, Tree)> = None;
        let mut signals = ["-INT", "-TERM", "-KILL"].into_iter();
        let mut timed_out = false;
        loop {
            if let Some(status) = child.try_wait().context("cannot wait for the command")? {
                // Processes that the launcher has left behind are ended too.
                if let Some((_, tree)) = asked {
                    end_rest(tree, timed_out);
                }
                return Ok(Ended { status, interrupted: self.interrupt.happened(), timed_out });
            }
            if !timed_out && is_late() {
                timed_out = true;
                let mut tree = Tree::below(child.id());
                tree.signal("-TERM");
                asked = Some((Instant::now(), tree));
                signals = ["-TERM", "-KILL", "-KILL"].into_iter();
            }
            if self.interrupt.happened() || timed_out {
                // Ctrl-C reaches the job as well; other signals may have reached this process only.
                let (since, tree) =
                    asked.get_or_insert_with(|| (Instant::now(), Tree::below(child.id())));
                if since.elapsed() > GRACE {
                    *since = Instant::now();
                    tree.add_below(child.id());
                    match signals.next() {
                        // The launcher ends its ranks by itself. A script does not end its launcher.
                        Some("-INT") => Tree::only(child.id()).signal("-INT"),
                        Some(signal) => tree.signal(signal),
                        None => false,
                    };
                }
            }
            thread::sleep(meanwhile());
        }
    }
}

/// Ends what a launcher has left behind. Processes that are already ending get time for it, unless
/// there is none.
fn end_rest(mut tree: Tree, at_once: bool) {
    for signal in ["-TERM", "-KILL"].into_iter().skip(usize::from(at_once)) {
        let begin = Instant::now();
        while !at_once && tree.is_there() && begin.elapsed() < GRACE {
            thread::sleep(Duration::from_millis(20));
        }
        tree.signal(signal);
    }
}
