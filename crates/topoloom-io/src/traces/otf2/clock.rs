//! How long a rank computes: the time outside MPI calls.

use crate::text::error::ReadError;
use crate::traces::otf2::bytes::Bytes;

/// Adds up the computing time of one location until it is taken.
pub struct Clock {
    ticks_per_second: u64,
    /// Since when the rank computes; none before its first event.
    since: Option<u64>,
    /// How many nested calls it is in.
    depth: u32,
    /// The ticks that have not been taken yet.
    ticks: u64,
}

impl Clock {
    pub fn new(ticks_per_second: u64) -> Clock {
        Clock { ticks_per_second, since: None, depth: 0, ticks: 0 }
    }

    /// Whether the rank is in a call.
    pub fn in_call(&self) -> bool {
        self.depth > 0
    }

    /// Something happens. Outside calls, the time up to then was spent computing.
    pub fn moment(&mut self, time: u64) {
        let since = *self.since.get_or_insert(time);
        if self.depth == 0 {
            // Clocks that go backwards are not a reason to reject a trace.
            self.ticks = self.ticks.saturating_add(time.saturating_sub(since));
            self.since = Some(time);
        }
    }

    pub fn enter(&mut self, time: u64) {
        self.moment(time);
        self.depth = self.depth.saturating_add(1);
    }

    pub fn leave(&mut self, time: u64) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.since = Some(time);
        }
    }

    /// The recorder flushed its buffer from `time` until the time in `content`.
    pub fn flushed(&mut self, time: u64, content: &mut Bytes<'_>) -> Result<(), ReadError> {
        self.moment(time);
        let stop = content.full_64()?;
        if self.depth == 0 {
            self.since = Some(stop.max(time));
        }
        Ok(())
    }

    /// The nanoseconds of computing since the last call of this function.
    pub fn take(&mut self) -> u64 {
        let second = u128::from(self.ticks_per_second);
        let nanoseconds =
            (u128::from(std::mem::take(&mut self.ticks)) * 1_000_000_000 + second / 2) / second;
        u64::try_from(nanoseconds).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_outside_of_calls_counts() {
        // 2 ticks are a nanosecond.
        let mut clock = Clock::new(2_000_000_000);
        clock.moment(100);
        clock.enter(110);
        clock.enter(120);
        clock.leave(130);
        clock.moment(135);
        clock.leave(140);
        clock.moment(146);
        assert_eq!(clock.take(), (10 + 6) / 2);
        clock.moment(149);
        assert_eq!((clock.take(), clock.take()), (2, 0));
    }
}
