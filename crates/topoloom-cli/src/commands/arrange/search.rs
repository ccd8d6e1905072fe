//! Runs one arrangement strategy and times it.

use std::time::Instant;

use topoloom::arrange::{Arrangement, Cost, Task, parse_arranger};
use topoloom::core::NotApplicable;

use super::plan::Plan;
use crate::arguments::WorkArguments;
use crate::interrupt::Interrupt;
use crate::progress::{Progress, limited_run};

/// The name of the partition before any change.
pub const AS_PARTITIONED: &str = "none";

/// An arrangement and how it was found.
pub struct Found {
    pub strategy: String,
    pub arrangement: Arrangement,
    /// Under each measure of the plan.
    pub costs: Vec<Cost>,
    pub seconds: f64,
    pub cut_short: bool,
    /// What the user should know about the search.
    pub notes: Vec<String>,
}

/// Runs the strategy that `name` names, which the terminal shows as `task`; fails with an error of its specification, or with the
/// reason why it cannot be used.
pub fn arrange(
    plan: &Plan,
    (name, task): (&str, &str),
    work: &WorkArguments,
    interrupt: &Interrupt,
) -> anyhow::Result<Result<Found, NotApplicable>> {
    let arranger = parse_arranger(name)?;
    let progress = Progress::new(task);
    let mut run =
        limited_run(work.seed, work.time_limit, interrupt, &progress).with_effort(work.effort);
    let of_plan = Task { platform: &plan.platform, measure: &plan.measures[0], form: plan.form };
    let start = Instant::now();
    let result = interrupt.during(|| arranger.arrange(&of_plan, &plan.start, &mut run));
    let seconds = start.elapsed().as_secs_f64();
    progress.finish();
    Ok(result.map(|arrangement| Found {
        strategy: name.to_string(),
        costs: plan.measures.iter().map(|measure| measure.cost(&arrangement)).collect(),
        arrangement,
        seconds,
        cut_short: run.was_cut_short(),
        notes: run.notes().to_vec(),
    }))
}
