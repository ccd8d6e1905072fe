//! Which ranks are worth a turn.

use std::collections::VecDeque;

use crate::problem::Problem;

/// Ranks that are worth a try, first in, first out; each is in the queue at most once.
pub(super) struct WorkQueue {
    ranks: VecDeque<u32>,
    waits: Vec<bool>,
}

impl WorkQueue {
    pub(super) fn new(ranks: usize) -> Self {
        WorkQueue { ranks: VecDeque::with_capacity(ranks), waits: vec![false; ranks] }
    }

    /// All ranks with partners: without partners, all places are equally good.
    pub(super) fn fill(&mut self, problem: &Problem) {
        for rank in 0..problem.num_ranks() as u32 {
            if !problem.graph().partners(rank).is_empty() {
                self.push(rank);
            }
        }
    }

    /// Adds a rank; phantoms have no turn.
    #[inline]
    pub(super) fn push(&mut self, rank: u32) {
        if let Some(waits) = self.waits.get_mut(rank as usize)
            && !*waits
        {
            *waits = true;
            self.ranks.push_back(rank);
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        let rank = self.ranks.pop_front()?;
        self.waits[rank as usize] = false;
        Some(rank)
    }
}
