//! Simulated runs, as several commands run and describe them.

use topoloom::core::insight::CollectiveShare;
use topoloom::core::{Machine, Mapping, ProgressListener, Run, Trace};
use topoloom::sim::{Model, Outcome, SimulationError, Stopped, simulate_watched};

use crate::output::collectives::line_of_share;
use crate::output::numbers::{duration, grouped, plural, plural_amount};
use crate::progress::Progress;

/// Replays a trace whose collectives are messages already, until `run` ends.
pub fn simulated(
    trace: &Trace,
    machine: &Machine,
    mapping: &Mapping,
    model: &Model,
    run: &Run,
) -> Result<Outcome, SimulationError> {
    let progress = Progress::new(&format!("simulating on {}", machine.spec()));
    if let Some(left) = run.time_left() {
        progress.ends_after(left);
    }
    let messages = trace.num_messages();
    let outcome = simulate_watched(trace, machine, mapping, model, &|delivered| {
        progress.progress("messages delivered", delivered, messages);
        run.is_over()
    });
    progress.finish();
    outcome
}

/// What is known about a run that did not finish, in one line.
pub fn stopped_in_words(stopped: &Stopped) -> String {
    format!(
        "stopped after {} of simulated time; {} of {} delivered, {} of {} done",
        duration(stopped.after_seconds),
        grouped(stopped.messages as f64),
        plural_amount(stopped.messages_in_all as f64, "message"),
        grouped(stopped.ranks_finished as f64),
        plural(stopped.ranks, "rank"),
    )
}

/// A description of what is replayed, and a line with the share of collectives.
pub fn replay_in_words(replay: &str, collectives: Option<&CollectiveShare>) -> String {
    let replay = if replay == "trace" { "events in order" } else { replay };
    match collectives {
        Some(share) => format!("{replay}\n{}", line_of_share(share)),
        None => replay.to_string(),
    }
}
