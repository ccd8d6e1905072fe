//! How long the office waits if there is nothing to do.

use std::time::Duration;

const SHORTEST: Duration = Duration::from_micros(50);
/// While nothing is under way, messages come this late at most.
const LONGEST: Duration = Duration::from_millis(2);
/// While something is under way, MPI makes progress only when it is called.
const LONGEST_UNDER_WAY: Duration = Duration::from_micros(200);
/// Rounds in which the office only lets other threads run.
const ROUNDS_AT_ONCE: u32 = 20;
const ROUNDS_AT_ONCE_UNDER_WAY: u32 = 2000;

/// Rounds without anything to do: first many in a short time, then fewer and fewer.
#[derive(Default)]
pub struct Pause {
    rounds: u32,
    last: Duration,
}

impl Pause {
    /// Something happened.
    pub fn end(&mut self) {
        *self = Pause::default();
    }

    /// How long to wait before the next round; nothing if only other threads should run.
    pub fn next(&mut self, is_under_way: bool) -> Option<Duration> {
        let (at_once, longest) = match is_under_way {
            true => (ROUNDS_AT_ONCE_UNDER_WAY, LONGEST_UNDER_WAY),
            false => (ROUNDS_AT_ONCE, LONGEST),
        };
        if self.rounds < at_once {
            self.rounds += 1;
            return None;
        }
        self.last = (self.last * 2).clamp(SHORTEST, longest);
        Some(self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(pause: &mut Pause, is_under_way: bool, rounds: usize) -> Vec<u128> {
        let waits = (0..rounds).filter_map(|_| pause.next(is_under_way));
        waits.map(|wait| wait.as_micros()).collect()
    }

    #[test]
    fn pauses_grow_to_two_milliseconds() {
        let mut pause = Pause::default();
        assert_eq!(waits(&mut pause, false, 28), [50, 100, 200, 400, 800, 1600, 2000, 2000]);
        pause.end();
        assert_eq!(waits(&mut pause, false, 21), [50]);
    }

    #[test]
    fn pauses_are_short_while_something_is_under_way() {
        let mut pause = Pause::default();
        assert_eq!(waits(&mut pause, true, 2004), [50, 100, 200, 200]);
        assert_eq!(waits(&mut pause, false, 1), [400]);
        assert_eq!(waits(&mut pause, true, 1), [200]);
    }
}
