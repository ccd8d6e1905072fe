//! Whether a placement is also faster than the one it would replace, in a simulated run.
//!
//! A sum of costs does not know which messages ranks wait for. On machines whose hosts share links,
//! and for recorded events, a run by the flow model is cheap, and decides.

use std::path::Path;
use std::time::Instant;

use topoloom::core::{Mapping, Problem, Replay, Trace};
use topoloom::sim::{Model, Outcome};

use crate::arguments::ProblemArguments;
use crate::files;
use crate::inputs::trace_in_order;
use crate::output::numbers::{duration, fine_percent};
use crate::placing::baseline::Baseline;
use crate::placing::search::Searches;
use crate::simulation::simulated;

/// More messages than this are not replayed without being asked for: events in order, and a burst,
/// in which all messages share links at once. Both take a second or two.
const MOST_MESSAGES: u64 = 200_000;
const MOST_AT_ONCE: u64 = 8192;

/// A run that is longer by at most this share is not slower.
pub const SLACK: f64 = 0.01;

/// Simulated times of a new placement and of the one that it would replace.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    pub new: f64,
    pub old: f64,
}

impl Times {
    /// Whether the new placement makes the run longer.
    pub fn is_slower(self) -> bool {
        self.new > self.old * (1.0 + SLACK)
    }

    /// The share of the old time that is saved; negative if the run is longer.
    pub fn gain(self) -> Option<f64> {
        (self.old > 0.0).then(|| 1.0 - self.new / self.old)
    }

    /// Why the old placement is kept.
    pub fn kept_in_words(self, strategy: &str, baseline: &Baseline) -> String {
        let longer = fine_percent(self.new / self.old - 1.0);
        format!(
            "{strategy} costs less than {}, but its simulated run (flow) takes {}, {longer} longer, \
             so {} stays. --objective hop-bytes uses the cost alone.",
            baseline.in_words(),
            duration(self.new),
            baseline.in_words()
        )
    }
}

/// Replays placements of one problem.
pub struct Replays<'a> {
    problem: &'a Problem,
    searches: &'a Searches,
    started: Instant,
    trace: Trace,
    model: Model,
}

impl<'a> Replays<'a> {
    /// None if runs are not known well enough: the machine has no hosts and the events are not
    /// recorded, or there are too many messages.
    pub fn new(
        arguments: &ProblemArguments,
        problem: &'a Problem,
        searches: &'a Searches,
        started: Instant,
    ) -> Option<Replays<'a>> {
        let is_recorded = files::exists(Path::new(&arguments.traffic));
        let is_known = problem.machine().topology().is_wired() && problem.sharing().is_none();
        let has_hosts = has_hosts(problem);
        if !is_known || !(has_hosts || is_recorded) {
            return None;
        }
        let trace = trace(arguments, problem, has_hosts)?;
        let model = Model::parse("flow").ok()?;
        Some(Replays { problem, searches, started, trace, model })
    }

    /// The simulated time of a placement; none if the time limit is up.
    pub fn seconds(&self, mapping: &Mapping) -> Option<f64> {
        let machine = self.problem.machine();
        let rest = self.searches.rest_of_limit(self.started);
        let run = || simulated(&self.trace, machine, mapping, &self.model, &rest);
        match self.searches.interrupt.during(run) {
            Ok(Outcome::Finished(report)) => Some(report.seconds),
            _ => None,
        }
    }
}

/// Whether a machine has several hosts, whose ranks share adapters.
pub fn has_hosts(problem: &Problem) -> bool {
    let cluster = problem.machine().topology().cluster();
    cluster.is_some_and(|cluster| cluster.description().hosts.len() > 1)
}

/// What ranks do: their events in order or, if only totals are known, one burst.
fn trace(arguments: &ProblemArguments, problem: &Problem, or_burst: bool) -> Option<Trace> {
    match trace_in_order(&arguments.traffic).ok()? {
        Some(events) => {
            let events = events.expanded(arguments.counting.collectives.mode).ok()?;
            (events.num_messages() <= MOST_MESSAGES).then_some(events)
        }
        None => {
            let flows = problem.traffic().num_flows() as u64;
            let burst = || Trace::of_traffic(problem.traffic(), Replay::Burst);
            (or_burst && flows <= MOST_AT_ONCE).then(burst)
        }
    }
}
