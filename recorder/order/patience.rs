//! Waiting without keeping a core busy: the process that computes the answer may need the core.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::library::{self, Library, asked};

/// Waits until something has happened, and says whether it has.
pub fn until(limit: Duration, mut has_happened: impl FnMut() -> bool) -> bool {
    const LONGEST_PAUSE: Duration = Duration::from_millis(2);
    let begin = Instant::now();
    let mut pause = Duration::from_micros(20);
    loop {
        if has_happened() {
            return true;
        }
        if begin.elapsed() > limit {
            return false;
        }
        sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Waits for an operation that was begun.
fn finish(library: &Library, mut request: usize) {
    let address = &raw mut request as usize;
    until(Duration::MAX, || {
        // An operation that fails is over, too.
        asked(|flag| unsafe { library::test(address, flag, library.status_ignore) }) != Some(0)
    });
}

/// Sends bytes to a rank.
pub fn send(library: &Library, comm: usize, to: usize, tag: usize, bytes: &[u8]) {
    let mut request = 0_usize;
    let (data, length) = (bytes.as_ptr() as usize, bytes.len());
    let address = &raw mut request as usize;
    unsafe { library::isend(data, length, library.byte, to, tag, comm, address) };
    finish(library, request);
}

/// What a rank sent, if it came within the limit.
pub fn receive(
    library: &Library,
    comm: usize,
    from: usize,
    tag: usize,
    limit: Duration,
) -> Option<Vec<u8>> {
    // Longer than the status of any library.
    let mut status = [0_i32; 16];
    let address = status.as_mut_ptr() as usize;
    let has_come = until(limit, || {
        asked(|flag| unsafe { library::iprobe(from, tag, comm, flag, address) }) == Some(1)
    });
    if !has_come {
        return None;
    }
    let count = asked(|count| unsafe { library::get_count(address, library.byte, count) });
    let mut bytes = vec![0_u8; count?.max(0) as usize];
    let (data, length) = (bytes.as_mut_ptr() as usize, bytes.len());
    let ignore = library.status_ignore;
    unsafe { library::receive(data, length, library.byte, from, tag, comm, ignore) };
    Some(bytes)
}

/// Gives what the first rank has to all ranks of a communicator, from one to the next in a tree.
/// Collectives that go on in the background would do the same, but after two of them on one
/// communicator, Open MPI 4.1 sometimes makes no new communicator of it.
pub fn pass_on(
    library: &Library,
    comm: usize,
    (rank, size): (usize, usize),
    tag: usize,
    bytes: &mut [u8],
) {
    if rank > 0 {
        let above = rank & (rank - 1);
        if let Some(received) = receive(library, comm, above, tag, Duration::MAX)
            && received.len() == bytes.len()
        {
            bytes.copy_from_slice(&received);
        }
    }
    // Below a rank are those with one more bit, lower than all of its own.
    let lowest = if rank == 0 { usize::BITS } else { rank.trailing_zeros() };
    let below = (0..lowest.min(31)).map(|bit| rank | 1 << bit).filter(|&other| other < size);
    below.for_each(|other| send(library, comm, other, tag, bytes));
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_rank_is_below_exactly_one_other() {
        for size in 1..70_usize {
            let mut reached = vec![0; size];
            for rank in 0..size {
                let lowest = if rank == 0 { usize::BITS } else { rank.trailing_zeros() };
                for other in (0..lowest.min(31)).map(|bit| rank | 1 << bit) {
                    if other < size {
                        assert_eq!(other & (other - 1), rank);
                        reached[other] += 1;
                    }
                }
            }
            assert!(reached[0] == 0 && reached[1..].iter().all(|&times| times == 1));
        }
    }
}
