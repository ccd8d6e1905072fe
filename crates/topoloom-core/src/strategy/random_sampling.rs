//! The best of many random placements.

use std::sync::Arc;

use rayon::prelude::*;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::in_order::InOrder;
use super::random::random_slots;
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "random-sampling",
    summary: "the best of many random placements",
    example: "random-sampling:samples=1000",
    parameters: &[Parameter { name: "samples", default: "10000", summary: "placements to try" }],
    build: |spec| {
        spec.no_shape()?;
        let samples = spec.get_positive("samples")?.unwrap_or(10_000);
        Ok(Arc::new(RandomSampling { samples }))
    },
};

/// The best of `samples` random placements.
#[derive(Debug, Clone, Copy)]
pub struct RandomSampling {
    /// How many placements to try.
    pub samples: u64,
}

/// Slots to fill between two checks of the limits, and the maximum number of samples.
const SLOTS_IN_A_BATCH: u64 = 1 << 22;
const LARGEST_BATCH: u64 = 256;

/// Samples that one task of a full batch works through.
const SAMPLES_PER_TASK: u64 = 16;

impl Strategy for RandomSampling {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let objective = objective.unwrap_or(&HopBytes);
        let anything = InOrder.map(problem, None, run)?;
        let samples = self.samples.min(run.evaluations_left()).max(1);
        let seed = run.seed();
        let largest_batch = (SLOTS_IN_A_BATCH / problem.num_slots() as u64).clamp(2, LARGEST_BATCH);
        let per_task = largest_batch.div_ceil(LARGEST_BATCH / SAMPLES_PER_TASK);
        let mut best = NOTHING;
        let mut done = 0;
        while done < samples {
            let batch = largest_batch.min(samples - done);
            let tasks: Vec<u64> = (done..done + batch).step_by(per_task as usize).collect();
            let end = done + batch;
            let run_of_batch = &*run;
            let best_of_batch = tasks
                .into_par_iter()
                .map(|first| {
                    let mut tracker = None;
                    let mut slots = vec![0; problem.num_slots()];
                    (first..end.min(first + per_task))
                        .take_while(|&sample| sample == 0 || !run_of_batch.is_over())
                        .map(|sample| {
                            random_slots(seed, sample, &mut slots);
                            let tracker =
                                tracker.get_or_insert_with(|| objective.track(problem, &anything));
                            (tracker.reset(&slots), sample)
                        })
                        .fold(NOTHING, better)
                })
                .reduce(|| NOTHING, better);
            best = better(best, best_of_batch);
            done += batch;
            run.progress("random samples", done, samples);
            run.found(best.0);
            if !run.spend_long(batch) {
                break;
            }
        }
        let mut slots = vec![0; problem.num_slots()];
        random_slots(seed, best.1, &mut slots);
        slots.truncate(problem.num_ranks());
        Ok(Mapping::new(slots, problem.machine()).expect("a permutation of the slots"))
    }
}

/// A value worse than any sample.
const NOTHING: (f64, u64) = (f64::INFINITY, u64::MAX);

/// The cheaper of two samples; among equals, the earlier.
fn better(a: (f64, u64), b: (f64, u64)) -> (f64, u64) {
    if b < a { b } else { a }
}
