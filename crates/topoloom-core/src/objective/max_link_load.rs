//! Maximum link load: what the most loaded link carries, under the machine's own routing.

use std::sync::Arc;

use super::cost_tracker::CostTracker;
use super::definition::Objective;
use super::entry::ObjectiveEntry;
use super::link_loads::{Peak, Tracker, combined, relative_loads, relative_loads_within};
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "max-link-load",
    summary: "load of the busiest link, relative to its bandwidth; ties by the sum of squared loads",
    example: "max-link-load",
    parameters: &[],
    build: |_| Ok(Arc::new(MaxLinkLoad)),
};

/// The largest load of any directed link, divided by the link's bandwidth relative to the machine's
/// fastest link. A millionth of the mean of squared loads, relative to the largest load, is added:
/// the maximum alone is flat nearly everywhere.
#[derive(Debug, Clone, Copy)]
pub struct MaxLinkLoad;

/// A tracker that gives access to its links.
pub(crate) type LinkTracker<'a> = Tracker<'a, Peak>;

impl MaxLinkLoad {
    /// A tracker that gives access to its links.
    pub(crate) fn links<'a>(problem: &'a Problem, start: &Mapping) -> LinkTracker<'a> {
        Tracker::new(problem, start, Self::peak(problem))
    }

    /// The same; `None` if the run ends before all loads are counted.
    pub(crate) fn links_within<'a>(
        problem: &'a Problem,
        start: &Mapping,
        run: &Run,
    ) -> Option<LinkTracker<'a>> {
        Tracker::within(problem, start, Self::peak(problem), run)
    }

    fn peak(problem: &Problem) -> Peak {
        let topology = problem.machine().topology();
        Peak::new(topology.num_network_links(), topology.link_id_bound() as usize)
    }

    fn of(problem: &Problem, loads: &[f64]) -> f64 {
        let largest = loads.iter().copied().fold(0.0, f64::max);
        let squares = loads.iter().map(|load| load * load).sum();
        combined(largest, squares, problem.machine().topology().num_network_links())
    }
}

impl Objective for MaxLinkLoad {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        Self::of(problem, &relative_loads(problem, mapping))
    }

    fn cost_within(&self, problem: &Problem, mapping: &Mapping, run: &Run) -> Option<f64> {
        let loads = relative_loads_within(problem, mapping, run)?;
        Some(Self::of(problem, &loads))
    }

    fn shown(&self, problem: &Problem, mapping: &Mapping, _cost: f64) -> f64 {
        relative_loads(problem, mapping).into_iter().fold(0.0, f64::max)
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        Box::new(Self::links(problem, start))
    }

    fn track_within<'a>(
        &self,
        problem: &'a Problem,
        start: &Mapping,
        run: &Run,
    ) -> Option<Box<dyn CostTracker + 'a>> {
        Some(Box::new(Self::links_within(problem, start, run)?))
    }

    fn needs_links(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::{Machine, OBJECTIVES, Weight, parse_objective, parse_pattern};

    #[test]
    fn what_breaks_ties_is_not_shown() {
        let machine = Machine::parse("mesh:4").unwrap();
        let traffic = parse_pattern("ring:4,bytes=1000000").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let mapping = problem.mapping((0..4).collect()).unwrap();
        let cost = MaxLinkLoad.cost(&problem, &mapping);
        // Each link carries what neighbours send, and the traffic that goes the long way from end
        // to end.
        assert!(cost > 2_000_000.0);
        assert_eq!(MaxLinkLoad.shown(&problem, &mapping, cost), 2_000_000.0);
        let dilation = parse_objective("max-dilation").unwrap();
        let cost = dilation.cost(&problem, &mapping);
        assert!(cost > 3.0);
        assert_eq!(dilation.shown(&problem, &mapping, cost), 3.0);
    }

    #[test]
    fn loads_are_not_counted_once_time_is_up_and_otherwise_are_those_of_the_definition() {
        let machine = Machine::parse("torus:4x4x4").unwrap();
        let traffic = parse_pattern("random:ranks=64,degree=8,seed=1").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let mapping = problem.mapping((0..64).collect()).unwrap();
        let over = Run::new(1).with_cancel(Arc::new(AtomicBool::new(true)));
        let names = OBJECTIVES.entries.iter().map(|entry| entry.name);
        for name in names.filter(|&name| name != "cost-matrix") {
            let objective = parse_objective(name).unwrap();
            let cost = objective.cost(&problem, &mapping);
            assert_eq!(objective.cost_within(&problem, &mapping, &Run::new(1)), Some(cost));
            let tracker = objective.track_within(&problem, &mapping, &Run::new(1)).unwrap();
            assert_eq!(tracker.cost(), objective.track(&problem, &mapping).cost());
            if name.contains("load") {
                assert_eq!(objective.cost_within(&problem, &mapping, &over), None, "{name}");
                assert!(objective.track_within(&problem, &mapping, &over).is_none(), "{name}");
            }
        }
    }
}
