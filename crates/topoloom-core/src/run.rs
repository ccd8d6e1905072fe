//! One run of a strategy: its seed, its limits, and what it has used of them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::crew::{Checkpoint, Crew};
use crate::effort::Effort;
use crate::pace::Pace;
use crate::random;

/// The default number of islands of an evolution, for any number of threads or processes.
const ISLANDS: u32 = 8;

/// Receives the progress of a run.
pub trait ProgressListener: Send + Sync {
    /// `done` of `total` steps of `task` are finished.
    fn progress(&self, task: &str, done: u64, total: u64);

    /// A result of this cost was found. The listener may keep the least.
    fn found(&self, _cost: f64) {}
}

/// Says whether a run has to stop.
type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// The seed and limits of a run, and what it has used of them.
#[derive(Clone)]
pub struct Run {
    seed: u64,
    effort: Effort,
    deadline: Option<Instant>,
    max_evaluations: Option<u64>,
    cancel: Arc<AtomicBool>,
    stop: Option<Stop>,
    listener: Option<Arc<dyn ProgressListener>>,
    crew: Option<Arc<dyn Crew>>,
    /// Sums up the problem that the crew works on.
    mark: u64,
    checkpoint: Option<Arc<dyn Checkpoint>>,
    generations: Option<u64>,
    islands: u32,
    evaluations: u64,
    pace: Pace,
    stopped: bool,
    notes: Vec<String>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("seed", &self.seed)
            .field("evaluations", &self.evaluations)
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// A run without limits.
    pub fn new(seed: u64) -> Self {
        Run {
            seed,
            effort: Effort::default(),
            deadline: None,
            max_evaluations: None,
            cancel: Arc::default(),
            stop: None,
            listener: None,
            crew: None,
            mark: 0,
            checkpoint: None,
            generations: None,
            islands: ISLANDS,
            evaluations: 0,
            pace: Pace::default(),
            stopped: false,
            notes: Vec::new(),
        }
    }

    /// Does as much work as `effort` says, if the strategy has a choice.
    pub fn with_effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Stops after this time, with the best so far.
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.deadline = Instant::now().checked_add(limit);
        self
    }

    /// Stops after this many evaluations, with the best so far.
    pub fn with_max_evaluations(mut self, limit: u64) -> Self {
        self.max_evaluations = Some(limit);
        self
    }

    /// Stops when `cancel` becomes true, with the best so far.
    pub fn with_cancel(mut self, cancel: Arc<AtomicBool>) -> Self {
        self.cancel = cancel;
        self
    }

    /// Stops when `stop` says so, with the best so far. It is called at every check of the clock:
    /// thousands of times per second, from any thread.
    pub fn with_stop(mut self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.stop = Some(Arc::new(stop));
        self
    }

    /// Reports progress to `listener`.
    pub fn with_listener(mut self, listener: Arc<dyn ProgressListener>) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Shares work out to other processes. They have to run the same search.
    pub fn with_crew(mut self, crew: Arc<dyn Crew>) -> Self {
        self.crew = Some(crew);
        self
    }

    /// Evolves for this many generations, if the effort is `extreme`. Without a number, the search
    /// decides.
    pub fn with_generations(mut self, generations: Option<u64>) -> Self {
        self.generations = generations;
        self
    }

    /// Evolves on this many islands, if the effort is `extreme`: at most this many processes have
    /// work in a generation.
    pub fn with_islands(mut self, islands: u32) -> Self {
        self.islands = islands.max(1);
        self
    }

    /// Saves the state of an evolution after each generation, and continues from a saved state.
    pub fn with_checkpoint(mut self, checkpoint: Arc<dyn Checkpoint>) -> Self {
        self.checkpoint = Some(checkpoint);
        self
    }

    /// For how many generations a search should evolve, if this was set.
    pub fn generations(&self) -> Option<u64> {
        self.generations
    }

    /// On how many islands a search should evolve.
    pub fn islands(&self) -> u32 {
        self.islands
    }

    /// Where the state of an evolution is saved, if anywhere.
    pub(crate) fn checkpoint(&self) -> Option<&Arc<dyn Checkpoint>> {
        self.checkpoint.as_ref()
    }

    /// Says what the crew works on: processes with another mark take no part.
    pub fn with_mark(mut self, mark: u64) -> Self {
        self.mark = mark;
        self
    }

    /// What the crew works on.
    pub(crate) fn mark(&self) -> u64 {
        self.mark
    }

    /// Those who share the work, if there are any.
    pub(crate) fn crew(&self) -> Option<&Arc<dyn Crew>> {
        self.crew.as_ref()
    }

    /// The same crew and checkpoint for a part, if it is the only thing that runs now: then they
    /// have nothing else to do.
    pub(crate) fn with_crew_of(mut self, whole: &Run) -> Run {
        self.crew = whole.crew.clone();
        self.checkpoint = whole.checkpoint.clone();
        self
    }

    /// The seed that every random choice derives from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How much work the search may do.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// How many placements or exchanges have been evaluated.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// How many evaluations are left.
    pub fn evaluations_left(&self) -> u64 {
        self.max_evaluations.map_or(u64::MAX, |limit| limit.saturating_sub(self.evaluations))
    }

    /// Whether the run ends at a set time.
    pub fn has_time_limit(&self) -> bool {
        self.deadline.is_some()
    }

    /// The time that is left, if the run ends at a set time.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether a limit cut the run short.
    pub fn was_cut_short(&self) -> bool {
        self.stopped
    }

    /// Notes of the strategy for the user.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds a note for the user.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Marks the run as cut short by one of the strategy's own limits.
    pub fn cut_short(&mut self) {
        self.stopped = true;
    }

    /// Counts `evaluations` of work that no limit cuts short.
    pub fn count(&mut self, evaluations: u64) {
        self.evaluations += evaluations;
    }

    /// Counts `evaluations` and says whether the run may continue. Once the answer is no, it stays
    /// no.
    #[inline]
    pub fn spend(&mut self, evaluations: u64) -> bool {
        self.evaluations += evaluations;
        if self.stopped || self.evaluations_left() == 0 {
            self.stopped = true;
            return false;
        }
        self.goes_on(evaluations)
    }

    /// Counts work that evaluates no placement, such as visited edges, and says whether the run may
    /// continue. Once the answer is no, it stays no.
    #[inline]
    pub(crate) fn goes_on(&mut self, work: u64) -> bool {
        if !self.stopped && self.pace.is_due(work as usize) {
            self.stopped = self.is_over();
        }
        !self.stopped
    }

    /// Like `spend`, for work so long that the clock is checked each time.
    pub fn spend_long(&mut self, evaluations: u64) -> bool {
        self.spend(evaluations) && !self.must_stop()
    }

    /// Checks the clock and the cancel flag.
    pub fn is_over(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
            || self.stop.as_ref().is_some_and(|stop| stop())
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether a limit has been reached; checks the clock.
    pub fn must_stop(&mut self) -> bool {
        if self.evaluations_left() == 0 || self.is_over() {
            self.stopped = true;
        }
        self.stopped
    }

    /// Whether the time is up; checks the clock, but not the number of evaluations.
    pub(crate) fn out_of_time(&mut self) -> bool {
        let is_over = self.is_over();
        self.stopped |= is_over;
        is_over
    }

    /// Reports to the listener, if there is one.
    pub fn progress(&self, task: &str, done: u64, total: u64) {
        if let Some(listener) = &self.listener {
            listener.progress(task, done, total);
        }
    }

    /// Tells the listener, if there is one, that a result of this cost was found.
    pub fn found(&self, cost: f64) {
        if let Some(listener) = &self.listener {
            listener.found(cost);
        }
    }

    /// The same run without a listener: for parts that run beside others, whose reports would
    /// alternate, and for parts whose costs are not those of the whole problem.
    pub fn unreported(mut self) -> Run {
        self.listener = None;
        self
    }

    /// A run for a part of the work: with the same seed, limits and listener, and nothing used yet.
    /// It has no crew and no checkpoint, because other parts may run at the same time.
    pub fn part(&self) -> Run {
        Run {
            crew: None,
            checkpoint: None,
            max_evaluations: self.max_evaluations.map(|_| self.evaluations_left()),
            evaluations: 0,
            pace: Pace::default(),
            stopped: false,
            notes: Vec::new(),
            ..self.clone()
        }
    }

    /// A part that may use at most `limit` evaluations.
    pub fn part_with_evaluations(&self, limit: u64) -> Run {
        let mut part = self.part();
        part.max_evaluations = Some(self.evaluations_left().min(limit));
        part
    }

    /// One of several parts, which share the evaluations that are left. Each makes other random
    /// choices; the first one keeps those of this run.
    pub(crate) fn one_of(&self, parts: u64, number: u64) -> Run {
        let mut part = match self.max_evaluations {
            Some(_) => self.part_with_evaluations(self.evaluations_left() / parts.max(1)),
            None => self.part(),
        };
        if number > 0 {
            part.seed = random::mix(part.seed ^ random::mix(number));
        }
        part
    }

    /// Adds what a part has used.
    pub fn absorb(&mut self, part: Run) {
        self.evaluations += part.evaluations;
        self.notes.extend(part.notes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_stops_at_its_number_of_evaluations_and_stays_stopped() {
        let mut run = Run::new(1).with_max_evaluations(3);
        assert!(run.spend(2));
        assert!(!run.spend(1));
        assert!(run.was_cut_short());
        assert!(!run.spend(0));
    }

    /// The least cost that it heard of.
    #[derive(Default)]
    struct Least(std::sync::Mutex<Option<f64>>);

    impl ProgressListener for Least {
        fn progress(&self, _: &str, _: u64, _: u64) {}

        fn found(&self, cost: f64) {
            let mut least = self.0.lock().unwrap();
            *least = Some(least.map_or(cost, |least| least.min(cost)));
        }
    }

    #[test]
    fn a_listener_hears_of_costs_unless_the_part_is_unreported() {
        let least = Arc::new(Least::default());
        let run = Run::new(1).with_listener(least.clone());
        run.part().unreported().found(1.0);
        assert_eq!(*least.0.lock().unwrap(), None);
        run.part().found(3.0);
        run.found(4.0);
        assert_eq!(*least.0.lock().unwrap(), Some(3.0));
    }

    #[test]
    fn a_cancelled_run_stops_at_the_next_look() {
        let cancel = Arc::new(AtomicBool::new(true));
        let mut run = Run::new(1).with_cancel(cancel);
        assert!(!run.spend(1));
    }
}
