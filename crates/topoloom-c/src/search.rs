//! What the functions of the interface do, in safe code.

use std::sync::Arc;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use topoloom::core::objective::HopBytes;
use topoloom::core::{
    CollectiveMode, Effort, Machine, Mapping, Objective, Problem, Run, Traffic, TrafficBuilder,
    Weight, parse_objective, parse_strategy,
};
use topoloom::io::Loader;

use crate::message::Fault;
use crate::part;

/// How to search.
pub struct Wishes<'a> {
    pub seed: u64,
    pub seconds: f64,
    pub threads: u32,
    pub strategy: Option<&'a str>,
    pub objective: Option<&'a str>,
    pub effort: Option<&'a str>,
}

impl Default for Wishes<'_> {
    fn default() -> Self {
        Wishes { seed: 1, seconds: 0.0, threads: 0, strategy: None, objective: None, effort: None }
    }
}

impl Wishes<'_> {
    fn run(&self) -> Result<Run, Fault> {
        let effort: Effort =
            self.effort.map_or(Ok(Effort::default()), str::parse).map_err(Fault::refused)?;
        let run = Run::new(self.seed).with_effort(effort);
        if self.seconds == 0.0 {
            return Ok(run);
        }
        let wrong = |_| Fault::invalid(format!("options.seconds is {}", self.seconds));
        Ok(run.with_time_limit(Duration::try_from_secs_f64(self.seconds).map_err(wrong)?))
    }

    /// Does some work on as many threads as are wanted.
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Fault> {
        let threads = ThreadPoolBuilder::new().num_threads(self.threads as usize).build();
        let threads = threads.map_err(|error| Fault::refused(format!("no threads: {error}")))?;
        Ok(threads.install(work))
    }
}

/// A machine of hosts, each with a number of slots.
pub fn hosts(slots: &[u32]) -> Result<Machine, Fault> {
    if slots.is_empty() || slots.contains(&0) {
        return Err(Fault::invalid("slots_of_host: every host has at least one slot".to_string()));
    }
    part::hosts(slots).map_err(Fault::refused)
}

/// How many flows there are in compressed rows.
pub fn flows(first: &[u64]) -> Result<usize, Fault> {
    if first.first() != Some(&0) || !first.is_sorted() {
        return Err(Fault::invalid("first: expected rising numbers from 0".to_string()));
    }
    Ok(first.last().copied().unwrap_or_default() as usize)
}

/// The traffic of compressed rows.
pub fn traffic(
    first: &[u64],
    target: &[u32],
    bytes: &[u64],
    messages: Option<&[u64]>,
) -> Result<Traffic, Fault> {
    let ranks = first.len() as u32 - 1;
    let mut builder = TrafficBuilder::with_capacity(ranks, target.len());
    for from in 0..ranks {
        for flow in first[from as usize] as usize..first[from as usize + 1] as usize {
            let to = target[flow];
            if to >= ranks {
                return Err(Fault::invalid(format!(
                    "target: rank {from} sends to {to} of {ranks}"
                )));
            }
            let count = messages.map_or(u64::from(bytes[flow] > 0), |messages| messages[flow]);
            if bytes[flow] > 0 || count > 0 {
                builder.add(from, to, count as f64, bytes[flow] as f64);
            }
        }
    }
    Ok(builder.build())
}

/// The traffic that a text names, with its collectives as messages.
pub fn loaded(text: &str) -> Result<Traffic, Fault> {
    let (traffic, _) = Loader::new().traffic(text, Weight::Bytes).map_err(Fault::refused)?;
    traffic.with_collectives(CollectiveMode::default()).map_err(Fault::refused)
}

/// The slot of each rank, and what that costs.
pub fn map(
    traffic: &Traffic,
    machine: &Machine,
    wishes: &Wishes<'_>,
) -> Result<(Vec<u32>, f64), Fault> {
    let problem = Problem::new(traffic.clone(), machine.clone(), Weight::Bytes);
    let problem = problem.map_err(Fault::refused)?;
    let (mapping, cost) = searched(&problem, wishes)?;
    Ok((mapping.slots().to_vec(), cost))
}

fn searched(problem: &Problem, wishes: &Wishes<'_>) -> Result<(Mapping, f64), Fault> {
    let strategy = parse_strategy(wishes.strategy.unwrap_or("auto")).map_err(Fault::refused)?;
    let objective = objective(wishes.objective)?;
    let mut run = wishes.run()?;
    let given = objective.as_deref();
    let mapping = wishes.on_threads(|| strategy.map(problem, given, &mut run))?;
    let mapping = mapping.map_err(|reason| Fault::refused(reason.0))?;
    let cost = given.unwrap_or(strategy.usual_objective()).cost(problem, &mapping);
    Ok((mapping, cost))
}

fn objective(name: Option<&str>) -> Result<Option<Arc<dyn Objective>>, Fault> {
    name.map(|name| parse_objective(name).map_err(Fault::refused)).transpose()
}

/// What a placement costs.
pub fn cost(
    traffic: &Traffic,
    machine: &Machine,
    name: Option<&str>,
    slots: Vec<u32>,
) -> Result<f64, Fault> {
    let problem = Problem::new(traffic.clone(), machine.clone(), Weight::Bytes);
    let problem = problem.map_err(Fault::refused)?;
    let mapping = problem.mapping(slots).map_err(Fault::refused)?;
    let objective = objective(name)?;
    Ok(objective.as_deref().unwrap_or(&HopBytes).cost(&problem, &mapping))
}

/// New ranks of processes that are where they are.
pub struct Order {
    pub new_rank: Vec<u32>,
    pub before: f64,
    pub after: f64,
}

/// Gives processes other ranks, if that costs less.
pub fn reorder(
    traffic: &Traffic,
    machine: &Machine,
    slots: &[u32],
    wishes: &Wishes<'_>,
) -> Result<Order, Fault> {
    let used = part::Used::new(machine, slots).map_err(Fault::invalid)?;
    let problem = Problem::new(traffic.clone(), used.machine(), Weight::Bytes);
    let problem = problem.map_err(Fault::refused)?;
    let (mapping, after) = searched(&problem, wishes)?;
    let kept = problem.mapping(used.slot_of_process().to_vec()).map_err(Fault::refused)?;
    let given = objective(wishes.objective)?;
    let strategy = parse_strategy(wishes.strategy.unwrap_or("auto")).map_err(Fault::refused)?;
    let objective = given.as_deref().unwrap_or(strategy.usual_objective());
    let before = objective.cost(&problem, &kept);
    let ranks = slots.len() as u32;
    if after >= before {
        return Ok(Order { new_rank: (0..ranks).collect(), before, after: before });
    }
    let mut process_in = vec![0; slots.len()];
    for (process, &slot) in used.slot_of_process().iter().enumerate() {
        process_in[slot as usize] = process;
    }
    let mut new_rank = vec![0; slots.len()];
    for (rank, &slot) in mapping.slots().iter().enumerate() {
        new_rank[process_in[slot as usize]] = rank as u32;
    }
    Ok(Order { new_rank, before, after })
}
