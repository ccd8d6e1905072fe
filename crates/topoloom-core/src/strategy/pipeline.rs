//! A strategy and the refiners after it: `hilbert | bokhari`.

use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::entry::StrategyEntry;
use super::registry::STRATEGIES;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::refiner::{REFINERS, Refiner};
use crate::run::Run;
use crate::spec::{Spec, SpecError};

/// The strategy that `text` describes: one name, or a start and refiners separated by `|`.
pub fn parse_strategy(text: &str) -> Result<Arc<dyn Strategy>, SpecError> {
    let mut parts = text.split('|');
    let spec = Spec::parse(parts.next().unwrap_or_default())?;
    let start = (STRATEGIES.find(&spec)?.build)(&spec)?;
    let refiners: Vec<(String, Arc<dyn Refiner>)> = parts
        .map(|part| {
            let spec = Spec::parse(part)?;
            let refiner = (REFINERS.find(&spec)?.build)(&spec)?;
            Ok((spec.name, refiner))
        })
        .collect::<Result<_, SpecError>>()?;
    Ok(Arc::new(Pipeline { start_name: spec.name, start, refiners }))
}

#[derive(Debug)]
struct Pipeline {
    start_name: String,
    start: Arc<dyn Strategy>,
    refiners: Vec<(String, Arc<dyn Refiner>)>,
}

impl Pipeline {
    /// The first part that cannot put more than one rank in a slot.
    fn part_that_cannot_share(&self) -> Option<&str> {
        if !self.start.shares_slots() {
            return Some(&self.start_name);
        }
        let refiner = self.refiners.iter().find(|(_, refiner)| !refiner.shares_slots())?;
        Some(&refiner.0)
    }
}

/// The names of the strategies that can put several ranks in one slot.
fn sharing_strategies() -> String {
    let shares = |entry: &&&StrategyEntry| {
        let built = Spec::parse(entry.example).and_then(|spec| (entry.build)(&spec));
        built.is_ok_and(|strategy| strategy.shares_slots())
    };
    let names = STRATEGIES.entries.iter().filter(shares).map(|entry| entry.name);
    names.collect::<Vec<_>>().join(", ")
}

impl Strategy for Pipeline {
    fn usual_objective(&self) -> &'static dyn Objective {
        // The last part decides.
        let last = self.refiners.last().map(|(_, refiner)| refiner.usual_objective());
        last.unwrap_or_else(|| self.start.usual_objective())
    }

    fn shares_slots(&self) -> bool {
        self.part_that_cannot_share().is_none()
    }

    fn map(
        &self,
        problem: &Problem,
        objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        if problem.sharing().is_some()
            && let Some(name) = self.part_that_cannot_share()
        {
            let name = if self.refiners.is_empty() { "it" } else { name };
            return Err(NotApplicable(format!(
                "{name} puts one rank in each slot; if an imbalance lets ranks share slots, use {}",
                sharing_strategies()
            )));
        }
        if let Some(objective) = objective {
            let applies = objective.applies_to(problem.machine());
            applies.map_err(|reason| NotApplicable(format!("{} {reason}", objective.name())))?;
        }
        let mut mapping = self.start.map(problem, objective, run)?;
        for (number, (name, refiner)) in (0..).zip(&self.refiners) {
            if !run.must_stop() {
                run.progress(name, number, self.refiners.len() as u64);
                mapping = refiner.refine(problem, objective, mapping, run);
            }
        }
        Ok(mapping)
    }
}
