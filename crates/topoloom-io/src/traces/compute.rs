//! Time that a rank computes.

use topoloom_core::Event;

/// Lets a program compute, on top of what it has been computing.
pub(crate) fn compute(program: &mut Vec<Event>, nanoseconds: u64) {
    match program.last_mut() {
        _ if nanoseconds == 0 => {}
        Some(Event::Compute { nanoseconds: so_far }) => {
            *so_far = so_far.saturating_add(nanoseconds);
        }
        _ => program.push(Event::Compute { nanoseconds }),
    }
}
