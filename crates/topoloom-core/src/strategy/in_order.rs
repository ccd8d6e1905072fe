//! Rank r in slot r, as launchers do it.

use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::filling::fill;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "in-order",
    summary: "rank r in slot r, as launchers do it; blocks of ranks if slots are shared",
    example: "in-order",
    parameters: &[],
    build: |spec| {
        spec.no_shape()?;
        Ok(Arc::new(InOrder))
    },
};

/// Rank r in slot r.
#[derive(Debug, Clone, Copy)]
pub struct InOrder;

impl Strategy for InOrder {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        _run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let slots: Vec<u32> = (0..problem.num_slots() as u32).collect();
        fill(problem, 0..problem.num_ranks() as u32, &slots)
    }
}
