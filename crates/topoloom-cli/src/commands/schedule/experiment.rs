//! Runs every combination of policies with every seed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use topoloom::core::ProgressListener;
use topoloom::schedule::{Measures, Schedule, ScheduleError, Simulation, Stop};

use super::arguments::ScheduleArguments;
use super::plan::Plan;
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// The results of all rows with one seed: the jobs are the same for each row.
pub struct Seed {
    pub seed: u64,
    pub jobs: usize,
    /// In the order of the rows.
    pub measures: Vec<Measures>,
}

/// The results.
pub struct Results {
    /// The seeds for which every row is done.
    pub seeds: Vec<Seed>,
    /// The number of jobs of all these seeds.
    pub jobs: usize,
    /// Jobs that do not fit the machine under some policy, for all these seeds.
    pub left_out: usize,
    /// The schedule, if there is only one.
    pub schedule: Option<Schedule>,
}

pub fn run(
    plan: &Plan,
    arguments: &ScheduleArguments,
    interrupt: &Interrupt,
) -> anyhow::Result<Results> {
    let progress = Progress::new("simulating");
    if let Some(limit) = arguments.time_limit {
        progress.ends_after(limit);
    }
    let rows = plan.rows.len();
    let runs = u64::from(arguments.seeds) * rows as u64;
    let jobs = plan.jobs(arguments.seed).len() as u64;
    let stop = stop(arguments, interrupt).telling(listener(&progress, runs * jobs));
    let keep_schedule = runs == 1;
    let of_seed = |number: u64| -> Result<Option<(Seed, usize, Option<Schedule>)>, ScheduleError> {
        let seed = arguments.seed.wrapping_add(number);
        let Some(simulations) = simulations(plan, seed, &stop)? else { return Ok(None) };
        let run_row = |row: usize| {
            let policies = &plan.rows[row];
            simulations[row].run(&policies.queue, &policies.divider, &stop)
        };
        let found: Result<Vec<Option<Schedule>>, ScheduleError> =
            (0..rows).into_par_iter().map(run_row).collect();
        let Some(schedules) = found?.into_iter().collect::<Option<Vec<Schedule>>>() else {
            return Ok(None);
        };
        let jobs = simulations[0].jobs().len();
        let all = plan.jobs(seed).len() + plan.too_large();
        let measures = schedules.iter().map(|schedule| schedule.measures).collect();
        let schedule = schedules.into_iter().next().filter(|_| keep_schedule);
        Ok(Some((Seed { seed, jobs, measures }, all - jobs, schedule)))
    };
    let found: Result<Vec<_>, ScheduleError> =
        (0..u64::from(arguments.seeds)).into_par_iter().map(of_seed).collect();
    progress.finish();
    let mut results = Results { seeds: Vec::new(), jobs: 0, left_out: 0, schedule: None };
    for (seed, left_out, schedule) in found?.into_iter().flatten() {
        results.jobs += seed.jobs;
        results.left_out += left_out;
        results.schedule = schedule;
        results.seeds.push(seed);
    }
    Ok(results)
}

fn stop(arguments: &ScheduleArguments, interrupt: &Interrupt) -> Stop {
    let flag = interrupt.flag();
    let deadline = arguments.time_limit.and_then(|limit| Instant::now().checked_add(limit));
    Stop::when(move || {
        flag.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    })
}

/// Shows how many jobs of all runs have ended.
fn listener(progress: &Arc<Progress>, jobs: u64) -> impl Fn() + Send + Sync + 'static {
    let (progress, ended) = (Arc::clone(progress), AtomicU64::new(0));
    move || {
        let ended = ended.fetch_add(1, Ordering::Relaxed) + 1;
        progress.progress("jobs", ended, jobs);
    }
}

/// The simulation of each row, all of the same jobs: those that every policy can place.
fn simulations(
    plan: &Plan,
    seed: u64,
    stop: &Stop,
) -> Result<Option<Vec<Simulation>>, ScheduleError> {
    let jobs = plan.jobs(seed);
    let kinds = plan.mix.draw(jobs.len(), seed);
    let make =
        |run_times: &Arc<_>| Simulation::new(jobs.clone(), kinds.clone(), Arc::clone(run_times));
    let mut simulations: Vec<Simulation> =
        plan.rows.iter().map(|row| make(&row.run_times)).collect();
    let mut fits = vec![true; jobs.len()];
    for (simulation, row) in simulations.iter().zip(&plan.rows) {
        let Some(found) = simulation.fitting(&row.divider, stop)? else { return Ok(None) };
        fits.iter_mut().zip(found).for_each(|(fits, found)| *fits &= found);
    }
    simulations.iter_mut().for_each(|simulation| simulation.retain(&fits));
    Ok(Some(simulations))
}
