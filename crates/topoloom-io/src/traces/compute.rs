//! Time that a rank computes.

use topoloom_core::Event;

/// Adds computing time to a program, joined with the computing just before.
pub(crate) fn compute(program: &mut Vec<Event>, nanoseconds: u64) {
    match program.last_mut() {
        _ if nanoseconds == 0 => {}
        Some(Event::Compute { nanoseconds: so_far }) => {
            *so_far = so_far.saturating_add(nanoseconds);
        }
        _ => program.push(Event::Compute { nanoseconds }),
    }
}
