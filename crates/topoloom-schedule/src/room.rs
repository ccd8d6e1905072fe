//! The machine room: which jobs run where, and which wait.

use std::collections::{HashMap, HashSet};

use crate::error::ScheduleError;
use crate::job::{Job, Ticks};
use crate::node_set::NodeSet;
use crate::partition::{Partition, PartitionPolicy, Request};
use crate::run_times::RunTimes;
use crate::shape::{ShapeRule, boxes_for};
use crate::stop::Stop;

/// A job that runs.
#[derive(Debug, Clone)]
pub(crate) struct Running {
    pub(crate) job: usize,
    pub(crate) partition: Partition,
    pub(crate) start: Ticks,
    pub(crate) end: Ticks,
    /// When the queue expects it to end: never before its real end.
    pub(crate) expected_end: Ticks,
    /// How much longer than on the reference placement it takes.
    pub(crate) factor: f64,
}

/// Why a step of a queue did not end.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Time is up.
    Stopped,
    Failed(ScheduleError),
}

impl From<ScheduleError> for Halt {
    fn from(error: ScheduleError) -> Halt {
        Halt::Failed(error)
    }
}

/// What queues see and change.
pub(crate) struct Room<'a> {
    pub(crate) now: Ticks,
    pub(crate) free: NodeSet,
    /// By arrival; simultaneous arrivals by number.
    pub(crate) waiting: Vec<usize>,
    /// By start.
    pub(crate) running: Vec<Running>,
    pub(crate) policy: Box<dyn PartitionPolicy>,
    jobs: &'a [Job],
    /// The kind of traffic of each job.
    kinds: &'a [usize],
    run_times: &'a RunTimes,
    stop: &'a Stop,
    /// By kind of traffic and ranks.
    requests: HashMap<(usize, u32), Request>,
    /// Requests that failed since a job last ended. Until the next end, free nodes only become
    /// fewer.
    in_vain: HashSet<(usize, u32)>,
    slots_per_node: u32,
}

impl<'a> Room<'a> {
    /// An empty machine.
    pub(crate) fn new(
        jobs: &'a [Job],
        kinds: &'a [usize],
        run_times: &'a RunTimes,
        policy: Box<dyn PartitionPolicy>,
        stop: &'a Stop,
    ) -> Room<'a> {
        let machine = run_times.machine();
        Room {
            now: 0,
            free: NodeSet::all(machine.num_nodes()),
            waiting: Vec::new(),
            running: Vec::new(),
            policy,
            jobs,
            kinds,
            run_times,
            stop,
            requests: HashMap::new(),
            in_vain: HashSet::new(),
            slots_per_node: machine.slots_per_node(),
        }
    }

    pub(crate) fn job(&self, job: usize) -> &Job {
        &self.jobs[job]
    }

    /// The nodes that a job asks for.
    pub(crate) fn nodes_of(&self, job: usize) -> u32 {
        self.jobs[job].nodes(self.slots_per_node)
    }

    /// Makes sure that the request of a job is known.
    pub(crate) fn prepare(&mut self, job: usize) -> Result<(), Halt> {
        let key = self.key(job);
        if !self.requests.contains_key(&key) {
            let request = self.make_request(key)?;
            self.requests.insert(key, request);
        }
        Ok(())
    }

    fn key(&self, job: usize) -> (usize, u32) {
        (self.kinds[job], self.jobs[job].ranks)
    }

    fn make_request(&self, (kind, ranks): (usize, u32)) -> Result<Request, Halt> {
        let nodes = ranks.div_ceil(self.slots_per_node);
        let machine = self.run_times.machine();
        let shapes = match (self.policy.shape_rule(), machine.topology().lattice()) {
            (Some(rule), Some(grid)) => {
                let shapes = rule.choose(&boxes_for(nodes, &grid.lengths));
                match rule {
                    ShapeRule::Advise => self
                        .run_times
                        .advised(kind, ranks, shapes, self.stop)?
                        .ok_or(Halt::Stopped)?,
                    _ => shapes,
                }
            }
            _ => Vec::new(),
        };
        Ok(Request { nodes, shapes })
    }

    /// Whether a prepared job could get nodes of `free`.
    pub(crate) fn could(&mut self, job: usize, free: &NodeSet) -> bool {
        let request = &self.requests[&self.key(job)];
        self.policy.could(request, free)
    }

    /// Nodes of `free` for a prepared job.
    pub(crate) fn find_in(&mut self, job: usize, free: &NodeSet) -> Option<Partition> {
        let request = &self.requests[&self.key(job)];
        self.policy.find(request, free)
    }

    /// Nodes for a job now.
    pub(crate) fn find(&mut self, job: usize) -> Option<Partition> {
        let key = self.key(job);
        if self.in_vain.contains(&key) {
            return None;
        }
        let found = self.policy.find(&self.requests[&key], &self.free);
        if found.is_none() {
            self.in_vain.insert(key);
        }
        found
    }

    /// How much longer than on the reference placement a job takes on a partition.
    pub(crate) fn factor(&self, job: usize, partition: &Partition) -> Result<f64, Halt> {
        let (kind, ranks) = self.key(job);
        self.run_times.factor(kind, ranks, partition, self.stop)?.ok_or(Halt::Stopped)
    }

    /// When a job that starts now is expected to end.
    pub(crate) fn expected_end(&self, job: usize, factor: f64) -> Ticks {
        self.now + scaled(self.jobs[job].estimate, factor)
    }

    /// Starts a waiting job on nodes that are free.
    pub(crate) fn start(&mut self, job: usize, partition: Partition, factor: f64) {
        self.free.remove_all(&partition.nodes);
        self.waiting.retain(|&waiting| waiting != job);
        let end = self.now + scaled(self.jobs[job].run_time, factor);
        let expected_end = self.expected_end(job, factor);
        let start = self.now;
        self.running.push(Running { job, partition, start, end, expected_end, factor });
    }

    /// Ends a running job and returns it.
    pub(crate) fn end(&mut self, job: usize) -> Running {
        let at = self.running.iter().position(|running| running.job == job);
        let ended = self.running.remove(at.expect("only running jobs end"));
        self.free.insert_all(&ended.partition.nodes);
        self.in_vain.clear();
        ended
    }
}

/// A scaled time of at least one tick: a job ends after it starts. The longer of two times never
/// becomes the shorter one.
fn scaled(time: Ticks, factor: f64) -> Ticks {
    let scaled = match factor == 1.0 {
        true => time,
        false => (time as f64 * factor).round() as Ticks,
    };
    scaled.max(1)
}
