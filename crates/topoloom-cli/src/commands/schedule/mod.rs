//! `topoloom schedule`: a stream of jobs on a machine.

pub mod arguments;
mod experiment;
mod plan;
mod present;

use anyhow::bail;
use topoloom::io::write_schedule;
use topoloom::schedule::Schedule;

use crate::interrupt::Interrupt;
use crate::output::numbers::{grouped, plural};
use crate::output::{print, print_json, warn};
use crate::outputs;
use arguments::ScheduleArguments;
use experiment::Results;
use plan::Plan;

pub fn run(arguments: ScheduleArguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.output {
        let jobs = arguments.jobs.as_deref().and_then(|path| path.to_str());
        outputs::check(path, jobs.into_iter().chain([arguments.machine.as_str()]))?;
    }
    let plan = Plan::new(&arguments)?;
    if arguments.output.is_some() && (plan.rows.len() > 1 || arguments.seeds > 1) {
        bail!("--output is for one run: give one policy of each kind and one seed");
    }
    let interrupt = Interrupt::catch()?;
    let results = interrupt.during(|| experiment::run(&plan, &arguments, &interrupt))?;
    warn_of_missing(&plan, &results, &arguments);
    if results.seeds.is_empty() {
        bail!(
            "no run was done before the time limit or the interrupt: give more time or fewer jobs"
        );
    }
    if let (Some(path), Some(schedule)) = (&arguments.output, &results.schedule) {
        let slots = plan.machine.slots_per_node();
        let comments = comments(&plan, &results, schedule);
        outputs::write_or_rescue("the schedule", |to| {
            write_schedule(to.of(path), &comments, schedule, slots)
        })?;
    }
    match arguments.json {
        true => print_json(&present::json(&plan, &results, &arguments)),
        false => print(&present::text(&plan, &results, &arguments)),
    }
    Ok(())
}

fn warn_of_missing(plan: &Plan, results: &Results, arguments: &ScheduleArguments) {
    if plan.unknown > 0 {
        let jobs = plural(plan.unknown, "job");
        warn(&format!("{jobs} without a known size or run time: left out"));
    }
    if results.left_out > 0 {
        let jobs = grouped(results.left_out as f64);
        warn(&format!(
            "{jobs} of {} left out: not every policy can fit them on {}",
            plural(results.left_out + results.jobs, "job"),
            plan.machine.spec(),
        ));
    }
    let (done, asked) = (results.seeds.len(), arguments.seeds as usize);
    if 0 < done && done < asked {
        warn(&format!("stopped after {done} of {}", plural(asked, "seed")));
    }
}

/// The comments at the head of a schedule in the Standard Workload Format.
fn comments(plan: &Plan, results: &Results, schedule: &Schedule) -> Vec<String> {
    let row = &plan.rows[0];
    vec![
        format!("Computer: {}, simulated", plan.machine.spec()),
        format!("MaxJobs: {}", schedule.jobs.len()),
        format!("MaxNodes: {}", plan.machine.num_nodes()),
        format!("MaxProcs: {}", plan.machine.num_slots()),
        format!(
            "Note: {}, seed {}; queue {}, partition {}, strategy {}; run times are estimates",
            plan.source,
            results.seeds[0].seed,
            row.queue.name(),
            row.divider.name(),
            row.strategy,
        ),
    ]
}
