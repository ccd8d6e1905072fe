//! Any number of blocks: divisions from scratch, combined if the work budget allows it.

use super::filling::fill;
use super::found::Found;
use super::initial::divide;
use super::levels::{Stage, relaxed};
use crate::crew::mark;
use crate::multilevel::blocks::BlockDistance;
use crate::multilevel::fm::Division;
use crate::multilevel::work::Work;
use crate::random::{self, Stream};

/// Coarsening contracts edges of parts that belong together. A graph that keeps more than this share
/// of its edges has none, as random graphs.
const WITHOUT_PARTS: f64 = 0.8;

impl<D: BlockDistance> Stage<'_, D> {
    /// Divides the graph: the block of each vertex. Several divisions from scratch are combined if
    /// the work budget allows it.
    pub fn divide(&self, work: &Work, seed: u64, path: &[u64]) -> Vec<u32> {
        if self.capacity.len() == 1 {
            return vec![0; self.graph.len()];
        }
        let found = self.best_division(work, seed, path);
        if found.overload > 0.0 {
            // Another process may have noticed the end first.
            self.clock.is_over();
        }
        self.fitting(found.block_of)
    }

    fn best_division(&self, work: &Work, seed: u64, path: &[u64]) -> Found {
        let repetitions = work.repetitions.max(1) as u64;
        let once = |repetition: u64| {
            let path: Vec<u64> = path.iter().copied().chain([repetition]).collect();
            self.divide_once(work, repetition > 0, &mut random::stream(seed, &path))
        };
        if repetitions == 1 {
            return self.judge(once(0).expect("the first division is always made"));
        }
        let path: Vec<u64> = path.iter().copied().chain([repetitions]).collect();
        let mark = mark("divisions", [seed].iter().chain(&path).copied());
        let divisions = self.clock.share(mark, repetitions as usize, &|repetition| {
            once(repetition as u64).map(|division| self.judge(division))
        });
        let divisions: Vec<Found> = divisions.into_iter().flatten().flatten().collect();
        if divisions.is_empty() {
            return self.judge(fill(self.graph, self.capacity));
        }
        self.combined(divisions, work, seed, &path)
    }

    /// All divisions combined into one, in rounds: neighbours by cost first, then what came out of
    /// them. Pairs are independent of each other, so all threads have work, and good divisions do not
    /// all become alike at once.
    fn combined(&self, mut divisions: Vec<Found>, work: &Work, seed: u64, path: &[u64]) -> Found {
        for round in 0u64.. {
            // The sort is stable: among equals the first one counts, whatever the number of threads.
            divisions.sort_by(|a, b| a.rank().partial_cmp(&b.rank()).expect("costs are numbers"));
            if divisions.len() == 1 || self.clock.is_over() {
                break;
            }
            let joined = |pair: usize| {
                let [better, other] = divisions.get(2 * pair..2 * pair + 2)? else { return None };
                let path: Vec<u64> = path.iter().copied().chain([round, pair as u64]).collect();
                let mut rng = random::stream(seed, &path);
                let child =
                    (!self.clock.is_over()).then(|| self.combine(better, other, work, &mut rng))?;
                (child.rank() < better.rank()).then_some(child)
            };
            let costs = divisions.iter().map(|division| division.cost.to_bits());
            let mark = mark("pairs of divisions", costs.chain([seed, round]));
            let children = self.clock.share(mark, divisions.len().div_ceil(2), &joined);
            let better = divisions.into_iter().step_by(2);
            let child =
                |(better, child): (Found, Option<Option<Found>>)| child.flatten().unwrap_or(better);
            divisions = better.zip(children).map(child).collect();
        }
        divisions.swap_remove(0)
    }

    /// One division from scratch; none if it `must_promise` something and the graph has no parts
    /// that belong together: then all divisions cut nearly the same.
    pub(super) fn divide_once(
        &self,
        work: &Work,
        must_promise: bool,
        rng: &mut Stream,
    ) -> Option<Vec<u32>> {
        if self.clock.is_over() {
            return Some(fill(self.graph, self.capacity));
        }
        let levels = self.coarsen(None, rng);
        let (coarsest, bias) = self.at(&levels, levels.len());
        let whole = self.graph.total_weight();
        if must_promise && coarsest.total_weight() > WITHOUT_PARTS * whole {
            return None;
        }
        let capacity = relaxed(self.capacity, coarsest);
        let small = Stage { graph: coarsest, bias, ..*self };
        let mut best: Option<Found> = None;
        for _ in 0..work.divisions {
            if best.is_some() && self.clock.is_over() {
                break;
            }
            let first = divide(&small, work, rng);
            let mut division = Division::new(coarsest, self.distance, &capacity, bias, first);
            division.relieve(self.clock);
            division.improve(work.refinement.patience, self.clock, rng);
            let (overload, cost) = (division.overload(), division.cost());
            let found = Found { overload, cost, block_of: division.block_of };
            if best.as_ref().is_none_or(|best| found.rank() < best.rank()) {
                best = Some(found);
            }
        }
        let first = best.expect("at least one division").block_of;
        let block_of = self.refine(&levels, first, true, &work.refinement, rng);
        if work.cycles == 0 {
            return Some(block_of);
        }
        let mut found = self.judge(block_of);
        for _ in 0..work.cycles {
            if self.clock.is_over() {
                break;
            }
            let again = self.cycle(&found.block_of, &found.block_of, &work.refinement, rng);
            if again.rank() < found.rank() {
                found = again;
            }
        }
        Some(found.block_of)
    }

    /// Joins two divisions: no edge that either of them cuts is contracted. So each section of a
    /// boundary of one can replace the same section of the other.
    fn combine(&self, best: &Found, other: &Found, work: &Work, rng: &mut Stream) -> Found {
        let blocks = self.capacity.len() as u32;
        let both: Vec<u32> =
            best.block_of.iter().zip(&other.block_of).map(|(a, b)| a * blocks + b).collect();
        self.cycle(&best.block_of, &both, &work.refinement, rng)
    }
}
