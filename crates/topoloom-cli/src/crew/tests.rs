//! Crews of threads: the protocol without MPI.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use topoloom::core::crew::mark;
use topoloom::core::{Crew, Effort, Machine, Problem, Run, Weight, parse_pattern, parse_strategy};

use super::helper::Helper;
use super::leader::Leader;
use super::message::Message;
use super::post::Post;

/// Channels between threads that stand for processes.
struct Channels {
    rank: usize,
    to: Vec<Sender<(usize, Message)>>,
    inbox: Mutex<Receiver<(usize, Message)>>,
}

impl Post for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, message: &Message) {
        // A process that has ended needs no messages.
        let _ = self.to[to].send((self.rank, message.clone()));
    }

    fn pass_on(&self, message: &Message) {
        // A chain: the longest way there is.
        if self.rank + 1 < self.size() {
            self.send(self.rank + 1, message);
        }
    }

    fn receive(&self, limit: Duration) -> Option<(usize, Message)> {
        self.inbox.lock().unwrap().recv_timeout(limit).ok()
    }

    fn broadcast(&self, bytes: Option<Vec<u8>>) -> Arc<Vec<u8>> {
        Arc::new(bytes.unwrap_or_default())
    }

    fn shared_bytes(&self, bytes: Option<Vec<u8>>) -> &'static [u8] {
        bytes.unwrap_or_default().leak()
    }
}

/// Lets `size` processes do the same; returns what each of them has at the end.
fn together<T: Send>(size: usize, act: impl Fn(usize, Arc<dyn Crew>) -> T + Sync) -> Vec<T> {
    let (to, inboxes): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    let is_over = AtomicBool::new(false);
    let (act, is_over) = (&act, &is_over);
    thread::scope(|scope| {
        let mut members = Vec::new();
        for (rank, inbox) in inboxes.into_iter().enumerate() {
            let post = Arc::new(Channels { rank, to: to.clone(), inbox: Mutex::new(inbox) });
            members.push(scope.spawn(move || {
                let patience = Duration::from_millis(1);
                let (leader, helper) = (
                    Arc::new(Leader::new(post.clone(), 2)),
                    Arc::new(Helper::new(post.clone(), 2)),
                );
                let crew: Arc<dyn Crew> = if rank == 0 { leader.clone() } else { helper.clone() };
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        match post.receive(patience) {
                            Some((from, message)) if rank == 0 => leader.hear(from, message),
                            Some((_, message)) => {
                                if message.is_for_everybody() {
                                    post.pass_on(&message);
                                }
                                helper.hear(message);
                            }
                            None => {}
                        }
                    }
                });
                act(rank, crew)
            }));
        }
        let results = members.into_iter().map(|member| member.join().unwrap()).collect();
        is_over.store(true, Ordering::Relaxed);
        results
    })
}

#[test]
fn every_piece_is_done_once_and_all_get_all_results() {
    for size in [1, 2, 3, 8] {
        let done: Vec<AtomicUsize> = (0..60).map(|_| AtomicUsize::new(0)).collect();
        let all = together(size, |rank, crew| {
            let mut sums = Vec::new();
            for section in 0..20usize {
                // A late process still gets the results.
                if rank > 0 && section % 7 == rank {
                    thread::sleep(Duration::from_millis(20));
                }
                let count = 3 * (section % 3 + 1);
                let work = |piece: usize| {
                    done[3 * section + piece % 3].fetch_add(1, Ordering::Relaxed);
                    vec![(section * 10 + piece) as u8]
                };
                let results = crew.share(section as u64, count, &work, &|| false);
                sums.push(results);
            }
            sums
        });
        for sums in &all {
            assert_eq!(sums, &all[0]);
            for (section, results) in sums.iter().enumerate() {
                let expected =
                    (0..results.len()).map(|piece| Some(vec![(section * 10 + piece) as u8]));
                assert!(results.iter().cloned().eq(expected));
            }
        }
        for (place, done) in done.iter().enumerate() {
            let times = place / 3 % 3 + 1;
            assert_eq!(done.load(Ordering::Relaxed), times, "{size} processes, {place}");
        }
    }
}

#[test]
fn the_first_piece_is_done_even_if_the_time_is_up() {
    let all = together(3, |_, crew| {
        crew.share(mark("late", []), 40, &|piece| vec![piece as u8], &|| {
            thread::sleep(Duration::from_millis(1));
            true
        })
    });
    for results in &all {
        assert_eq!(results[0], Some(vec![0]));
        assert_eq!(results, &all[0]);
    }
}

#[test]
fn searches_find_the_same_on_any_number_of_processes() {
    let cases = [
        ("random:ranks=60,degree=4", "torus:4x4x4", "auto", Effort::Fast, None),
        (
            "stencil:40x40",
            "tree:2:4:4,distances=1:10:100",
            "multilevel",
            Effort::Strong,
            Some(0.03),
        ),
    ];
    for (traffic, machine, strategy, effort, imbalance) in cases {
        let (traffic, machine) =
            (parse_pattern(traffic).unwrap(), Machine::parse(machine).unwrap());
        let problem = Problem::with_imbalance(traffic, machine, Weight::Bytes, imbalance).unwrap();
        let strategy = parse_strategy(strategy).unwrap();
        let mut alone = Run::new(7).with_effort(effort);
        let expected = strategy.map(&problem, None, &mut alone).unwrap();
        for size in [1, 2, 3, 8] {
            let found = together(size, |_, crew| {
                let mut run = Run::new(7).with_effort(effort).with_crew(crew);
                let mapping = strategy.map(&problem, None, &mut run).unwrap();
                (mapping, run.evaluations(), run.notes().to_vec())
            });
            for (mapping, evaluations, notes) in found {
                assert_eq!(mapping, expected);
                assert_eq!((evaluations, &notes[..]), (alone.evaluations(), alone.notes()));
            }
        }
    }
}
