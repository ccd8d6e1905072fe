//! Limits and progress of a run, as the command line sets them.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use topoloom::core::{ProgressListener, Run};

use crate::interrupt::Interrupt;
use crate::output::numbers::precise;
use crate::output::plain_text::one_line;
use crate::session::{self, Watcher};
use crate::threads;

/// Until the number of steps is known.
const SPINNER: &str = "{spinner} {elapsed:>4} {msg}{best}{left}";

/// How much is done.
const BAR: &str = "{spinner} {elapsed:>4} {msg}{best}{left} {wide_bar} {human_pos} of {human_len}";

/// A line on the terminal: what is done, how much of it, the least cost so far, and the time.
/// Nothing if standard error is not a terminal.
pub struct Progress {
    /// `None` if nobody watches. Then reports cost almost nothing.
    bar: Option<ProgressBar>,
    /// The listener for progress, for a command inside another program.
    watcher: Option<Arc<dyn Watcher>>,
    task: String,
    facts: Arc<Facts>,
}

/// What the line shows beside the bar. The thread that draws it reads them.
#[derive(Debug)]
struct Facts {
    /// The least cost so far, as bits; not a number if there is none.
    best: AtomicU64,
    /// What that is the cost of, if it has a name.
    objective: OnceLock<&'static str>,
    ends: OnceLock<Instant>,
}

impl Progress {
    /// A line for one task, with a spinner until its progress is known.
    pub fn new(task: &str) -> Arc<Progress> {
        let best = AtomicU64::new(f64::NAN.to_bits());
        let facts = Arc::new(Facts { best, objective: OnceLock::new(), ends: OnceLock::new() });
        let task = one_line(task).into_owned();
        let session = session::current();
        let watcher = session.as_ref().and_then(|session| session.watcher.clone());
        if let Some(watcher) = &watcher {
            watcher.progress(&task, 0, 0, None);
        }
        let shows = !session::is_silent() && threads::can_show_progress();
        let bar = shows.then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(style(SPINNER, &facts));
            bar.set_message(task.clone());
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Arc::new(Progress { bar, watcher, task, facts })
    }

    /// Names what the costs are: strategies that are compared may minimise different things.
    pub fn minimises(&self, objective: &'static str) {
        // The first stays: there is only one for each task.
        let _ = self.facts.objective.set(objective);
    }

    /// Shows how much time is left from now on.
    pub fn ends_after(&self, limit: Duration) {
        if let Some(end) = Instant::now().checked_add(limit) {
            // The first limit stays: there is only one for each task.
            let _ = self.facts.ends.set(end);
        }
    }

    /// Removes the line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl ProgressListener for Progress {
    fn progress(&self, task: &str, done: u64, total: u64) {
        if let Some(watcher) = &self.watcher {
            let task = format!("{}: {}", self.task, one_line(task));
            watcher.progress(&task, done, total, self.facts.best());
        }
        let Some(bar) = &self.bar else { return };
        if bar.length() != Some(total) {
            bar.set_style(style(BAR, &self.facts));
        }
        bar.set_message(format!("{}: {}", self.task, one_line(task)));
        // Both at once: a drawing between the two would show 3 of 1.
        bar.update(|state| {
            state.set_len(total);
            state.set_pos(done);
        });
    }

    fn found(&self, cost: f64) {
        let is_less = |best: u64| {
            let best = f64::from_bits(best);
            (best.is_nan() || cost < best).then(|| cost.to_bits())
        };
        // A cost that is not less changes nothing.
        let _ = self.facts.best.fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_less);
    }
}

fn style(template: &str, facts: &Arc<Facts>) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("the template is fixed");
    let (of_best, of_left) = (Arc::clone(facts), Arc::clone(facts));
    // Writing to a line in memory does not fail.
    let best = move |_: &ProgressState, line: &mut dyn Write| {
        let _ = line.write_str(&of_best.best_in_words());
    };
    let left = move |_: &ProgressState, line: &mut dyn Write| {
        let _ = line.write_str(&of_left.left_in_words(Instant::now()));
    };
    style.with_key("best", best).with_key("left", left)
}

impl Facts {
    fn best_in_words(&self) -> String {
        let name = self.objective.get().unwrap_or(&"cost");
        self.best().map_or(String::new(), |cost| format!(", best {name} {}", precise(cost)))
    }

    /// The least cost so far.
    fn best(&self) -> Option<f64> {
        Some(f64::from_bits(self.best.load(Ordering::Relaxed))).filter(|cost| !cost.is_nan())
    }

    fn left_in_words(&self, now: Instant) -> String {
        match self.ends.get() {
            Some(&end) => {
                let left = end.saturating_duration_since(now).as_secs_f64();
                format!(", {} s left", left.ceil())
            }
            None => String::new(),
        }
    }
}

/// The name of one of several tasks that follow each other; `number` counts from 0.
pub fn numbered(task: &str, number: usize, count: usize) -> String {
    match count {
        1 => task.to_string(),
        _ => format!("{task} ({} of {count})", number + 1),
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
        Some(limit) => {
            progress.ends_after(limit);
            run.with_time_limit(limit)
        }
        None => run,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_the_least_cost_and_the_time_that_is_left() {
        // Standard error of a test is not always a terminal: the words are the same.
        let progress = Progress::new("auto");
        assert_eq!(progress.facts.best_in_words(), "");
        assert_eq!(progress.facts.left_in_words(Instant::now()), "");
        for cost in [70_000.0, 12_345.0, 99_999.0] {
            progress.found(cost);
        }
        assert_eq!(progress.facts.best_in_words(), ", best cost 12,345");
        progress.found(0.25);
        assert_eq!(progress.facts.best_in_words(), ", best cost 0.2500");
        progress.minimises("max-dilation");
        assert_eq!(progress.facts.best_in_words(), ", best max-dilation 0.2500");
        progress.ends_after(Duration::from_secs(10));
        let later = Instant::now() + Duration::from_millis(2500);
        assert_eq!(progress.facts.left_in_words(later), ", 8 s left");
        assert_eq!(progress.facts.left_in_words(later + Duration::from_secs(60)), ", 0 s left");
        progress.finish();
    }
}
