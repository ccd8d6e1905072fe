//! One run of a stream of jobs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use topoloom_core::Machine;

use crate::error::ScheduleError;
use crate::job::{Job, Ticks};
use crate::measures::{Counted, Measures, NodeTicks};
use crate::partition::{Divider, Partition};
use crate::queue::QueuePolicy;
use crate::room::{Halt, Room, Running};
use crate::run_times::RunTimes;
use crate::stop::Stop;

/// A stream of jobs and how long each takes where.
#[derive(Debug)]
pub struct Simulation {
    jobs: Vec<Job>,
    /// The kind of traffic of each job.
    kinds: Vec<usize>,
    run_times: Arc<RunTimes>,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduledJob {
    /// The job as submitted.
    pub job: Job,
    /// When it starts.
    pub start: Ticks,
    /// When it ends.
    pub end: Ticks,
    /// Where it runs.
    pub partition: Partition,
    /// How much longer it takes there than on the reference placement.
    pub factor: f64,
}

/// What became of all jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// In the order of arrival.
    pub jobs: Vec<ScheduledJob>,
    /// What nodes were used for.
    pub node_ticks: NodeTicks,
    /// From the first arrival to the last end.
    pub makespan: Ticks,
    /// Its measures.
    pub measures: Measures,
}

impl Simulation {
    /// Jobs with the kind of traffic of each: an index of the mix that `run_times` was made with.
    pub fn new(mut jobs: Vec<Job>, kinds: Vec<usize>, run_times: Arc<RunTimes>) -> Simulation {
        debug_assert_eq!(jobs.len(), kinds.len());
        // Stable: jobs with the same number keep their order.
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&at| (jobs[at].submit, jobs[at].number));
        let kinds = order.iter().map(|&at| kinds[at]).collect();
        jobs = order.iter().map(|&at| jobs[at]).collect();
        Simulation { jobs, kinds, run_times }
    }

    /// Jobs that take equally long on every partition.
    pub fn without_traffic(machine: &Machine, jobs: Vec<Job>) -> Simulation {
        let kinds = vec![0; jobs.len()];
        Simulation::new(jobs, kinds, Arc::new(RunTimes::constant(machine)))
    }

    /// The jobs in the order of arrival.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Which jobs a partition policy could place on the empty machine; `None` if `stop` says so before
    /// it is known.
    pub fn fitting(
        &self,
        divider: &Divider,
        stop: &Stop,
    ) -> Result<Option<Vec<bool>>, ScheduleError> {
        let mut room = self.room(divider, stop);
        let all = room.free.clone();
        let mut fits = Vec::with_capacity(self.jobs.len());
        for job in 0..self.jobs.len() {
            let small_enough = room.nodes_of(job) <= all.len() && self.jobs[job].ranks > 0;
            fits.push(match small_enough {
                false => false,
                true => match room.prepare(job) {
                    Ok(()) => room.could(job, &all),
                    Err(Halt::Stopped) => return Ok(None),
                    Err(Halt::Failed(error)) => return Err(error),
                },
            });
        }
        Ok(Some(fits))
    }

    /// Keeps the jobs for which `keep` is true.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut flags = keep.iter();
        self.jobs.retain(|_| *flags.next().expect("one for each job"));
        let mut flags = keep.iter();
        self.kinds.retain(|_| *flags.next().expect("one for each job"));
    }

    fn room<'a>(&'a self, divider: &Divider, stop: &'a Stop) -> Room<'a> {
        Room::new(&self.jobs, &self.kinds, &self.run_times, divider.policy(), stop)
    }

    /// Runs all jobs, each of which must fit the empty machine; `None` if `stop` says so before the last
    /// one has ended.
    pub fn run(
        &self,
        queue: &QueuePolicy,
        divider: &Divider,
        stop: &Stop,
    ) -> Result<Option<Schedule>, ScheduleError> {
        match self.run_or_halt(queue, divider, stop) {
            Ok(schedule) => Ok(Some(schedule)),
            Err(Halt::Stopped) => Ok(None),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    fn run_or_halt(
        &self,
        queue: &QueuePolicy,
        divider: &Divider,
        stop: &Stop,
    ) -> Result<Schedule, Halt> {
        let Some(first) = self.jobs.first() else { return Err(ScheduleError::NoJobs.into()) };
        let mut room = self.room(divider, stop);
        let mut queue = queue.queue();
        let mut done: Vec<Option<Running>> = vec![None; self.jobs.len()];
        // Of jobs that end at the same time, the one with the lower number comes first.
        let mut ends: BinaryHeap<Reverse<(Ticks, usize)>> = BinaryHeap::new();
        let mut arrived = 0;
        let mut node_ticks = NodeTicks::default();
        room.now = first.submit;
        loop {
            if stop.has_come() {
                return Err(Halt::Stopped);
            }
            while let Some(&Reverse((end, job))) = ends.peek().filter(|next| next.0.0 == room.now) {
                ends.pop();
                let ended = room.end(job);
                debug_assert_eq!(ended.end, end);
                queue.ended(&ended, room.now);
                done[job] = Some(ended);
                stop.tell_of_end();
            }
            while arrived < self.jobs.len() && self.jobs[arrived].submit == room.now {
                room.prepare(arrived)?;
                room.waiting.push(arrived);
                arrived += 1;
            }
            let before = room.running.len();
            queue.schedule(&mut room)?;
            ends.extend(room.running[before..].iter().map(|new| Reverse((new.end, new.job))));
            let next_end = ends.peek().map(|next| next.0.0);
            let next_arrival = self.jobs.get(arrived).map(|job| job.submit);
            let next = [next_end, next_arrival, queue.wake_up()].into_iter().flatten().min();
            let Some(next) = next else { break };
            debug_assert!(next > room.now, "time goes on");
            count(&mut node_ticks, &room, next - room.now);
            room.now = next;
        }
        let makespan = room.now - first.submit;
        let jobs: Vec<ScheduledJob> = done
            .into_iter()
            .zip(&self.jobs)
            .map(|(running, &job)| {
                let Running { partition, start, end, factor, .. } =
                    running.expect("the queue starts every job that fits the machine");
                ScheduledJob { job, start, end, partition, factor }
            })
            .collect();
        let slots = self.run_times.machine().slots_per_node();
        let counted = jobs.iter().map(|scheduled| Counted {
            submit: scheduled.job.submit,
            start: scheduled.start,
            end: scheduled.end,
            reference: scheduled.job.run_time,
            nodes: scheduled.job.nodes(slots),
        });
        let measures = Measures::of(counted, &node_ticks, makespan);
        Ok(Schedule { jobs, node_ticks, makespan, measures })
    }
}

/// Adds the use of the nodes during this many ticks.
fn count(node_ticks: &mut NodeTicks, room: &Room<'_>, ticks: Ticks) {
    let ticks = u128::from(ticks);
    let asked: u128 = room.running.iter().map(|job| u128::from(room.nodes_of(job.job))).sum();
    let held: u128 = room.running.iter().map(|job| job.partition.nodes.len() as u128).sum();
    let idle = u128::from(room.free.len());
    node_ticks.busy += asked * ticks;
    node_ticks.held_beyond += (held - asked) * ticks;
    let first_asks = room.waiting.first().map(|&job| u128::from(room.nodes_of(job)));
    match first_asks {
        None => node_ticks.unwanted += idle * ticks,
        Some(asks) if asks <= idle => node_ticks.scattered += idle * ticks,
        Some(_) => node_ticks.too_few += idle * ticks,
    }
}
