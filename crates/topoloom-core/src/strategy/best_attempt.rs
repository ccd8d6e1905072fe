//! The best of several attempts that run in parallel, and what they used.

use crate::mapping::Mapping;
use crate::run::Run;

/// One attempt, or the best of some.
pub(super) struct BestAttempt {
    cost: f64,
    attempt: u64,
    pub mapping: Mapping,
    evaluations: u64,
    cut_short: bool,
}

impl BestAttempt {
    /// An attempt that found `mapping`, at this cost, in `part` of the run.
    pub fn new(attempt: u64, mapping: Mapping, cost: f64, part: &Run) -> BestAttempt {
        let (evaluations, cut_short) = (part.evaluations(), part.was_cut_short());
        BestAttempt { cost, attempt, mapping, evaluations, cut_short }
    }

    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// The cheaper of two; among equals the earlier attempt, whichever finished first.
    pub fn join(self, other: BestAttempt) -> BestAttempt {
        let evaluations = self.evaluations + other.evaluations;
        let cut_short = self.cut_short || other.cut_short;
        let first = (self.cost, self.attempt) <= (other.cost, other.attempt);
        let best = if first { self } else { other };
        BestAttempt { evaluations, cut_short, ..best }
    }

    /// Adds the work of all attempts to the run.
    pub fn count_in(&self, run: &mut Run) {
        run.count(self.evaluations);
        if self.cut_short {
            run.cut_short();
        }
    }
}
