//! A strategy and the refiners after it: `hilbert | bokhari`.

use std::sync::Arc;

use super::{NotApplicable, STRATEGIES, Strategy};
use crate::mapping::Mapping;
use crate::objective::{HopBytes, Objective};
use crate::problem::Problem;
use crate::refiner::{REFINERS, Refiner};
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// The strategy that `text` describes: one name, or a start and refiners separated by `|`.
pub fn parse_strategy(text: &str) -> Result<Arc<dyn Strategy>, SpecError> {
    let mut parts = text.split('|');
    let spec = Spec::parse(parts.next().unwrap_or_default())?;
    let start = (STRATEGIES.find(&spec)?.build)(&spec)?;
    let refiners: Vec<Arc<dyn Refiner>> = parts
        .map(|part| {
            let spec = Spec::parse(part)?;
            (REFINERS.find(&spec)?.build)(&spec)
        })
        .collect::<Result<_, SpecError>>()?;
    if refiners.is_empty() { Ok(start) } else { Ok(Arc::new(Pipeline { start, refiners })) }
}

#[derive(Debug)]
struct Pipeline {
    start: Arc<dyn Strategy>,
    refiners: Vec<Arc<dyn Refiner>>,
}

impl Strategy for Pipeline {
    fn usual_objective(&self) -> &'static dyn Objective {
        // The refiners have the last word, and theirs is hop-bytes.
        &HopBytes
    }

    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let mut mapping = self.start.map(problem, objective, run)?;
        for refiner in &self.refiners {
            if !run.must_stop() {
                mapping = refiner.refine(problem, objective, mapping, run);
            }
        }
        Ok(mapping)
    }
}
