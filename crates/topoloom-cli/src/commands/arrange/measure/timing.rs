//! How long something takes, timed until the result is precise enough.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use topoloom::arrange::Timings;

/// Shorter actions are timed several times in a row. So reading the clock, and other work of the
/// system, matters little.
const SHORTEST: Duration = Duration::from_millis(2);

/// When to stop.
pub struct Limits {
    /// Half of the confidence interval, as a fraction of the mean.
    pub precision: f64,
    /// The fewest and the most repetitions.
    pub repetitions: RangeInclusive<u32>,
    /// After this time there is no further repetition.
    pub time: Duration,
}

/// The result.
#[derive(Debug, Clone, Copy)]
pub struct Timed {
    /// The mean.
    pub seconds: f64,
    /// How many times it was timed; several runs in a row count once.
    pub repetitions: u32,
    /// Half of the 95 % confidence interval, as a fraction of the mean; `None` for a single
    /// repetition.
    pub relative_error: Option<f64>,
}

/// Times `action`, which has run before, so caches and memory are warm.
pub fn time_updates(limits: &Limits, mut action: impl FnMut()) -> Timed {
    let start = Instant::now();
    action();
    let mut runs = 1_u32;
    let mut timed = |runs: u32| {
        let start = Instant::now();
        (0..runs).for_each(|_| action());
        start.elapsed()
    };
    // Doubled until they take long enough together, because the first may be slow.
    while timed(runs) < SHORTEST && runs < 1 << 20 && start.elapsed() < limits.time {
        runs *= 2;
    }
    let mut timings = Timings::default();
    loop {
        // No action is that fast, but a division by zero must not happen.
        let seconds = timed(runs).as_secs_f64().max(1e-9);
        timings.add(seconds / f64::from(runs));
        let (count, error) = (timings.count(), timings.relative_error());
        let enough = count >= *limits.repetitions.start() && error <= limits.precision;
        if enough || count >= *limits.repetitions.end() || start.elapsed() >= limits.time {
            let relative_error = error.is_finite().then_some(error);
            return Timed { seconds: timings.mean(), repetitions: count, relative_error };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(precision: f64, time: Duration) -> Limits {
        Limits { precision, repetitions: 3..=7, time }
    }

    #[test]
    fn repetitions_are_at_least_the_fewest_and_at_most_the_most() {
        let long = Duration::from_secs(3600);
        assert_eq!(time_updates(&limits(1e9, long), || ()).repetitions, 3);
        let never = time_updates(&limits(0.0, long), || std::thread::sleep(SHORTEST));
        assert_eq!(never.repetitions, 7);
        assert!(never.relative_error.is_some());
    }

    #[test]
    fn without_time_it_is_timed_once() {
        let timed = time_updates(&limits(1e9, Duration::ZERO), || ());
        assert_eq!((timed.repetitions, timed.relative_error), (1, None));
        assert!(timed.seconds > 0.0);
    }
}
