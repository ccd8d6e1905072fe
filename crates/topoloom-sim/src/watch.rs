//! Whether a simulation goes on. Its caller may end it, and the engines ask now and then.

use std::cell::Cell;

/// Steps between two questions: some milliseconds of work.
const STEPS: u32 = 1 << 14;

/// Asks whether to stop, once in many steps. Once the answer is yes, it stays yes.
pub(crate) struct Watch<'a> {
    must_stop: &'a dyn Fn(u64) -> bool,
    delivered: Cell<u64>,
    left: Cell<u32>,
    is_over: Cell<bool>,
}

impl<'a> Watch<'a> {
    /// Asks `must_stop`, for the first time at the first step, with the number of messages that have
    /// arrived.
    pub fn new(must_stop: &'a dyn Fn(u64) -> bool) -> Watch<'a> {
        let (delivered, left, is_over) = (Cell::new(0), Cell::new(0), Cell::new(false));
        Watch { must_stop, delivered, left, is_over }
    }

    /// Counts a message that has arrived.
    #[inline]
    pub fn arrived(&self) {
        self.delivered.set(self.delivered.get() + 1);
    }

    /// Counts `steps` of work. Returns whether the simulation must end.
    #[inline]
    pub fn ends_after(&self, steps: usize) -> bool {
        match self.left.get().checked_sub(u32::try_from(steps).unwrap_or(u32::MAX)) {
            Some(left) if left > 0 => self.left.set(left),
            _ => self.look(),
        }
        self.is_over.get()
    }

    /// Whether the simulation must end, according to the last answer.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over.get()
    }

    #[cold]
    fn look(&self) {
        self.left.set(STEPS);
        if !self.is_over.get() {
            self.is_over.set((self.must_stop)(self.delivered.get()));
        }
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("is_over", &self.is_over).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_asks_once_in_many_steps_and_never_goes_on() {
        let asked = Cell::new(0);
        let must_stop = |_| {
            asked.set(asked.get() + 1);
            asked.get() == 2
        };
        let watch = Watch::new(&must_stop);
        let steps = (0..10 * STEPS).take_while(|_| !watch.ends_after(1)).count();
        assert_eq!(steps, STEPS as usize);
        assert!(watch.ends_after(1_000_000) && watch.is_over());
        assert_eq!(asked.get(), 2);
    }

    #[test]
    fn a_long_stretch_counts_as_many_steps() {
        let asked = Cell::new(0);
        let must_stop = |_| {
            asked.set(asked.get() + 1);
            false
        };
        let watch = Watch::new(&must_stop);
        (0..5).for_each(|_| assert!(!watch.ends_after(usize::MAX)));
        assert_eq!(asked.get(), 5);
    }
}
