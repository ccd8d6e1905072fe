//! How long a job takes on its nodes: an estimate from the cost of its placement.
//!
//! A job has a run time on a reference placement, of which a share c is communication. On a
//! partition it takes (1 - c) + c * cost / reference cost times as long. The cost is that of an
//! objective, such as hop-bytes, for the job's own traffic, placed on the partition by a strategy.
//! The reference placement is the job alone on the first nodes of the machine, ranks in order. Jobs
//! do not slow each other down.

mod key;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use key::Key;
use topoloom_core::objective::CostMatrix;
use topoloom_core::{
    CollectiveMode, Effort, Machine, Mapping, Objective, Problem, Run, Strategy, Weight,
};

use crate::error::ScheduleError;
use crate::part::Part;
use crate::partition::Partition;
use crate::shape::Shape;
use crate::stop::Stop;
use crate::traffic_mix::TrafficMix;

/// What run times are estimated from.
#[derive(Debug, Clone)]
pub struct TrafficRules {
    /// What jobs send.
    pub mix: TrafficMix,
    /// The share of communication in the run time on the reference placement, from 0 to 1.
    pub communication: f64,
    /// What a placement costs.
    pub objective: Arc<dyn Objective>,
    /// Places the ranks of a job on its partition.
    pub strategy: Arc<dyn Strategy>,
    /// The name as given.
    pub strategy_name: String,
    /// How much work a placement may take.
    pub effort: Effort,
    /// The seed of placements: the same for all jobs, so equal partitions are equally fast.
    pub seed: u64,
    /// What counts.
    pub weight: Weight,
    /// How collectives are treated.
    pub collectives: CollectiveMode,
}

/// Shapes whose times differ by less are equally good: `topoloom advise` says the same.
const EQUAL: f64 = 0.01;

/// Estimates run times, and remembers them. Any number of threads may ask.
#[derive(Debug)]
pub struct RunTimes {
    machine: Machine,
    /// `None`: every job takes as long as on the reference placement.
    rules: Option<TrafficRules>,
    traffic: Mutex<HashMap<(usize, u32), Arc<JobTraffic>>>,
    factors: Mutex<HashMap<Key, f64>>,
}

/// What jobs of one kind and size send, and what that costs on the reference placement.
#[derive(Debug)]
struct JobTraffic {
    problem: Problem,
    reference_cost: f64,
}

impl RunTimes {
    /// Run times that do not depend on the partition.
    pub fn constant(machine: &Machine) -> RunTimes {
        let (traffic, factors) = (Mutex::default(), Mutex::default());
        RunTimes { machine: machine.clone(), rules: None, traffic, factors }
    }

    /// Run times by these rules.
    pub fn new(machine: &Machine, rules: TrafficRules) -> Result<RunTimes, ScheduleError> {
        let objective = rules.objective.as_ref();
        if objective.name() == CostMatrix::NAME {
            let text =
                "cost-matrix has its own cost for every pair of nodes; choose another objective";
            return Err(ScheduleError::Other(text.to_string()));
        }
        objective
            .applies_to(machine)
            .map_err(|reason| ScheduleError::Other(format!("{} {reason}", objective.name())))?;
        let none = rules.communication == 0.0;
        Ok(RunTimes { rules: (!none).then_some(rules), ..RunTimes::constant(machine) })
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// How much longer a job of this kind and size takes than on the reference placement; `None` if
    /// `stop` says so before it is known.
    pub fn factor(
        &self,
        kind: usize,
        ranks: u32,
        partition: &Partition,
        stop: &Stop,
    ) -> Result<Option<f64>, ScheduleError> {
        let Some(rules) = &self.rules else { return Ok(Some(1.0)) };
        let key = Key::new(&self.machine, rules.objective.as_ref(), (kind, ranks), partition);
        if let Some(&factor) = lock(&self.factors).get(&key) {
            return Ok(Some(factor));
        }
        // Not under the lock: other threads may ask meanwhile. All threads compute the same number.
        let Some(factor) = self.factor_from_scratch(rules, kind, ranks, partition, stop)? else {
            return Ok(None);
        };
        lock(&self.factors).insert(key, factor);
        Ok(Some(factor))
    }

    /// The definition of [`RunTimes::factor`].
    fn factor_from_scratch(
        &self,
        rules: &TrafficRules,
        kind: usize,
        ranks: u32,
        partition: &Partition,
        stop: &Stop,
    ) -> Result<Option<f64>, ScheduleError> {
        let traffic = self.traffic(rules, kind, ranks)?;
        if traffic.reference_cost == 0.0 {
            return Ok(Some(1.0));
        }
        let Some(mapping) = self.place(rules, &traffic.problem, ranks, partition, stop)? else {
            return Ok(None);
        };
        let cost = rules.objective.cost(&traffic.problem, &mapping);
        let share = rules.communication;
        Ok(Some(1.0 - share + share * cost / traffic.reference_cost))
    }

    fn traffic(
        &self,
        rules: &TrafficRules,
        kind: usize,
        ranks: u32,
    ) -> Result<Arc<JobTraffic>, ScheduleError> {
        if let Some(known) = lock(&self.traffic).get(&(kind, ranks)) {
            return Ok(known.clone());
        }
        let traffic = rules.mix.templates()[kind].traffic(ranks, rules.collectives)?;
        let in_order = (0..traffic.num_ranks() as u32).collect();
        let problem = Problem::new(traffic, self.machine.clone(), rules.weight)?;
        let mapping = problem.mapping(in_order).expect("the job fits the machine");
        let reference_cost = rules.objective.cost(&problem, &mapping);
        let made = Arc::new(JobTraffic { problem, reference_cost });
        Ok(lock(&self.traffic).entry((kind, ranks)).or_insert(made).clone())
    }

    /// Places a job on its partition and returns a mapping of the whole machine.
    fn place(
        &self,
        rules: &TrafficRules,
        whole: &Problem,
        ranks: u32,
        partition: &Partition,
        stop: &Stop,
    ) -> Result<Option<Mapping>, ScheduleError> {
        let failed = |reason: String| ScheduleError::Strategy {
            strategy: rules.strategy_name.clone(),
            ranks,
            reason,
        };
        let machine = self.machine_of(partition);
        // If only distances are known, hop-bytes stand in for link loads in the search.
        let objective = rules.objective.as_ref();
        let given = objective.applies_to(&machine).is_ok().then_some(objective);
        let problem = Problem::new(whole.traffic().clone(), machine, rules.weight)?;
        let mut run = Run::new(rules.seed).with_effort(rules.effort).with_stop(stop.as_function());
        let mapping = rules.strategy.map(&problem, given, &mut run);
        // An interrupted result depends on the clock, and so would everything after it.
        if stop.has_come() {
            return Ok(None);
        }
        let mapping = mapping.map_err(|reason| failed(reason.to_string()))?;
        let slots = self.machine.slots_per_node();
        let on_the_whole =
            |slot: &u32| partition.nodes[(slot / slots) as usize] * slots + slot % slots;
        let slots = mapping.slots().iter().map(on_the_whole).collect();
        Ok(Some(whole.mapping(slots).expect("partitions are nodes of the machine")))
    }

    /// A partition as its own machine: a mesh if it is a box, otherwise only distances.
    fn machine_of(&self, partition: &Partition) -> Machine {
        let slots = self.machine.slots_per_node();
        if partition.nodes.len() == self.machine.num_nodes() {
            return self.machine.clone();
        }
        if let Some(lengths) = &partition.lengths {
            let sides: Vec<String> = lengths.iter().map(u32::to_string).collect();
            let spec = format!("mesh:{},slots={slots}", sides.join("x"));
            let mesh = Machine::parse(&spec).expect("it is smaller than the machine");
            let routing = self.machine.routing().name();
            return mesh.clone().with_routing(&routing).unwrap_or(mesh);
        }
        let part = Arc::new(Part::new(&self.machine, &partition.nodes));
        let spec = format!("graph:partition,slots={slots}");
        Machine::with_topology(&spec, part).expect("it is smaller than the machine")
    }

    /// The shapes among `candidates` on which jobs of this kind and size are fastest: the fastest one, and
    /// those that are as good within 1 %; `None` if `stop` says so before it is known.
    pub fn advised(
        &self,
        kind: usize,
        ranks: u32,
        candidates: Vec<Shape>,
        stop: &Stop,
    ) -> Result<Option<Vec<Shape>>, ScheduleError> {
        let Some(grid) = self.machine.topology().lattice() else { return Ok(Some(candidates)) };
        let search = crate::box_search::BoxSearch::new(&grid.lengths, grid.wraps);
        let mut timed = Vec::new();
        for shape in candidates {
            let lengths = shape.rotations[0].clone();
            let nodes = search.nodes(0, &lengths);
            let partition = Partition { nodes, lengths: Some(lengths) };
            let Some(factor) = self.factor(kind, ranks, &partition, stop)? else { return Ok(None) };
            timed.push((factor, shape));
        }
        let key = |(factor, shape): &(f64, Shape)| (*factor, shape.volume());
        timed.sort_by(|a, b| key(a).partial_cmp(&key(b)).expect("factors are numbers"));
        let limit = timed.first().map_or(0.0, |(best, _)| best * (1.0 + EQUAL));
        Ok(Some(
            timed
                .into_iter()
                .filter(|(factor, _)| *factor <= limit)
                .map(|(_, shape)| shape)
                .collect(),
        ))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
