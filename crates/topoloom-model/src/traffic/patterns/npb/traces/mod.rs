//! The order in which the benchmarks do things, rank by rank.
//!
//! Programs follow the order of events of the NPB 3.4 sources. They share the geometry with the
//! traffic, but neither its counts nor its sums. Tests check that both agree.
//!
//! With `gflops=` the timed part computes as many operations as the benchmark reports, divided
//! among ranks and parts of the program by points. The operations of a step are also computed in
//! the warm-up.

mod calls;

pub use calls::Calls;

use super::Case;
use crate::spec::SpecError;
use crate::trace::{ProgramWriter, Trace, most_events};

/// The trace in which every rank does what `write` says.
pub(super) fn trace_of(
    case: &Case,
    calls: Calls,
    mut write: impl FnMut(u32, &mut ProgramWriter),
) -> Result<Trace, SpecError> {
    let mut programs = Vec::with_capacity(case.ranks as usize);
    for rank in 0..case.ranks {
        let mut writer = ProgramWriter::default();
        write(rank, &mut writer);
        let mut program = writer.finish();
        program.shrink_to_fit();
        // Rank 0 always works, and the others do about as much: the size is known without running
        // out of memory.
        let events = program.len() as u64 * u64::from(case.ranks);
        if rank == 0 && events > most_events() {
            return Err(SpecError::new(format!(
                "{}: the trace has about {events} events; at most {} are possible",
                case.name,
                most_events()
            )));
        }
        programs.push(program);
    }
    let wrong = |error| SpecError::new(format!("{}: {error}", case.name));
    Trace::new(programs, calls.into_list()).map_err(wrong)
}

/// Posts a receive, sends a message, and waits for the receive.
pub(super) fn exchange(
    writer: &mut ProgramWriter,
    from: Option<u32>,
    to: Option<(u32, u64)>,
    tag: u32,
) {
    let request = from.map(|from| writer.start_receive(from, tag));
    if let Some((to, bytes)) = to {
        writer.send(to, bytes, tag);
    }
    if let Some(request) = request {
        writer.wait(request);
    }
}
