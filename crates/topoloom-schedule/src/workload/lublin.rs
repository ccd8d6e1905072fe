//! The model of Lublin and Feitelson: sizes, run times and arrivals of rigid jobs.
//!
//! U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling the
//! characteristics of rigid jobs", Journal of Parallel and Distributed Computing 63 (2003),
//! 1105-1122. The numbers are those of the authors' program for jobs without a type (batch and
//! interactive together), daily cycle included. The model has no user estimates: queues know the
//! run times.

use rand::RngExt;
use topoloom_core::random::{Stream, stream};
use topoloom_core::{Entry, Parameter, SpecError, budget};

use super::gamma::Gamma;
use super::interface::{WorkloadBuilder, WorkloadModel};
use crate::job::{Job, TICKS_PER_SECOND, Ticks};

/// The registry's entry.
pub static ENTRY: Entry<WorkloadBuilder> = Entry {
    name: "lublin",
    summary: "the model of Lublin and Feitelson (2003): sizes, run times, arrivals with a daily cycle",
    example: "lublin:jobs=1000",
    parameters: &[Parameter { name: "jobs", default: "1000", summary: "number of jobs" }],
    build: |spec| {
        spec.no_shape()?;
        let jobs = spec.get::<std::num::NonZeroU32>("jobs", "a number of at least 1")?;
        let jobs = jobs.map_or(1000, std::num::NonZeroU32::get);
        if jobs > MOST_JOBS {
            let text =
                format!("lublin: {jobs} jobs are too many; at most {MOST_JOBS} are possible");
            return Err(SpecError::new(text));
        }
        budget::memory().check_items(&format!("{jobs} jobs"), jobs.into(), BYTES_OF_JOB)?;
        Ok(Box::new(Lublin { jobs }))
    },
};

/// Jobs are simulated one after another, so their number is limited.
const MOST_JOBS: u32 = 10_000_000;
/// Memory of one job: its data, its result, and a partition of a few nodes.
const BYTES_OF_JOB: u64 = 256;

/// The share of jobs on one node, and the share of the others on powers of two.
const SERIAL: f64 = 0.244;
const POWERS_OF_TWO: f64 = 0.576;
/// The smallest size as a power of two; the distance of the bend from the largest; and how many sizes
/// are below the bend.
const LOWEST: f64 = 0.8;
const BEND_BELOW_HIGHEST: f64 = 2.5;
const BELOW_BEND: f64 = 0.86;
/// The logarithm of the run time: short jobs, long jobs, and the share of short ones by size.
const SHORT: Gamma = Gamma { alpha: 4.2, beta: 0.94 };
const LONG: Gamma = Gamma { alpha: 312.0, beta: 0.03 };
const SHORT_BY_NODE: f64 = -0.0054;
const SHORT_AT_LEAST: f64 = 0.78;
/// Limits of the logarithms of times: larger ones are drawn again.
const LONGEST_RUN: f64 = 12.0;
const LONGEST_PAUSE: f64 = 13.0;
/// The logarithm of the time between arrivals, over the whole day.
const PAUSE: Gamma = Gamma { alpha: 10.2303 * 1.0225, beta: 0.4871 };
/// How many jobs arrive in each half hour of a day that begins at `DAY_BEGINS`.
const CYCLE: Gamma = Gamma { alpha: 8.1737, beta: 3.9631 };
const HALF_HOURS: usize = 48;
const DAY_BEGINS: usize = 11;
const SECONDS_OF_HALF_HOUR: f64 = 1800.0;

/// The model of Lublin and Feitelson (2003).
#[derive(Debug, Clone, Copy)]
pub struct Lublin {
    /// How many jobs.
    pub jobs: u32,
}

impl WorkloadModel for Lublin {
    fn generate(&self, nodes: u32, slots_per_node: u32, seed: u64) -> Vec<Job> {
        let mut rng = stream(seed, &[STREAM]);
        let mut arrivals = Arrivals::new();
        (1..=u64::from(self.jobs))
            .map(|number| {
                let submit = arrivals.next(&mut rng);
                let size = size(&mut rng, nodes);
                let run_time = ticks(run_time(&mut rng, size));
                let ranks = size.saturating_mul(slots_per_node);
                Job { number, submit: ticks(submit), ranks, run_time, estimate: run_time }
            })
            .collect()
    }
}

/// Separates the stream of this purpose from others of the same seed.
const STREAM: u64 = 0x6c75_626c;

fn ticks(seconds: f64) -> Ticks {
    (seconds * TICKS_PER_SECOND).round() as Ticks
}

/// The nodes of a job: one, a power of two, or any number, with a two-stage uniform logarithm.
fn size(rng: &mut Stream, nodes: u32) -> u32 {
    let kind: f64 = rng.random();
    let highest = f64::from(nodes).log2();
    if kind <= SERIAL || highest <= LOWEST {
        return 1;
    }
    let bend = (highest - BEND_BELOW_HIGHEST).max(LOWEST);
    let (from, to) =
        if rng.random::<f64>() <= BELOW_BEND { (LOWEST, bend) } else { (bend, highest) };
    let mut power = from + (to - from) * rng.random::<f64>();
    if kind <= SERIAL + POWERS_OF_TWO {
        power = power.round();
    }
    // A power that was rounded up may exceed a machine whose size is not a power of two.
    if power > highest {
        power = highest.floor();
    }
    (power.exp2().round() as u32).min(nodes)
}

/// Seconds that a job of this size runs.
fn run_time(rng: &mut Stream, size: u32) -> f64 {
    let short = (SHORT_BY_NODE * f64::from(size) + SHORT_AT_LEAST).clamp(0.0, 1.0);
    loop {
        let gamma = if rng.random::<f64>() <= short { SHORT } else { LONG };
        let logarithm = gamma.draw(rng);
        if logarithm <= LONGEST_RUN {
            return logarithm.exp();
        }
    }
}

/// When jobs arrive, from midnight on.
struct Arrivals {
    /// How much faster than on average time passes for arrivals in each half hour.
    pace: [f64; HALF_HOURS],
    /// Half hours since the beginning, with a fraction.
    now: f64,
}

impl Arrivals {
    fn new() -> Arrivals {
        let mut pace = [0.0; HALF_HOURS];
        for number in DAY_BEGINS..DAY_BEGINS + HALF_HOURS {
            let middle = number as f64;
            pace[(number - 1) % HALF_HOURS] = CYCLE.relative_share(middle - 0.5, middle + 0.5);
        }
        let mean = pace.iter().sum::<f64>() / HALF_HOURS as f64;
        pace.iter_mut().for_each(|pace| *pace /= mean);
        Arrivals { pace, now: 0.0 }
    }

    /// The next arrival, in seconds. A pause is drawn as if all hours were alike, and passes faster
    /// in busy hours.
    fn next(&mut self, rng: &mut Stream) -> f64 {
        let mut left = loop {
            let logarithm = PAUSE.draw(rng);
            if logarithm <= LONGEST_PAUSE {
                break logarithm.exp() / SECONDS_OF_HALF_HOUR;
            }
        };
        loop {
            let pace = self.pace[self.now as usize % HALF_HOURS];
            let rest = (self.now.floor() + 1.0 - self.now) * pace;
            if left <= rest {
                self.now += left / pace;
                return self.now * SECONDS_OF_HALF_HOUR;
            }
            left -= rest;
            self.now = self.now.floor() + 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: u32 = 60_000;

    fn jobs() -> Vec<Job> {
        Lublin { jobs: MANY }.generate(128, 1, 1)
    }

    fn share(jobs: &[Job], holds: impl Fn(&Job) -> bool) -> f64 {
        jobs.iter().filter(|job| holds(job)).count() as f64 / jobs.len() as f64
    }

    fn mean(values: impl Iterator<Item = f64>) -> f64 {
        let (sum, count) =
            values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    }

    #[test]
    fn sizes_have_the_published_shares() {
        let jobs = jobs();
        let one = share(&jobs, |job| job.ranks == 1);
        // 0.244, with a deviation of 0.0018. No power is rounded down to a size of 1: the lowest is
        // 0.8.
        assert!((one - SERIAL).abs() < 0.008, "{one}");
        // Some of the other sizes are powers of two by chance, so this is a bound.
        let powers = share(&jobs, |job| job.ranks > 1 && job.ranks.is_power_of_two());
        assert!((POWERS_OF_TWO - 0.008..POWERS_OF_TWO + 0.08).contains(&powers), "{powers}");
        // The mean power of parallel jobs is (p L + M + (1 - p) H) / 2 with L = 0.8, M = 4.5, H = 7, as the
        // authors' program says; rounding to whole nodes moves it little.
        let power =
            mean(jobs.iter().filter(|job| job.ranks > 1).map(|job| f64::from(job.ranks).log2()));
        let expected = (BELOW_BEND * LOWEST + 4.5 + (1.0 - BELOW_BEND) * 7.0) / 2.0;
        assert!((power - expected).abs() < 0.05, "{power} {expected}");
        assert!(jobs.iter().all(|job| (1..=128).contains(&job.ranks)));
    }

    #[test]
    fn run_times_have_the_published_means_and_grow_with_the_size() {
        let jobs = jobs();
        let logarithm = |job: &Job| (job.run_time as f64 / TICKS_PER_SECOND).max(1e-3).ln();
        // E = p a1 b1 + (1 - p) a2 b2 with p = pa size + pb.
        for size in [1, 2, 8, 32] {
            let of_size: Vec<&Job> = jobs.iter().filter(|job| job.ranks == size).collect();
            let found = mean(of_size.iter().map(|job| logarithm(job)));
            let short = SHORT_BY_NODE * f64::from(size) + SHORT_AT_LEAST;
            let expected = short * 4.2 * 0.94 + (1.0 - short) * 312.0 * 0.03;
            // The deviation of one is about 3.
            let tolerance = 4.0 * 3.0 / (of_size.len() as f64).sqrt();
            assert!((found - expected).abs() < tolerance, "{size}: {found} {expected}");
        }
        let longest = jobs.iter().map(|job| job.run_time).max().unwrap();
        assert!(longest as f64 <= LONGEST_RUN.exp() * TICKS_PER_SECOND + 1.0);
    }

    #[test]
    fn arrivals_follow_the_day() {
        let jobs = jobs();
        let mut found = [0.0; HALF_HOURS];
        for job in &jobs {
            let half_hour = job.submit as f64 / TICKS_PER_SECOND / SECONDS_OF_HALF_HOUR;
            found[half_hour as usize % HALF_HOURS] += HALF_HOURS as f64 / f64::from(MANY);
        }
        // Each half hour has its share by the gamma distribution of the paper, within the random
        // error of arrivals in bursts.
        for (at, (found, expected)) in found.iter().zip(Arrivals::new().pace).enumerate() {
            assert!(
                (found - expected).abs() < 0.12 * expected.max(1.0),
                "{at}: {found} {expected}"
            );
        }
        // The rush is after noon, and the night is quiet.
        let busiest = (0..HALF_HOURS).max_by(|&a, &b| found[a].total_cmp(&found[b])).unwrap();
        assert!((24..34).contains(&busiest), "{busiest}");
    }

    #[test]
    fn pauses_have_the_published_mean() {
        let jobs = jobs();
        // Over whole days the pace is 1 on average: the mean pause is that of exp(gamma), which is found here by
        // summing over its density up to the longest.
        let steps = 20_000;
        let width = LONGEST_PAUSE / f64::from(steps);
        let (mut weight, mut sum) = (0.0, 0.0);
        for step in 0..steps {
            let (from, to) = (f64::from(step) * width, f64::from(step + 1) * width);
            let share = PAUSE.relative_share(from, to);
            weight += share;
            sum += share * ((from + to) / 2.0).exp();
        }
        let last = jobs.last().unwrap().submit as f64 / TICKS_PER_SECOND;
        let found = last / f64::from(MANY);
        assert!((found / (sum / weight) - 1.0).abs() < 0.1, "{found} {}", sum / weight);
    }

    #[test]
    fn jobs_come_again_by_seed_and_in_order() {
        let jobs = Lublin { jobs: 50 }.generate(100, 2, 5);
        assert_eq!(jobs, Lublin { jobs: 50 }.generate(100, 2, 5));
        assert_ne!(jobs, Lublin { jobs: 50 }.generate(100, 2, 6));
        assert!(jobs.is_sorted_by_key(|job| job.submit));
        assert!(jobs.iter().all(|job| job.ranks % 2 == 0 && job.ranks <= 200));
        // A machine of one node has jobs of one node.
        assert!(Lublin { jobs: 50 }.generate(1, 1, 1).iter().all(|job| job.ranks == 1));
    }
}
