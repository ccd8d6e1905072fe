//! The same search in rounds, for large problems. All threads look for exchanges in a placement
//! that does not change. Then the exchanges that still have a gain are made, one after the other.
//! The result is the same for any number of threads, one included.

use std::sync::Mutex;

use rayon::prelude::*;

use super::candidates::Candidates;
use super::judge::{Exchange, HopBytesJudge, Judge, Look, Reader};
use super::work_queue::WorkQueue;
use crate::problem::Problem;
use crate::refiner::surroundings::Surroundings;
use crate::run::Run;
use crate::topology::Metric;

/// From this many ranks on, a search takes seconds.
pub(super) const LEAST_RANKS: usize = 1 << 16;
/// A round has this share of all ranks: few of its exchanges meet what another one has changed.
const ROUNDS_OF_ALL: usize = 64;
/// Ranks that a thread takes at once.
const TAKEN_AT_ONCE: usize = 64;

/// What a thread needs to look for exchanges.
struct Scratch<'a> {
    candidates: Candidates<'a>,
    look: Look,
}

/// Looks for exchanges on all threads.
pub(super) struct Rounds<'a> {
    problem: &'a Problem,
    /// One for each thread.
    scratch: Vec<Mutex<Scratch<'a>>>,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(problem: &'a Problem, surroundings: &'a Surroundings) -> Rounds<'a> {
        let scratch = || Scratch {
            candidates: Candidates::new(problem, surroundings),
            look: Look::default(),
        };
        let threads = rayon::current_num_threads();
        Rounds { problem, scratch: (0..threads).map(|_| Mutex::new(scratch())).collect() }
    }

    /// Gives every rank in the queue a turn, like the search one by one; `false` if a limit stopped it.
    pub(super) fn exchange_until_no_gain<M: Metric>(
        &self,
        radius: u32,
        judge: &mut HopBytesJudge<'_, M>,
        queue: &mut WorkQueue,
        run: &mut Run,
    ) -> bool {
        let size = self.problem.num_ranks().div_ceil(ROUNDS_OF_ALL);
        let graph = self.problem.graph();
        loop {
            let round: Vec<u32> = std::iter::from_fn(|| queue.pop()).take(size).collect();
            if round.is_empty() {
                return true;
            }
            let found = self.found(&round, radius, judge, run);
            for (&a, (other, examined)) in round.iter().zip(found) {
                if let Some(b) = other {
                    if still_gains(judge, a, b) {
                        judge.swap(a, b);
                        for moved in [a, b] {
                            queue.push(moved);
                            graph.partners(moved).iter().for_each(|&partner| queue.push(partner));
                        }
                    } else {
                        // There may be another exchange. The first one of a round always has its gain,
                        // so this comes to an end.
                        queue.push(a);
                    }
                }
                let walked = examined * graph.num_partners(a) as u64;
                if !run.spend(examined) || !run.goes_on(walked) {
                    return false;
                }
            }
        }
    }

    /// For each rank of a round, an exchange with a gain, and how many were examined.
    fn found<M: Metric>(
        &self,
        round: &[u32],
        radius: u32,
        judge: &HopBytesJudge<'_, M>,
        run: &Run,
    ) -> Vec<(Option<u32>, u64)> {
        let state = judge.state();
        let found_by_some = |ranks: &[u32]| {
            let thread = rayon::current_thread_index().unwrap_or(0) % self.scratch.len();
            let mut scratch = self.scratch[thread].lock().expect("no thread panics");
            let Scratch { candidates, look } = &mut *scratch;
            let mut reader = Reader { state, look };
            let mut part = run.part().unreported();
            let mut found_by = |&a: &u32| candidates.first_gain(a, radius, &mut reader, &mut part);
            ranks.iter().map(&mut found_by).collect::<Vec<_>>()
        };
        round.par_chunks(TAKEN_AT_ONCE).flat_map_iter(found_by_some).collect()
    }
}

/// Whether an exchange has a gain in the placement as it is now.
fn still_gains<M: Metric>(judge: &mut HopBytesJudge<'_, M>, a: u32, b: u32) -> bool {
    let [node_a, node_b] = [a, b].map(|rank| judge.placement().node_of(rank));
    if node_a == node_b {
        return false;
    }
    judge.look(a);
    judge.aim(node_b);
    judge.gain(b).is_some()
}
