//! What is simulated: jobs, policies, and what determines run times.

use std::sync::Arc;

use anyhow::bail;
use topoloom::core::{Machine, PATTERNS, STRATEGIES, parse_strategy};
use topoloom::io::parse_workload as parse_workload_file;
use topoloom::schedule::partition::Divider;
use topoloom::schedule::queue::{QueuePolicy, parse_queue};
use topoloom::schedule::workload::{WorkloadModel, parse_workload};
use topoloom::schedule::{
    Job, PARTITIONS, QUEUES, RunTimes, Template, TrafficMix, TrafficRules, scale_to_load,
};

use super::arguments::ScheduleArguments;
use crate::files;
use crate::inputs::load_machine;
use crate::spec_list::split_list;

/// One combination of policies: a row of the table.
pub struct Row {
    pub queue: QueuePolicy,
    pub divider: Divider,
    pub strategy: String,
    pub run_times: Arc<RunTimes>,
}

/// Where jobs come from.
enum Jobs {
    File(Vec<Job>),
    Model(Box<dyn WorkloadModel>),
}

/// What is simulated.
pub struct Plan {
    pub machine: Machine,
    pub rows: Vec<Row>,
    pub mix: TrafficMix,
    pub patterns: Vec<String>,
    /// The file or the model, as it was given.
    pub source: String,
    /// Jobs of the file without a size or a run time.
    pub unknown: usize,
    /// Policies that `--compare` includes but that do not suit the machine, and why.
    pub refused: Vec<(String, String)>,
    jobs: Jobs,
    load: Option<f64>,
}

impl Plan {
    pub fn new(arguments: &ScheduleArguments) -> anyhow::Result<Plan> {
        let machine = load_machine(&arguments.machine, arguments.routing.as_deref())?;
        let queues = split_list(&arguments.queue, |name| names(QUEUES.entries, name));
        let queues: Vec<QueuePolicy> =
            queues.iter().map(|text| parse_queue(text)).collect::<Result<_, _>>()?;
        let (dividers, refused) = dividers(arguments, &machine)?;
        let strategies = split_list(&arguments.strategy, |name| names(STRATEGIES.entries, name));
        let patterns = split_list(&arguments.pattern, |name| names(PATTERNS.entries, name));
        let templates = patterns.iter().map(|text| Template::parse(text));
        let mix = TrafficMix::new(templates.collect::<Result<_, _>>()?)?;
        let objective = files::read_objective(&arguments.objective)?;
        let mut rows = Vec::new();
        // Strategies are the outermost loop: rows of one strategy share what they learn.
        for name in &strategies {
            let rules = TrafficRules {
                mix: mix.clone(),
                communication: arguments.communication,
                objective: objective.clone(),
                strategy: parse_strategy(name)?,
                strategy_name: name.clone(),
                effort: arguments.effort,
                seed: arguments.seed,
                weight: arguments.weight,
                collectives: arguments.collectives.mode,
            };
            let run_times = Arc::new(RunTimes::new(&machine, rules)?);
            for &queue in &queues {
                for divider in &dividers {
                    let (divider, strategy) = (divider.clone(), name.clone());
                    rows.push(Row { queue, divider, strategy, run_times: run_times.clone() });
                }
            }
        }
        if rows.is_empty() {
            bail!("expected at least one queue policy, one partition policy and one strategy");
        }
        let (jobs, source, unknown) = match &arguments.jobs {
            Some(path) => {
                let source = path.display().to_string();
                let file = parse_workload_file(&source, &files::open(path)?.bytes()?)?;
                (Jobs::File(file.jobs), source, file.unknown)
            }
            None => {
                let model = parse_workload(&arguments.workload)?;
                (Jobs::Model(model), arguments.workload.clone(), 0)
            }
        };
        let load = arguments.load;
        Ok(Plan { machine, rows, mix, patterns, source, unknown, refused, jobs, load })
    }

    /// The jobs of a seed.
    pub fn jobs(&self, seed: u64) -> Vec<Job> {
        let (nodes, slots) = (self.machine.num_nodes(), self.machine.slots_per_node());
        let mut jobs = match &self.jobs {
            Jobs::File(jobs) => jobs.clone(),
            Jobs::Model(model) => model.generate(nodes as u32, slots, seed),
        };
        jobs.retain(|job| job.nodes(slots) as usize <= nodes);
        if let Some(load) = self.load {
            scale_to_load(&mut jobs, nodes, slots, load);
        }
        jobs
    }

    /// How many jobs of a seed ask for more nodes than the machine has.
    pub fn too_large(&self) -> usize {
        let (nodes, slots) = (self.machine.num_nodes(), self.machine.slots_per_node());
        match &self.jobs {
            Jobs::File(jobs) => jobs.iter().filter(|job| job.nodes(slots) as usize > nodes).count(),
            Jobs::Model(_) => 0,
        }
    }
}

fn names<B>(entries: &[&topoloom::core::Entry<B>], name: &str) -> bool {
    entries.iter().any(|entry| entry.name == name)
}

type Refused = Vec<(String, String)>;

/// The partition policies that were asked for, with the shape that `--shape` names.
fn dividers(
    arguments: &ScheduleArguments,
    machine: &Machine,
) -> anyhow::Result<(Vec<Divider>, Refused)> {
    let mut specs = match arguments.compare {
        true => PARTITIONS.entries.iter().map(|entry| entry.name.to_string()).collect(),
        false => split_list(&arguments.partition, |name| names(PARTITIONS.entries, name)),
    };
    if let Some(shape) = arguments.shape {
        let mut shaped = 0;
        for spec in specs.iter_mut().filter(|spec| spec.starts_with("free-box")) {
            if !spec.contains("shape=") {
                let separator = if spec.contains(':') { ',' } else { ':' };
                *spec = format!("{spec}{separator}shape={shape}");
            }
            shaped += 1;
        }
        if shaped == 0 {
            bail!("--shape is for the partition policy free-box, which is not used here");
        }
    }
    let (mut dividers, mut refused) = (Vec::new(), Vec::new());
    for spec in specs {
        match Divider::parse(&spec, machine) {
            Ok(divider) => dividers.push(divider),
            Err(reason) if arguments.compare => refused.push((spec, reason.to_string())),
            Err(reason) => return Err(reason.into()),
        }
    }
    Ok((dividers, refused))
}
