//! Which thread may touch the recorder of this process, and from when on there is a recorder.
//!
//! This is the only lock, and the only protocol without a lock: a thread that sees that there is a
//! recorder also sees everything that was written to make it.

#[cfg(not(loom))]
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

#[cfg(loom)]
use loom::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Nobody has begun to record.
pub const NOT_YET: u8 = 0;
/// Nothing is recorded, or recording has ended.
pub const OFF: u8 = 1;

pub struct Gate {
    mode: AtomicU8,
    starting: AtomicBool,
    locked: AtomicBool,
}

impl Gate {
    #[cfg(not(loom))]
    pub const fn new() -> Gate {
        let (starting, locked) = (AtomicBool::new(false), AtomicBool::new(false));
        Gate { mode: AtomicU8::new(NOT_YET), starting, locked }
    }

    #[cfg(loom)]
    pub fn new() -> Gate {
        let (starting, locked) = (AtomicBool::new(false), AtomicBool::new(false));
        Gate { mode: AtomicU8::new(NOT_YET), starting, locked }
    }

    /// What is recorded. If anything is, then what [`Gate::start`] made is there.
    #[inline]
    pub fn mode(&self) -> u8 {
        self.mode.load(Ordering::Acquire)
    }

    /// Lets one caller make the recorder and say what is recorded. Others go on meanwhile.
    pub fn start(&self, make: impl FnOnce() -> u8) {
        if !self.starting.swap(true, Ordering::AcqRel) && self.mode() == NOT_YET {
            self.mode.store(make(), Ordering::Release);
        }
    }

    /// Nothing is recorded from now on. The holder of the lock calls this.
    pub fn close(&self) {
        self.mode.store(OFF, Ordering::Release);
    }

    pub fn lock(&self) {
        let mut tries = 0;
        let try_once =
            || self.locked.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed);
        while try_once().is_err() {
            tries += 1;
            wait(tries);
        }
    }

    pub fn unlock(&self) {
        self.locked.store(false, Ordering::Release);
    }
}

#[cfg(not(loom))]
fn wait(tries: u32) {
    if tries.is_multiple_of(64) {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}

#[cfg(loom)]
fn wait(_: u32) {
    loom::thread::yield_now();
}

/// Tries every order in which two threads can take these steps: `RUSTFLAGS="--cfg loom" cargo test
/// -p topoloom-recorder --example preload gate`.
#[cfg(all(test, loom))]
mod tests {
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    use super::*;

    const ON: u8 = 2;

    struct Shared {
        gate: Gate,
        recorder: UnsafeCell<u32>,
    }

    // As in recorder.rs: written before the mode says so, and then under the lock.
    unsafe impl Sync for Shared {}
    unsafe impl Send for Shared {}

    impl Shared {
        fn new() -> Arc<Shared> {
            Arc::new(Shared { gate: Gate::new(), recorder: UnsafeCell::new(0) })
        }

        fn start(&self) {
            self.gate.start(|| {
                self.recorder.with_mut(|number| unsafe { *number = 100 });
                ON
            });
        }

        /// Counts if there is a recorder, and says whether there is one.
        fn count(&self) -> bool {
            if self.gate.mode() != ON {
                return false;
            }
            self.gate.lock();
            self.recorder.with_mut(|number| unsafe { *number += 1 });
            self.gate.unlock();
            true
        }
    }

    #[test]
    fn one_thread_makes_the_recorder_and_all_count_in_it_one_at_a_time() {
        loom::model(|| {
            let shared = Shared::new();
            let other = shared.clone();
            let thread = thread::spawn(move || {
                other.start();
                u32::from(other.count())
            });
            shared.start();
            let counted = u32::from(shared.count()) + thread.join().unwrap();
            // A thread that came second while the first was at work goes on without recording.
            assert!(counted >= 1);
            let found = shared.recorder.with(|number| unsafe { *number });
            assert_eq!(found, 100 + counted);
        });
    }

    #[test]
    fn whoever_ends_recording_is_alone_with_the_recorder() {
        loom::model(|| {
            let shared = Shared::new();
            shared.start();
            let other = shared.clone();
            let thread = thread::spawn(move || other.count());
            shared.gate.lock();
            shared.recorder.with_mut(|number| unsafe { *number += 10 });
            shared.gate.close();
            shared.gate.unlock();
            let counted = thread.join().unwrap();
            assert!(!shared.count());
            let found = shared.recorder.with(|number| unsafe { *number });
            assert_eq!(found, 110 + u32::from(counted));
        });
    }
}
