//! Evolutions of lists of numbers, which are quick: threads, processes, limits and saved states do
//! not change what is found.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::breeding::MEMBERS;
use super::{Breeding, Evolution, Fitness};
use crate::random;
use crate::run::Run;
use crate::{Checkpoint, Crew};

/// Numbers below 100, which should be small.
struct Numbers;

const COUNT: usize = 30;

impl Breeding for Numbers {
    fn founder(&self, run: &mut Run) -> Vec<u32> {
        let mut rng = random::stream(run.seed(), &[]);
        (0..COUNT).map(|_| random::below(&mut rng, 100)).collect()
    }

    fn child(&self, better: &[u32], other: &[u32], run: &mut Run) -> Vec<u32> {
        let mut rng = random::stream(run.seed(), &[]);
        let mut drawn = |a: u32, b: u32| if random::below(&mut rng, 4) == 0 { a.min(b) } else { a };
        better.iter().zip(other).map(|(&a, &b)| drawn(a, b)).collect()
    }

    fn mutant(&self, parent: &[u32], run: &mut Run) -> Vec<u32> {
        self.child(parent, &self.founder(run), run)
    }

    fn judge(&self, numbers: &[u32]) -> Option<Fitness> {
        let cost = numbers.iter().map(|&number| f64::from(number)).sum();
        (numbers.len() == COUNT).then_some(Fitness { overload: 0.0, cost })
    }

    fn difference(&self, a: &[u32], b: &[u32]) -> f64 {
        a.iter().zip(b).filter(|(a, b)| a != b).count() as f64
    }
}

fn evolved(generations: u64, mark: u64, run: &mut Run) -> Vec<u32> {
    let evolution = Evolution { breeding: &Numbers, generations, mark, enough: 0.0 };
    evolution.run(|_| vec![vec![50; COUNT]], run).unwrap()
}

fn cost(numbers: &[u32]) -> f64 {
    Numbers.judge(numbers).unwrap().cost
}

#[test]
fn more_generations_find_better_ones_and_the_first_is_never_lost() {
    let costs = [0, 1, 10, 60].map(|generations| cost(&evolved(generations, 1, &mut Run::new(3))));
    assert_eq!(costs[0], 1500.0);
    assert!(costs.is_sorted_by(|a, b| a >= b) && costs[3] < costs[1], "{costs:?}");
}

#[test]
fn any_number_of_islands_will_do() {
    let costs = [1, 3, 8, 40].map(|islands| {
        let found = evolved(30, 1, &mut Run::new(3).with_islands(islands));
        assert_eq!(found, evolved(30, 1, &mut Run::new(3).with_islands(islands)));
        cost(&found)
    });
    assert!(costs.iter().all(|&cost| cost < 1500.0) && costs[3] < costs[0], "{costs:?}");
}

#[test]
fn an_evolution_ends_where_nothing_is_left_to_gain() {
    let kept = Arc::new(Kept::default());
    let evolution = Evolution { breeding: &Numbers, generations: 9, mark: 1, enough: 1500.0 };
    let mut run = Run::new(3).with_checkpoint(kept.clone());
    assert_eq!(evolution.run(|_| vec![vec![50; COUNT]], &mut run), Some(vec![50; COUNT]));
    assert!(kept.states().is_empty() && !run.was_cut_short());
}

#[test]
fn threads_do_not_matter() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| evolved(30, 1, &mut Run::new(3)))
    };
    assert_eq!(on(1), on(2));
}

/// A crew of one process that does the pieces in an odd order and carries results as bytes.
#[derive(Default)]
struct Backwards {
    marks: Mutex<Vec<u64>>,
}

impl Crew for Backwards {
    fn share(
        &self,
        mark: u64,
        count: usize,
        work: &(dyn Fn(usize) -> Vec<u8> + Sync),
        _: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Option<Vec<u8>>> {
        self.marks.lock().unwrap().push(mark);
        let mut results = vec![None; count];
        for piece in (0..count).rev() {
            results[piece] = Some(work(piece));
        }
        results
    }

    fn size(&self) -> usize {
        3
    }
}

#[test]
fn a_crew_finds_the_same_and_shares_every_generation() {
    let crew = Arc::new(Backwards::default());
    let found = evolved(30, 1, &mut Run::new(3).with_crew(crew.clone()));
    assert_eq!(found, evolved(30, 1, &mut Run::new(3)));
    let mut marks = crew.marks.lock().unwrap().clone();
    assert_eq!(marks.len(), 30);
    marks.sort_unstable();
    marks.dedup();
    assert_eq!(marks.len(), 30, "no two generations have the same mark");
}

/// Keeps states in memory and cancels the run after some generations.
#[derive(Default)]
struct Kept {
    states: Mutex<Vec<(u64, Vec<u8>)>>,
    stop_after: Option<usize>,
    cancel: Arc<AtomicBool>,
}

impl Kept {
    fn states(&self) -> std::sync::MutexGuard<'_, Vec<(u64, Vec<u8>)>> {
        self.states.lock().unwrap()
    }
}

impl Checkpoint for Kept {
    fn load(&self, mark: u64) -> Option<Vec<u8>> {
        let states = self.states();
        states.iter().rev().find(|(known, _)| *known == mark).map(|(_, state)| state.clone())
    }

    fn save(&self, mark: u64, state: &dyn Fn() -> Vec<u8>) {
        let mut states = self.states();
        states.push((mark, state()));
        if Some(states.len()) == self.stop_after {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_stopped_evolution_gives_the_best_so_far_and_continues_as_if_it_had_not_stopped() {
    for stop_after in [1, MEMBERS, 20] {
        let stop_after_generations = stop_after as u64;
        let kept = Arc::new(Kept { stop_after: Some(stop_after), ..Kept::default() });
        let run = || Run::new(3).with_checkpoint(kept.clone());
        let mut stopped = run().with_cancel(kept.cancel.clone());
        let so_far = evolved(30, 1, &mut stopped);
        assert!(stopped.was_cut_short());
        assert_eq!(so_far, evolved(stop_after_generations, 1, &mut Run::new(3)));
        let mut continued = run();
        assert_eq!(evolved(30, 1, &mut continued), evolved(30, 1, &mut Run::new(3)));
        assert!(!continued.was_cut_short());
        assert_eq!(kept.states().len(), 30, "no generation is repeated");
        assert_eq!(evolved(40, 1, &mut run()), evolved(40, 1, &mut Run::new(3)), "a longer one");
    }
}

#[test]
fn a_state_that_does_not_fit_is_ignored() {
    let whole = evolved(12, 1, &mut Run::new(3));
    let kept = Arc::new(Kept::default());
    evolved(6, 2, &mut Run::new(4).with_checkpoint(kept.clone()));
    let again = || evolved(12, 1, &mut Run::new(3).with_checkpoint(kept.clone()));
    assert_eq!(again(), whole, "another mark");
    let good = kept.load(1).unwrap();
    let mut wrong_cost = good.clone();
    // Generation, number of islands, number of members, overload: 8 bytes each. Then the cost.
    wrong_cost[32] ^= 1;
    for bytes in [Vec::new(), good[..good.len() - 1].to_vec(), wrong_cost] {
        *kept.states() = vec![(1, bytes)];
        assert_eq!(again(), whole);
    }
}

#[test]
fn missing_pieces_mean_that_the_time_is_up() {
    let mut run = Run::new(3).with_time_limit(std::time::Duration::ZERO);
    assert_eq!(evolved(30, 1, &mut run), vec![50; COUNT]);
    assert!(run.was_cut_short());
}
