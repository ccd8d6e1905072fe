//! Whole evolutions: threads, processes, limits and saved states do not change what is found.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::objective::{HopBytes, Objective};
use crate::{
    Checkpoint, Crew, Effort, Machine, Mapping, Problem, Run, Weight, parse_pattern, parse_strategy,
};

/// Ranks that share slots.
fn shared() -> Problem {
    problem("random:ranks=400,degree=4", "tree:3:4,distances=1:10", Some(0.1))
}

/// One rank per slot, too many slots for a memetic search.
fn own_slots() -> Problem {
    problem("random:ranks=550,degree=3", "torus:24x24", None)
}

fn problem(traffic: &str, machine: &str, imbalance: Option<f64>) -> Problem {
    let (traffic, machine) = (parse_pattern(traffic).unwrap(), Machine::parse(machine).unwrap());
    Problem::with_imbalance(traffic, machine, Weight::Bytes, imbalance).unwrap()
}

fn extreme(generations: u64) -> Run {
    Run::new(7).with_effort(Effort::Extreme).with_generations(Some(generations))
}

fn multilevel(problem: &Problem, run: &mut Run) -> Mapping {
    parse_strategy("multilevel").unwrap().map(problem, None, run).unwrap()
}

fn auto(problem: &Problem, run: &mut Run) -> Mapping {
    parse_strategy("auto").unwrap().map(problem, None, run).unwrap()
}

#[test]
fn threads_do_not_matter_and_strong_is_never_better() {
    for machine in ["tree:3:4,distances=1:10", "torus:4x3", "mesh:6,slots=2"] {
        let problem = problem("random:ranks=300,degree=4", machine, Some(0.1));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| multilevel(&problem, &mut extreme(10)))
        };
        let evolved = on(1);
        assert_eq!(evolved, on(2));
        let strong = multilevel(&problem, &mut Run::new(7).with_effort(Effort::Strong));
        let cost = |mapping: &Mapping| HopBytes.cost(&problem, mapping);
        assert!(cost(&evolved) <= cost(&strong), "{machine}");
    }
}

/// A crew of one process that does the pieces in an odd order and carries results as bytes.
#[derive(Default)]
struct Backwards {
    rounds: AtomicUsize,
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
        self.rounds.fetch_add(1, Ordering::Relaxed);
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
    let problem = shared();
    let crew = Arc::new(Backwards::default());
    let found = multilevel(&problem, &mut extreme(9).with_crew(crew.clone()));
    assert_eq!(found, multilevel(&problem, &mut extreme(9)));
    assert!(crew.rounds.load(Ordering::Relaxed) >= 9);
    let mut marks = crew.marks.lock().unwrap().clone();
    let rounds = marks.len();
    marks.sort_unstable();
    marks.dedup();
    assert_eq!(marks.len(), rounds, "no two rounds have the same mark");
}

/// Keeps states in memory and cancels the run after some generations.
#[derive(Default)]
struct Kept {
    states: Mutex<Vec<(u64, Vec<u8>)>>,
    stop_after: usize,
    cancel: Arc<AtomicBool>,
}

impl Checkpoint for Kept {
    fn load(&self, mark: u64) -> Option<Vec<u8>> {
        let states = self.states.lock().unwrap();
        states.iter().rev().find(|(known, _)| *known == mark).map(|(_, state)| state.clone())
    }

    fn save(&self, mark: u64, state: &dyn Fn() -> Vec<u8>) {
        let mut states = self.states.lock().unwrap();
        states.push((mark, state()));
        if states.len() == self.stop_after {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

/// An evolution that is stopped and continued leads to the same as one that is not.
fn check_continuation(search: impl Fn(&mut Run) -> Mapping) {
    let whole = search(&mut extreme(9));
    for stop_after in [2, 7] {
        let kept = Arc::new(Kept { stop_after, ..Kept::default() });
        let mut stopped = extreme(9).with_checkpoint(kept.clone()).with_cancel(kept.cancel.clone());
        search(&mut stopped);
        assert!(stopped.was_cut_short());
        assert_eq!(kept.states.lock().unwrap().len(), stop_after);
        let continued = search(&mut extreme(9).with_checkpoint(kept.clone()));
        assert_eq!(continued, whole);
        let generations = kept.states.lock().unwrap().len();
        assert_eq!(generations, 9, "none is repeated");
    }
}

#[test]
fn a_saved_state_leads_to_the_same_end_if_ranks_share_slots() {
    let problem = shared();
    check_continuation(|run| multilevel(&problem, run));
    check_continuation(|run| auto(&problem, run));
}

#[test]
fn a_saved_state_leads_to_the_same_end_if_each_rank_has_its_own_slot() {
    let problem = own_slots();
    check_continuation(|run| auto(&problem, run));
}

#[test]
fn one_rank_per_slot_evolves_the_same_in_a_crew_and_is_not_worse_than_strong() {
    let small = problem("random:ranks=30,degree=4", "torus:4x4,slots=2", None);
    for problem in [own_slots(), small] {
        let evolved = auto(&problem, &mut extreme(6));
        let crew = Arc::new(Backwards::default());
        assert_eq!(evolved, auto(&problem, &mut extreme(6).with_crew(crew)));
        let strong = auto(&problem, &mut Run::new(7).with_effort(Effort::Strong));
        let cost = |mapping: &Mapping| HopBytes.cost(&problem, mapping);
        assert!(cost(&evolved) <= cost(&strong));
    }
}

#[test]
fn a_state_of_another_problem_or_a_broken_one_is_ignored() {
    let problem = shared();
    let whole = multilevel(&problem, &mut extreme(6));
    let kept = Arc::new(Kept::default());
    let mut other = Run::new(8).with_effort(Effort::Extreme).with_generations(Some(3));
    other = other.with_checkpoint(kept.clone());
    multilevel(&problem, &mut other);
    let from = |kept: Arc<Kept>| multilevel(&problem, &mut extreme(6).with_checkpoint(kept));
    assert_eq!(from(kept.clone()), whole, "another seed");
    for (_, state) in kept.states.lock().unwrap().iter_mut() {
        let last = state.len() - 1;
        state[last] ^= 1;
        state[last / 2] ^= 1;
    }
    assert_eq!(from(kept), whole, "changed bytes");
}

#[test]
fn a_longer_evolution_continues_a_shorter_one() {
    let problem = shared();
    let kept = Arc::new(Kept::default());
    multilevel(&problem, &mut extreme(5).with_checkpoint(kept.clone()));
    let continued = multilevel(&problem, &mut extreme(8).with_checkpoint(kept));
    assert_eq!(continued, multilevel(&problem, &mut extreme(8)));
}

#[test]
fn a_cancelled_evolution_gives_the_best_so_far_and_says_so() {
    let problem = shared();
    let kept = Arc::new(Kept { stop_after: 6, ..Kept::default() });
    let mut run = extreme(1000).with_checkpoint(kept.clone()).with_cancel(kept.cancel.clone());
    let cut = multilevel(&problem, &mut run);
    assert!(run.was_cut_short());
    assert_eq!(cut, multilevel(&problem, &mut extreme(6)));
    let mut run = extreme(1000).with_time_limit(std::time::Duration::ZERO);
    multilevel(&problem, &mut run);
    assert!(run.was_cut_short());
}
