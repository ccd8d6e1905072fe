//! What a user asks for.

/// Time in whole milliseconds, so simultaneous events count as one.
pub type Ticks = u64;

/// Ticks per second.
pub const TICKS_PER_SECOND: f64 = 1000.0;

/// What a user asks for, and what the job then takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Its number in the file, or from 1.
    pub number: u64,
    /// When it is submitted.
    pub submit: Ticks,
    /// How many processes it has: one per slot.
    pub ranks: u32,
    /// How long it takes on the reference placement.
    pub run_time: Ticks,
    /// The longest time that its user expects; queues plan with it. Never below `run_time`.
    pub estimate: Ticks,
}

impl Job {
    /// The nodes that it asks for.
    pub fn nodes(&self, slots_per_node: u32) -> u32 {
        self.ranks.div_ceil(slots_per_node)
    }
}

/// Moves arrivals closer together or apart, all by the same factor, to make the jobs ask for `load`
/// of `nodes`: the sum of nodes times run time, divided by the time from the first arrival to the
/// last. Returns the previous load. If all jobs arrive at once or take no time, returns `None` and
/// changes nothing.
pub fn scale_to_load(
    jobs: &mut [Job],
    nodes: usize,
    slots_per_node: u32,
    load: f64,
) -> Option<f64> {
    let before = offered_load(jobs, nodes, slots_per_node)?;
    let first = jobs.iter().map(|job| job.submit).min()?;
    let factor = before / load;
    for job in jobs {
        job.submit = first + ((job.submit - first) as f64 * factor).round() as Ticks;
    }
    Some(before)
}

/// The share of the machine that jobs ask for while they arrive.
fn offered_load(jobs: &[Job], nodes: usize, slots_per_node: u32) -> Option<f64> {
    let first = jobs.iter().map(|job| job.submit).min()?;
    let last = jobs.iter().map(|job| job.submit).max()?;
    let work: f64 =
        jobs.iter().map(|job| f64::from(job.nodes(slots_per_node)) * job.run_time as f64).sum();
    let room = (last - first) as f64 * nodes as f64;
    (room > 0.0 && work > 0.0).then(|| work / room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_move_apart_until_the_load_is_as_asked() {
        let job = |submit| Job { number: 1, submit, ranks: 2, run_time: 50, estimate: 50 };
        let mut jobs = [job(100), job(150), job(200)];
        // 3 x 2 x 50 node ticks during 100 ticks of 4 nodes.
        assert_eq!(scale_to_load(&mut jobs, 4, 1, 0.5), Some(0.75));
        assert_eq!(jobs.map(|job| job.submit), [100, 175, 250]);
        assert_eq!(scale_to_load(&mut [job(5), job(5)], 4, 1, 0.5), None);
        // Two ranks share a node of two slots.
        assert_eq!(job(0).nodes(2), 1);
        assert_eq!(Job { ranks: 3, ..job(0) }.nodes(2), 2);
    }
}
