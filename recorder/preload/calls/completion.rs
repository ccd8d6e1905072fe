//! The ends of operations that were begun. They matter to events only.

use super::{interpose, partner};
use crate::clock::ticks;
use crate::form::{Form, number_at};
use crate::invoke::invoke;
use crate::recorder::{library, recording_events, with};

/// Which requests are done after a call. Statuses are in the order of the requests, or of those
/// that are done.
enum Done {
    No,
    All,
    One(i32),
    Listed { number: i32, indices: usize },
}

/// The arguments of a call that ends something.
struct Given {
    number: usize,
    requests: usize,
    statuses: usize,
    /// How many statuses there may be.
    room: usize,
}

/// Up to this many requests need no memory on the heap.
const FEW: usize = 16;

fn complete<F: Form>(
    given: Given,
    real: impl FnOnce(usize) -> i32,
    done: impl FnOnce() -> Done,
) -> i32 {
    if !recording_events() {
        return real(given.statuses);
    }
    let entered = ticks();
    // The call takes the handles away.
    let (mut few, mut many) = ([0; FEW], Vec::new());
    let requests: &mut [usize] = match few.get_mut(..given.number) {
        Some(few) => few,
        None => {
            many.resize(given.number, 0);
            &mut many
        }
    };
    for (place, request) in requests.iter_mut().enumerate() {
        *request = F::request_at(given.requests, place);
    }
    let requests: &[usize] = requests;
    let ignores = F::ignores_status(given.statuses);
    let needs_own = ignores && with(|recorder| recorder.needs_status(requests));
    let mut own = match needs_own {
        true => vec![0_i32; library().status_words * given.room],
        false => Vec::new(),
    };
    let statuses = if needs_own { own.as_mut_ptr() as usize } else { given.statuses };
    let seen = (needs_own || !ignores).then_some(statuses);
    let result = real(statuses);
    if result != 0 {
        return result;
    }
    let done = done();
    with(|recorder| {
        recorder.enter(entered);
        let mut end = |place: i32, position| {
            if let Some(&request) = usize::try_from(place).ok().and_then(|at| requests.get(at)) {
                recorder.complete(request, seen, position);
            }
        };
        match done {
            Done::No => {}
            Done::All => (0..given.number).for_each(|place| end(place as i32, place)),
            Done::One(place) => end(place, 0),
            Done::Listed { number, indices } => {
                for position in 0..number.max(0) as usize {
                    end(number_at(indices, position), position);
                }
            }
        }
        recorder.exit();
    });
    result
}

/// A number that the call has written.
fn written(address: usize) -> i32 {
    number_at(address, 0)
}

interpose! {
    (request, status) |real, all| {
        let given = Given { number: 1, requests: request, statuses: status, room: 1 };
        complete::<F>(given, |status| real([request, status]), || Done::All)
    };
    C: MPI_Wait;
    Profiling: PMPI_Wait;
}

interpose! {
    (count, requests, statuses) |real, all| {
        let number = F::int(count).max(0) as usize;
        let given = Given { number, requests, statuses, room: number };
        complete::<F>(given, |statuses| real([count, requests, statuses]), || Done::All)
    };
    C: MPI_Waitall;
    Profiling: PMPI_Waitall;
}

interpose! {
    (count, requests, index, status) |real, all| {
        let number = F::int(count).max(0) as usize;
        let given = Given { number, requests, statuses: status, room: 1 };
        complete::<F>(
            given,
            |status| real([count, requests, index, status]),
            || Done::One(written(index)),
        )
    };
    C: MPI_Waitany;
    Profiling: PMPI_Waitany;
}

interpose! {
    (count, requests, done, indices, statuses) |real, all| {
        let number = F::int(count).max(0) as usize;
        let given = Given { number, requests, statuses, room: number };
        complete::<F>(
            given,
            |statuses| real([count, requests, done, indices, statuses]),
            || Done::Listed { number: written(done), indices },
        )
    };
    C: MPI_Waitsome MPI_Testsome;
    Profiling: PMPI_Waitsome PMPI_Testsome;
}

fn if_flag(flag: usize, done: Done) -> Done {
    if written(flag) != 0 { done } else { Done::No }
}

interpose! {
    (request, flag, status) |real, all| {
        let given = Given { number: 1, requests: request, statuses: status, room: 1 };
        complete::<F>(
            given,
            |status| real([request, flag, status]),
            || if_flag(flag, Done::All),
        )
    };
    C: MPI_Test;
    Profiling: PMPI_Test;
}

interpose! {
    (count, requests, flag, statuses) |real, all| {
        let number = F::int(count).max(0) as usize;
        let given = Given { number, requests, statuses, room: number };
        complete::<F>(
            given,
            |statuses| real([count, requests, flag, statuses]),
            || if_flag(flag, Done::All),
        )
    };
    C: MPI_Testall;
    Profiling: PMPI_Testall;
}

interpose! {
    (count, requests, index, flag, status) |real, all| {
        let number = F::int(count).max(0) as usize;
        let given = Given { number, requests, statuses: status, room: 1 };
        complete::<F>(
            given,
            |status| real([count, requests, index, flag, status]),
            || if_flag(flag, Done::One(written(index))),
        )
    };
    C: MPI_Testany;
    Profiling: PMPI_Testany;
}
