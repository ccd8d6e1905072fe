//! The measures of a schedule.

use crate::job::{TICKS_PER_SECOND, Ticks};

/// Nodes times ticks, by what they were used for. Their sum is the nodes times the makespan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeTicks {
    /// Nodes that jobs asked for, while they run.
    pub busy: u128,
    /// Nodes that jobs hold in addition to those: internal fragmentation.
    pub held_beyond: u128,
    /// Nodes that are idle although there are as many of them as the first waiting job asks for:
    /// external fragmentation.
    pub scattered: u128,
    /// Nodes that are idle because they are fewer than the first waiting job asks for.
    pub too_few: u128,
    /// Nodes that are idle because no job waits.
    pub unwanted: u128,
}

impl NodeTicks {
    /// All of them.
    pub fn total(&self) -> u128 {
        self.busy + self.held_beyond + self.scattered + self.too_few + self.unwanted
    }
}

/// Shorter run times count as this one in the bounded slowdown (Feitelson and others 1997).
const SHORT: f64 = 10.0;

/// The measures of a schedule, with times in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measures {
    /// From arrival to start, on average.
    pub wait: f64,
    /// The longest.
    pub longest_wait: f64,
    /// From arrival to end, on average.
    pub response: f64,
    /// The response time divided by the run time on the reference placement, or by 10 seconds if
    /// that run time is shorter; at least 1; on average.
    pub bounded_slowdown: f64,
    /// How much longer jobs take than on the reference placement: node seconds of all jobs together.
    pub stretch: f64,
    /// Share of node seconds that jobs have asked for and use.
    pub utilisation: f64,
    /// Share of node seconds that jobs hold and did not ask for.
    pub internal_fragmentation: f64,
    /// Share of node seconds that are idle although the first waiting job asks for no more nodes.
    pub external_fragmentation: f64,
    /// From the first arrival to the last end.
    pub makespan: f64,
}

/// The numbers that are counted for one job.
pub(crate) struct Counted {
    pub(crate) submit: Ticks,
    pub(crate) start: Ticks,
    pub(crate) end: Ticks,
    pub(crate) reference: Ticks,
    pub(crate) nodes: u32,
}

impl Measures {
    /// The measures of at least one job.
    pub(crate) fn of(
        jobs: impl ExactSizeIterator<Item = Counted>,
        node_ticks: &NodeTicks,
        makespan: Ticks,
    ) -> Measures {
        let count = jobs.len() as f64;
        let (mut wait, mut response, mut longest, mut slowdown) = (0.0, 0.0, 0.0f64, 0.0);
        let (mut taken, mut reference) = (0.0, 0.0);
        for job in jobs {
            let waited = seconds(job.start - job.submit);
            let took = seconds(job.end - job.submit);
            wait += waited;
            longest = longest.max(waited);
            response += took;
            slowdown += (took / seconds(job.reference).max(SHORT)).max(1.0);
            taken += f64::from(job.nodes) * seconds(job.end - job.start);
            reference += f64::from(job.nodes) * seconds(job.reference.max(1));
        }
        let share = |part: u128| part as f64 / node_ticks.total().max(1) as f64;
        Measures {
            wait: wait / count,
            longest_wait: longest,
            response: response / count,
            bounded_slowdown: slowdown / count,
            stretch: taken / reference,
            utilisation: share(node_ticks.busy),
            internal_fragmentation: share(node_ticks.held_beyond),
            external_fragmentation: share(node_ticks.scattered),
            makespan: seconds(makespan),
        }
    }
}

fn seconds(ticks: Ticks) -> f64 {
    ticks as f64 / TICKS_PER_SECOND
}
