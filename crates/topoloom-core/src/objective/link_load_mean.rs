//! The power mean of link loads: nearly the maximum, but every link counts.

use std::sync::Arc;

use super::cost_tracker::CostTracker;
use super::definition::Objective;
use super::entry::ObjectiveEntry;
use super::link_loads::{Power, Tracker, power_mean, relative_loads, relative_loads_within};
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::SpecError;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "link-load-mean",
    summary: "power mean of link loads: close to the largest, but smoother for searches",
    example: "link-load-mean:power=8",
    parameters: &[Parameter {
        name: "power",
        default: "8",
        summary: "1 is the plain mean, 64 almost the maximum",
    }],
    build: |spec| {
        let expected = "a number from 1 to 64";
        let power = spec.get("power", expected)?.unwrap_or(LinkLoadMean::default().power);
        if !(1..=64).contains(&power) {
            return Err(SpecError::new(format!(
                "{}: expected {expected} for \"power\", found \"{power}\"",
                spec.name
            )));
        }
        Ok(Arc::new(LinkLoadMean { power }))
    },
};

/// The power mean of the loads of all links, each divided by the link's bandwidth relative to the
/// machine's fastest link.
#[derive(Debug, Clone, Copy)]
pub struct LinkLoadMean {
    /// The power to which loads are raised.
    pub power: i32,
}

impl Default for LinkLoadMean {
    fn default() -> Self {
        LinkLoadMean { power: 8 }
    }
}

impl Objective for LinkLoadMean {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let loads = relative_loads(problem, mapping);
        power_mean(&loads, self.power, problem.machine().topology().num_network_links())
    }

    fn cost_within(&self, problem: &Problem, mapping: &Mapping, run: &Run) -> Option<f64> {
        let loads = relative_loads_within(problem, mapping, run)?;
        Some(power_mean(&loads, self.power, problem.machine().topology().num_network_links()))
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let links = problem.machine().topology().num_network_links();
        Box::new(Tracker::new(problem, start, Power::new(self.power, links)))
    }

    fn track_within<'a>(
        &self,
        problem: &'a Problem,
        start: &Mapping,
        run: &Run,
    ) -> Option<Box<dyn CostTracker + 'a>> {
        let links = problem.machine().topology().num_network_links();
        let tracker = Tracker::within(problem, start, Power::new(self.power, links), run)?;
        Some(Box::new(tracker))
    }

    fn needs_links(&self) -> bool {
        true
    }
}
