//! How long the office waits if there is nothing to do.

use std::time::Duration;

const SHORTEST: Duration = Duration::from_micros(50);
/// While nothing is under way, messages come this late at most.
const LONGEST: Duration = Duration::from_millis(2);
/// While something is under way, MPI makes progress only when it is called.
const LONGEST_UNDER_WAY: Duration = Duration::from_micros(200);
/// Rounds in which the office only lets other threads run.
const ROUNDS_AT_ONCE: usize = 20;
const ROUNDS_AT_ONCE_UNDER_WAY: usize = 2000;
/// Some libraries move only a part of a long message with each call. This many bytes are worth one
/// more round.
const BYTES_PER_ROUND: usize = 1024;

/// Rounds without anything to do: first many in a short time, then fewer and fewer.
#[derive(Default)]
pub struct Pause {
    rounds: usize,
    last: Duration,
}

impl Pause {
    /// Something happened.
    pub fn end(&mut self) {
        *self = Pause::default();
    }

    /// How long to wait before the next round; nothing if only other threads should run. Says how
    /// many bytes are under way, if anything is.
    pub fn next(&mut self, under_way: Option<usize>) -> Option<Duration> {
        let (at_once, longest) = match under_way {
            Some(bytes) => (ROUNDS_AT_ONCE_UNDER_WAY + bytes / BYTES_PER_ROUND, LONGEST_UNDER_WAY),
            None => (ROUNDS_AT_ONCE, LONGEST),
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

    fn waits(pause: &mut Pause, under_way: Option<usize>, rounds: usize) -> Vec<u128> {
        let waits = (0..rounds).filter_map(|_| pause.next(under_way));
        waits.map(|wait| wait.as_micros()).collect()
    }

    #[test]
    fn pauses_grow_to_two_milliseconds() {
        let mut pause = Pause::default();
        assert_eq!(waits(&mut pause, None, 28), [50, 100, 200, 400, 800, 1600, 2000, 2000]);
        pause.end();
        assert_eq!(waits(&mut pause, None, 21), [50]);
    }

    #[test]
    fn pauses_are_short_while_something_is_under_way() {
        let mut pause = Pause::default();
        assert_eq!(waits(&mut pause, Some(0), 2004), [50, 100, 200, 200]);
        assert_eq!(waits(&mut pause, None, 1), [400]);
        assert_eq!(waits(&mut pause, Some(0), 1), [200]);
        // One more round than before.
        assert_eq!(waits(&mut pause, Some(1024), 2), [200]);
    }
}
