//! Every rank anywhere.

use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::filling::fill;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::random;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "random",
    summary: "a random placement, each equally likely",
    example: "random",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(Random))
    },
};

/// A random placement.
#[derive(Debug, Clone, Copy)]
pub struct Random;

/// The slots of the machine in a random order that depends only on the seed and `sample`.
pub(super) fn random_slots(seed: u64, sample: u64, slots: &mut [u32]) {
    for (slot, value) in slots.iter_mut().enumerate() {
        *value = slot as u32;
    }
    random::shuffle(&mut random::stream(seed, &[sample]), slots);
}

impl Strategy for Random {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        if problem.sharing().is_some() {
            let mut ranks: Vec<u32> = (0..problem.num_ranks() as u32).collect();
            random::shuffle(&mut random::stream(run.seed(), &[0]), &mut ranks);
            let slots: Vec<u32> = (0..problem.num_slots() as u32).collect();
            return fill(problem, ranks.iter().copied(), &slots);
        }
        let mut slots = vec![0; problem.num_slots()];
        random_slots(run.seed(), 0, &mut slots);
        slots.truncate(problem.num_ranks());
        Ok(Mapping::new(slots, problem.machine()).expect("a permutation of the slots"))
    }
}
