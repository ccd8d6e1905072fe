//! Where each rank of a run was allowed to sit, and with how many threads.

use std::collections::HashMap;

use topoloom_core::budget;
use topoloom_core::words::counted;

use super::encoding::{Payload, PayloadWriter};
use crate::text::cpu_list::MOST_CPUS;
use crate::text::fault::Fault;

/// The seat of a rank, without its host.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct RecordedSeat {
    /// The CPUs that it was allowed to run on right after `MPI_Init`, in ascending order; empty:
    /// not known.
    pub cpus: Vec<u32>,
    /// How many CPUs of its host the job was allowed to use: the CPUs that were online, without
    /// those that its control group excluded. 0: not known.
    pub online: u32,
    /// What `OMP_NUM_THREADS` asked for, if it was set.
    pub openmp_threads: Option<u32>,
    /// The threads of the program, as far as they could be seen: those at `MPI_Finalize` without
    /// those that existed after `MPI_Init`, plus the one that called it.
    pub threads: Option<u32>,
}

impl RecordedSeat {
    /// Whether it was excluded from CPUs of its host that the job was allowed to use. An unknown
    /// seat is not bound.
    pub fn is_bound(&self) -> bool {
        !self.cpus.is_empty() && (self.cpus.len() as u64) < u64::from(self.online)
    }
}

/// The CPUs of all ranks together in one recording: a small file must not use up all memory.
pub const MOST_CPUS_OF_ALL: usize = 1 << 27;

pub fn check(seats: &[RecordedSeat], ranks: u32) -> Result<(), Fault> {
    if seats.is_empty() {
        return Ok(());
    }
    if seats.len() != ranks as usize {
        return Err(Fault::expected(
            format!("seats of {ranks}", ranks = counted(ranks, "rank")),
            seats.len(),
        ));
    }
    let mut cpus = 0;
    for (rank, seat) in seats.iter().enumerate() {
        if !seat.cpus.is_sorted_by(|a, b| a < b) {
            return Err(Fault::Malformed("the CPUs are not in rising order".into())
                .within(format!("rank {rank}")));
        }
        if let Some(&cpu) = seat.cpus.last().filter(|&&cpu| cpu >= MOST_CPUS) {
            return Err(no_cpu(cpu.into()).within(format!("rank {rank}")));
        }
        cpus += seat.cpus.len();
    }
    check_cpus_of_all(cpus)
}

/// A list of CPUs takes a few bytes in the file and up to 65,536 numbers here.
fn check_cpus_of_all(cpus: usize) -> Result<(), Fault> {
    if cpus > MOST_CPUS_OF_ALL {
        return Err(Fault::TooLarge(format!(
            "all ranks together have more than {MOST_CPUS_OF_ALL} CPUs"
        )));
    }
    budget::memory()
        .check_items("the CPUs of all ranks", cpus as u64, size_of::<u32>() as u64)
        .map_err(Fault::from)
}

fn no_cpu(cpu: u64) -> Fault {
    Fault::OutOfRange(format!("there is no CPU {cpu}, only 0 to {}", MOST_CPUS - 1))
}

pub fn write(seats: &[RecordedSeat]) -> PayloadWriter {
    let mut different: Vec<&RecordedSeat> = Vec::new();
    let mut numbers = HashMap::new();
    let of_rank: Vec<u32> = seats
        .iter()
        .map(|seat| {
            *numbers.entry(seat).or_insert_with(|| {
                different.push(seat);
                different.len() as u32 - 1
            })
        })
        .collect();
    let mut payload = PayloadWriter::default();
    payload.count(different.len());
    for seat in different {
        let ranges: Vec<&[u32]> = seat.cpus.chunk_by(|a, b| *b == a + 1).collect();
        payload.count(ranges.len());
        let mut next = 0;
        for range in ranges {
            payload.number(range[0] - next);
            payload.count(range.len() - 1);
            next = range[range.len() - 1] + 1;
        }
        payload.number(seat.online);
        for threads in [seat.openmp_threads, seat.threads] {
            payload.number(threads.map_or(0, |threads| u64::from(threads) + 1));
        }
    }
    payload.runs(&of_rank);
    payload
}

pub fn read(payload: &mut Payload<'_>, ranks: u32) -> Result<Vec<RecordedSeat>, Fault> {
    // The number of ranges, the online CPUs, and two numbers of threads.
    let count = payload.count(4, "seats")?;
    let mut cpus = 0;
    let mut different = Vec::new();
    for _ in 0..count {
        let seat = read_seat(payload)?;
        cpus += seat.cpus.len();
        check_cpus_of_all(cpus).map_err(|fault| payload.error(fault))?;
        different.push(seat);
    }
    let of_rank = payload.runs(ranks, "seat")?;
    let mut cpus = 0;
    let mut seats = Vec::with_capacity(of_rank.len());
    for number in of_rank {
        let seat = different.get(number as usize).ok_or_else(|| {
            payload.error(Fault::OutOfRange(format!(
                "there is no seat {number}, only {count} of them"
            )))
        })?;
        cpus += seat.cpus.len();
        check_cpus_of_all(cpus).map_err(|fault| payload.error(fault))?;
        seats.push(seat.clone());
    }
    Ok(seats)
}

fn read_seat(payload: &mut Payload<'_>) -> Result<RecordedSeat, Fault> {
    let mut cpus = Vec::new();
    let mut next = 0_u64;
    for number in 0..payload.count(2, "ranges of CPUs")? {
        let (gap, more) = (payload.number()?, payload.number()?);
        if number > 0 && gap == 0 {
            return Err(payload.error(Fault::Malformed(
                "a range of CPUs begins where the one before ends".into(),
            )));
        }
        let first = next.saturating_add(gap);
        let last = first.saturating_add(more);
        if last >= u64::from(MOST_CPUS) {
            return Err(payload.error(no_cpu(last)));
        }
        cpus.extend(first as u32..=last as u32);
        next = last + 1;
    }
    let online = payload.small("number of CPUs")?;
    let mut threads = || match payload.number()? {
        0 => Ok(None),
        number => u32::try_from(number - 1).map(Some).map_err(|_| {
            payload.error(Fault::TooLarge(format!("{} threads have more than 32 bits", number - 1)))
        }),
    };
    Ok(RecordedSeat { cpus, online, openmp_threads: threads()?, threads: threads()? })
}
