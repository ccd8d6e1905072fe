//! Limits and progress of a run, as the command line sets them.

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use topoloom::core::{ProgressListener, Run};

use crate::interrupt::Interrupt;
use crate::output::plain_text::one_line;
use crate::threads;

/// A bar on the terminal; nothing if standard error is not a terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for one task, with a spinner until its progress is known.
    pub fn new(task: &str) -> Arc<Progress> {
        let bar = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}");
        bar.set_style(style.expect("the template is fixed"));
        bar.set_message(one_line(task).into_owned());
        if threads::can_show_progress() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Arc::new(Progress { bar })
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl ProgressListener for Progress {
    fn progress(&self, task: &str, done: u64, total: u64) {
        if self.bar.length() != Some(total) {
            let style =
                ProgressStyle::with_template("{spinner} {elapsed:>4} {msg} {wide_bar} {pos}/{len}");
            self.bar.set_style(style.expect("the template is fixed"));
            self.bar.set_length(total);
        }
        self.bar.set_message(one_line(task).into_owned());
        self.bar.set_position(done);
    }
}

/// A run with the limits of the command line.
pub fn limited_run(
    seed: u64,
    time_limit: Option<Duration>,
    interrupt: &Interrupt,
    progress: &Arc<Progress>,
) -> Run {
    let run = Run::new(seed).with_cancel(interrupt.flag()).with_listener(progress.clone());
    match time_limit {
        Some(limit) => run.with_time_limit(limit),
        None => run,
    }
}
