//! The time limit of a run, for work that runs in parallel.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::pace::Pace;
use crate::run::Run;

/// Says whether the time is up, and remembers that it did.
pub struct Clock<'a> {
    run: &'a Run,
    rang: AtomicBool,
}

impl<'a> Clock<'a> {
    pub fn new(run: &'a Run) -> Clock<'a> {
        Clock { run, rang: AtomicBool::new(false) }
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
