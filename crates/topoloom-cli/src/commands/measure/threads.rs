//! Messages between two threads that are bound to places of this node.

use std::hint::spin_loop;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, anyhow};

/// Rounds whose time does not count.
const ROUNDS_BEFORE: u64 = 100;

/// A place for a message and the number of the last message put there, which has its own cache
/// line.
struct Mailbox {
    last: Aligned,
    words: Vec<AtomicU64>,
}

#[repr(align(128))]
struct Aligned(AtomicU64);

impl Mailbox {
    fn new(words: usize) -> Mailbox {
        let words = (0..words).map(|_| AtomicU64::new(0)).collect();
        Mailbox { last: Aligned(AtomicU64::new(0)), words }
    }

    fn put(&self, number: u64, message: &[u64]) {
        for (word, &value) in self.words.iter().zip(message) {
            word.store(value, Ordering::Relaxed);
        }
        self.last.0.store(number, Ordering::Release);
    }

    fn take(&self, number: u64, message: &mut [u64]) {
        let mut looks = 0_u32;
        while self.last.0.load(Ordering::Acquire) != number {
            looks = looks.wrapping_add(1);
            // The other thread may have to get the core first, if the system is busy.
            if looks.is_multiple_of(4096) { thread::yield_now() } else { spin_loop() }
        }
        for (value, word) in message.iter_mut().zip(&self.words) {
            *value = word.load(Ordering::Relaxed);
        }
    }
}

const NO_THREAD: &str = "measuring needs two threads, and one of them cannot be started";

/// How long a message of this many bytes takes from one set of CPUs to another: half of the median
/// round trip.
pub fn one_way_nanoseconds(cpus: [&[u32]; 2], bytes: usize, rounds: usize) -> anyhow::Result<u64> {
    let words = bytes.div_ceil(8);
    let boxes = [Mailbox::new(words), Mailbox::new(words)];
    let bound = Barrier::new(2);
    let last = ROUNDS_BEFORE + rounds as u64;
    let answer = |pinned: anyhow::Result<()>, failed: &AtomicU64| {
        failed.fetch_add(u64::from(pinned.is_err()), Ordering::AcqRel);
        bound.wait();
        pinned.map(|()| failed.load(Ordering::Acquire) == 0)
    };
    let failed = AtomicU64::new(0);
    thread::scope(|scope| {
        let start = thread::Builder::new;
        let other = start().spawn_scoped(scope, || -> anyhow::Result<()> {
            let mut message = vec![0; words];
            if answer(pin(cpus[1]), &failed)? {
                for round in 1..=last {
                    boxes[0].take(round, &mut message);
                    boxes[1].put(round, &message);
                }
            }
            Ok(())
        });
        let other = other.context(NO_THREAD)?;
        // Not done in this thread, which must stay free to run anywhere afterwards.
        let one = start().spawn_scoped(scope, || -> anyhow::Result<Vec<u128>> {
            let mut message = vec![1; words];
            let mut times = Vec::with_capacity(rounds);
            if answer(pin(cpus[0]), &failed)? {
                for round in 1..=last {
                    let begin = Instant::now();
                    boxes[0].put(round, &message);
                    boxes[1].take(round, &mut message);
                    if round > ROUNDS_BEFORE {
                        times.push(begin.elapsed().as_nanos());
                    }
                }
            }
            Ok(times)
        });
        let one = one.map_err(|error| {
            // The other thread waits for this one.
            failed.fetch_add(1, Ordering::AcqRel);
            bound.wait();
            anyhow::Error::new(error).context(NO_THREAD)
        })?;
        let ended = |_| anyhow!("a measuring thread ended too early");
        other.join().map_err(ended)??;
        let mut times = one.join().map_err(ended)??;
        times.sort_unstable();
        let middle = times.get(times.len() / 2).context("there were no rounds to measure")?;
        Ok(u64::try_from(middle / 2).unwrap_or(u64::MAX).max(1))
    })
}

/// Binds this thread to some CPUs.
#[cfg(target_os = "linux")]
fn pin(cpus: &[u32]) -> anyhow::Result<()> {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    for &cpu in cpus {
        let cpu = Some(cpu as usize).filter(|&cpu| cpu < CpuSet::MAX_CPU);
        set.set(cpu.with_context(|| format!("cannot bind to CPUs beyond {}", CpuSet::MAX_CPU))?);
    }
    sched_setaffinity(None, &set).with_context(|| {
        let word = crate::output::numbers::noun(cpus.len(), "CPU");
        format!("cannot run on {word} {}", topoloom::io::cpu_list::write(cpus))
    })
}

#[cfg(not(target_os = "linux"))]
fn pin(_cpus: &[u32]) -> anyhow::Result<()> {
    Err(anyhow!("measuring on this node works only on Linux"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_pass_messages_wherever_they_are_bound() {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        let cpus = topoloom::io::cpu_list::parse(list).unwrap();
        let (first, last) = (&cpus[..1], &cpus[cpus.len() - 1..]);
        assert!(one_way_nanoseconds([first, last], 100, 5).unwrap() >= 1);
        let refused = one_way_nanoseconds([first, &[65_000]], 100, 5).unwrap_err().to_string();
        assert_eq!(refused, "cannot bind to CPUs beyond 1024");
    }
}
