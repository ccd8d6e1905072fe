//! How often to check the clock.

use std::time::{Duration, Instant};

/// Work between two checks of the clock may take this long.
const LONGEST: Duration = Duration::from_millis(4);

/// Work that takes less than this is too little for a check.
const SHORTEST: Duration = Duration::from_millis(1);

/// The maximum work between two checks.
const MOST_WORK: u64 = 1 << 13;

/// Counts work, in edges or other units, and says when to check the clock. The time per unit of
/// work is measured during the search: an exchange of a rank with 100,000 partners takes as long as
/// 10,000 others do. The result of a search does not depend on it.
#[derive(Debug, Clone, Default)]
pub struct Pace {
    since_look: u64,
    interval: u64,
    last_look: Option<Instant>,
}

impl Pace {
    /// Counts `work`; returns whether it is time to check the clock.
    #[inline(always)]
    pub fn is_due(&mut self, work: usize) -> bool {
        self.since_look += work as u64;
        self.since_look >= self.interval && self.look()
    }

    #[cold]
    fn look(&mut self) -> bool {
        let now = Instant::now();
        match self.last_look.map(|last| now - last) {
            Some(took) if took > LONGEST => {
                let share = LONGEST.as_secs_f64() / took.as_secs_f64();
                self.interval = ((self.interval as f64 * share) as u64).max(1);
            }
            Some(took) if took < SHORTEST => self.interval = (2 * self.interval).min(MOST_WORK),
            Some(_) => {}
            None => self.interval = 1,
        }
        self.since_look = 0;
        self.last_look = Some(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_piece_of_work_gets_a_look_and_little_work_after_it_none() {
        let mut pace = Pace { interval: 100, ..Pace::default() };
        assert!(!pace.is_due(99));
        assert!(pace.is_due(1));
        assert!(Pace::default().is_due(1));
    }

    #[test]
    fn work_that_takes_long_gets_more_looks() {
        let long_ago = Instant::now().checked_sub(Duration::from_secs(1));
        let mut pace = Pace { since_look: 0, interval: 1000, last_look: long_ago };
        assert!(pace.is_due(1000));
        assert!(pace.interval < 10, "{pace:?}");
    }
}
