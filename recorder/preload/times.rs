//! Time in calls, by call and partner.
//!
//! Only the library's function is timed, not what the recorder does around it. A call that is made
//! while another one is timed belongs to that one: libraries call their own functions by the names
//! that programs use.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::clock::ticks;
use crate::form::Form;
use crate::layout::{HEADER_BYTES, RECORD_BYTES, header, partner, record};
use crate::recorder::{Map, Recorder, has_threads, is_busy, library, with};
use crate::totals::NO_RECORD;

/// Whether calls are timed. If they are not, only this is read.
static ON: AtomicBool = AtomicBool::new(false);
/// Whether a call is being timed, if one thread calls at a time.
static TIMING: AtomicBool = AtomicBool::new(false);

thread_local! {
    static TIMING_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Calls are timed from now on, or no longer.
pub fn switch(on: bool) {
    ON.store(on, Ordering::Release);
}

/// Whether calls are timed, and whether this one is not part of another.
#[inline]
pub fn timing() -> bool {
    ON.load(Ordering::Relaxed) && is_outermost()
}

fn is_outermost() -> bool {
    let inside = if has_threads() { TIMING_HERE.get() } else { TIMING.load(Ordering::Relaxed) };
    !inside && !is_busy()
}

fn mark(inside: bool) {
    if has_threads() {
        TIMING_HERE.set(inside);
    } else {
        TIMING.store(inside, Ordering::Relaxed);
    }
}

/// A function whose time is kept under a name.
pub struct Timed {
    /// The name by which it is called in C, in the profiling interface or in Fortran.
    symbol: &'static str,
    /// The number of its name in this process.
    number: AtomicU32,
}

const NO_NUMBER: u32 = u32::MAX;

impl Timed {
    pub const fn new(symbol: &'static str) -> Timed {
        Timed { symbol, number: AtomicU32::new(NO_NUMBER) }
    }
}

/// The name of a function in C: that of `mpi_send_` and `PMPI_Send` is `MPI_Send`.
fn name_in_c(symbol: &str) -> String {
    let Some(rest) = symbol.strip_prefix("mpi_") else {
        return symbol.strip_prefix('P').unwrap_or(symbol).to_string();
    };
    let rest = rest.trim_end_matches('_');
    let (first, others) = rest.split_at(rest.len().min(1));
    format!("MPI_{}{others}", first.to_ascii_uppercase())
}

/// The partner of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partner {
    NotTold,
    Everybody,
    File,
    /// A rank of the communicator with this handle.
    Rank {
        comm: usize,
        rank: i32,
    },
    /// A rank of the window with this handle.
    Target {
        window: usize,
        rank: i32,
    },
}

impl Partner {
    /// The rank that a message was sent to, or is to come from: nobody if anybody may send it.
    pub fn rank<F: Form>(rank: usize, comm: usize) -> Partner {
        Partner::Rank { comm: F::comm(comm), rank: F::int(rank) }
    }

    pub fn target<F: Form>(rank: usize, window: usize) -> Partner {
        Partner::Target { window: F::window(window), rank: F::int(rank) }
    }

    /// The rank that a message came from, after a call with this result.
    pub fn source<F: Form>(source: usize, comm: usize, status: usize, result: i32) -> Partner {
        let comm = F::comm(comm);
        match F::int(source) {
            rank if rank != library().any_source => Partner::Rank { comm, rank },
            _ if result == 0 && !F::ignores_status(status) => {
                let (rank, _) = unsafe { library().source_and_tag(status, 0) };
                Partner::Rank { comm, rank }
            }
            _ => Partner::NotTold,
        }
    }

    /// If there is a message each way, the receive is the one that is waited for.
    pub fn either<F: Form>(
        [destination, source]: [usize; 2],
        comm: usize,
        status: usize,
        result: i32,
    ) -> Partner {
        match F::int(source) == library().proc_null {
            true => Partner::rank::<F>(destination, comm),
            false => Partner::source::<F>(source, comm, status, result),
        }
    }

    /// What distinguishes it from other partners of the same call.
    #[inline]
    fn key(self) -> (usize, i32) {
        match self {
            Partner::Rank { comm: handle, rank } | Partner::Target { window: handle, rank } => {
                (handle, rank)
            }
            _ => (usize::MAX, 0),
        }
    }
}

/// Calls a function of the library, and adds the time in it to that of the call and its partner.
/// `partner` is asked afterwards, with the result.
#[inline(always)]
pub fn timed(call: &Timed, partner: impl Fn(i32) -> Partner, real: impl Fn() -> i32) -> i32 {
    timed_once(call, &partner, &real)
}

/// Compiled once, not for each of several hundred functions.
#[inline(never)]
fn timed_once(call: &Timed, partner: &dyn Fn(i32) -> Partner, real: &dyn Fn() -> i32) -> i32 {
    if !timing() {
        return real();
    }
    mark(true);
    let entered = ticks();
    let result = real();
    let left = ticks();
    mark(false);
    // The call may have ended recording: then there is no recorder to add to.
    if ON.load(Ordering::Relaxed) {
        let partner = partner(result);
        with(|recorder| recorder.add_time(call, partner, entered, left));
    }
    result
}

/// What is known about times.
#[derive(Default)]
pub struct Times {
    /// Names of calls by their numbers, each with the partner that it had last and its record.
    calls: Vec<CallTimes>,
    /// Records by call and peer.
    records: Map<u64, u32>,
    /// The counter at which the clock is read next.
    next_look: u64,
    /// How many ticks there are between that reading and the one after it.
    until_next: u64,
}

struct CallTimes {
    name: String,
    last: Option<((usize, i32), u32)>,
}

/// A process that is killed has no last reading of the clock, so the clock is read again and again:
/// soon at first, since the process may not live long, then after twice as many ticks each time,
/// until there is about a tenth of a second between two readings.
const FEWEST_TICKS_BETWEEN_LOOKS: u64 = 1 << 14;
const MOST_TICKS_BETWEEN_LOOKS: u64 = 1 << 28;

impl Recorder {
    #[inline]
    fn add_time(&mut self, call: &Timed, partner: Partner, entered: u64, left: u64) {
        let number = match call.number.load(Ordering::Relaxed) {
            NO_NUMBER => self.number_of(call),
            number => number,
        };
        let record = match self.times.calls[number as usize].last {
            Some((key, record)) if key == partner.key() => record,
            _ => self.time_record(number, partner),
        };
        if record != NO_RECORD {
            let place = HEADER_BYTES / 8 + record as usize * (RECORD_BYTES / 8);
            *self.totals.number(place + 1) += 1;
            *self.totals.number(place + 2) += left.saturating_sub(entered);
        }
        *self.totals.number(header::LAST_EXIT) = left;
        if left >= self.times.next_look {
            self.look_at_the_clock(left);
        }
    }

    #[cold]
    fn look_at_the_clock(&mut self, now: u64) {
        let wait = self.times.until_next;
        let wait = wait.clamp(FEWEST_TICKS_BETWEEN_LOOKS, MOST_TICKS_BETWEEN_LOOKS);
        self.times.next_look = now.saturating_add(wait);
        self.times.until_next = 2 * wait;
        self.note_time();
    }

    #[cold]
    fn number_of(&mut self, call: &Timed) -> u32 {
        let name = name_in_c(call.symbol);
        let known = self.times.calls.iter().position(|of| of.name == name);
        let number = known.unwrap_or_else(|| {
            self.append_name(self.times.calls.len(), &name);
            self.times.calls.push(CallTimes { name, last: None });
            self.times.calls.len() - 1
        }) as u32;
        call.number.store(number, Ordering::Relaxed);
        number
    }

    fn append_name(&mut self, number: usize, name: &str) {
        let mut bytes = [0_u8; 2 * RECORD_BYTES];
        let first = record::CALL | (number as u64) << 8 | (name.len() as u64) << 32;
        bytes[..8].copy_from_slice(&first.to_ne_bytes());
        let room = bytes.len() - 8;
        let length = name.len().min(room);
        bytes[8..8 + length].copy_from_slice(&name.as_bytes()[..length]);
        let records = (8 + length).div_ceil(RECORD_BYTES);
        for words in bytes.chunks_exact(RECORD_BYTES).take(records) {
            let word = |place: usize| {
                u64::from_ne_bytes(words[8 * place..8 * place + 8].try_into().unwrap_or_default())
            };
            self.append([word(0), word(1), word(2), word(3)]);
        }
    }

    /// The record of a call and a partner that was not the last one.
    fn time_record(&mut self, number: u32, partner: Partner) -> u32 {
        let peer = match partner {
            Partner::NotTold => partner::NOT_TOLD,
            Partner::Everybody => partner::EVERYBODY,
            Partner::File => partner::FILE,
            // A process that is not in the world has a number that stands for nobody.
            Partner::Rank { comm, rank } => {
                let comm = self.comm(comm);
                self.peer(comm, rank)
            }
            Partner::Target { window, rank } => {
                let window = self.window(window);
                self.peer(window, rank)
            }
        };
        let key = u64::from(number) << 32 | u64::from(peer);
        let record = match self.times.records.get(&key) {
            Some(&record) => record,
            None => {
                let first = record::TIME | u64::from(number) << 8 | u64::from(peer) << 32;
                let record = self.append([first, 0, 0, 0]);
                self.times.records.insert(key, record);
                record
            }
        };
        self.times.calls[number as usize].last = Some((partner.key(), record));
        record
    }

    /// Forgets what handles stand for, because they may be reused for other objects.
    pub fn forget_partners(&mut self) {
        self.times.calls.iter_mut().for_each(|call| call.last = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_one_name_in_all_languages() {
        for symbol in
            ["MPI_Neighbor_alltoallw", "PMPI_Neighbor_alltoallw", "mpi_neighbor_alltoallw_"]
        {
            assert_eq!(name_in_c(symbol), "MPI_Neighbor_alltoallw");
        }
    }
}
