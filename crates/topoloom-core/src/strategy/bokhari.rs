//! Bokhari's MAPPER from the sweep placement, as the HAEC thesis uses it.

use std::sync::Arc;

use super::in_order::InOrder;
use super::{NotApplicable, Strategy, StrategyEntry};
use crate::mapping::Mapping;
use crate::objective::{Cardinality, Objective};
use crate::problem::Problem;
use crate::refiner::Mapper;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "bokhari",
    summary: "MAPPER: pairwise exchange with random jumps, from sweep, for cardinality",
    example: "bokhari",
    parameters: Mapper::PARAMETERS,
    build: |spec| Ok(Arc::new(Bokhari(Mapper::from_spec(spec)?))),
};

/// MAPPER from the sweep placement; optimises cardinality unless an objective is given.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bokhari(pub Mapper);

impl Strategy for Bokhari {
    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        // Sweep goes through the nodes in the order of their numbers, as in-order does.
        let start = InOrder.map(problem, objective, run)?;
        Ok(self.0.improve(problem, objective.unwrap_or(&Cardinality), start, run))
    }
}
