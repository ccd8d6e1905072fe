//! The time limit of a run, for work that runs in parallel.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::crew::Packed;
use crate::pace::Pace;
use crate::parallel;
use crate::run::Run;

/// Says whether the time is up, and remembers that it did.
pub struct Clock<'a> {
    run: &'a Run,
    rang: AtomicBool,
    /// Whether the crew of the run, if there is one, has nothing else to do.
    crew_is_free: bool,
}

impl<'a> Clock<'a> {
    pub fn new(run: &'a Run) -> Clock<'a> {
        Clock { run, rang: AtomicBool::new(false), crew_is_free: false }
    }

    /// The clock of work that nothing else runs beside: its pieces may go to the crew.
    pub fn with_crew(run: &'a Run) -> Clock<'a> {
        Clock { crew_is_free: true, ..Clock::new(run) }
    }

    /// Whether the time is up. A caller that learns that it is up leaves some work out.
    pub fn is_over(&self) -> bool {
        if self.rang() {
            return true;
        }
        let over = self.run.is_over();
        if over {
            self.rang.store(true, Ordering::Relaxed);
        }
        over
    }

    /// The same, but checked only after enough work: for inner loops, which have their own pace.
    #[inline(always)]
    pub fn is_over_after(&self, work: usize, pace: &mut Pace) -> bool {
        self.rang() || pace.is_due(work) && self.is_over()
    }

    /// Does `count` pieces of work on all threads, or shares them out to the crew if it is free, as
    /// [`Run::share`] does. Results are in order. Those that were not begun in time are missing; the
    /// first one is always made.
    pub fn share<T: Packed + Send>(
        &self,
        mark: u64,
        count: usize,
        work: &(dyn Fn(usize) -> T + Sync),
    ) -> Vec<Option<T>> {
        if self.crew_is_free && self.run.crew().is_some() {
            return self.run.share(mark, count, work);
        }
        parallel::map(count, &|piece| (piece == 0 || !self.is_over()).then(|| work(piece)))
    }

    /// Whether any caller learned that the time is up.
    #[inline(always)]
    pub fn rang(&self) -> bool {
        self.rang.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn it_rings_only_when_asked_after_the_end() {
        let cancel = Arc::new(AtomicBool::new(false));
        let run = Run::new(1).with_cancel(cancel.clone());
        let clock = Clock::new(&run);
        assert!(!clock.is_over());
        cancel.store(true, Ordering::Relaxed);
        assert!(!clock.rang());
        assert!(clock.is_over() && clock.rang());
    }
}
