//! Hop-bytes, and among equal placements the one whose most loaded link carries least.

use std::sync::Arc;

use super::cost_tracker::CostTracker;
use super::definition::Objective;
use super::entry::ObjectiveEntry;
use super::hop_bytes::HopBytes;
use super::max_link_load::MaxLinkLoad;
use crate::mapping::{Mapping, Placement};
use crate::problem::Problem;
use crate::run::Run;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "balanced-hop-bytes",
    summary: "hop-bytes first, then the load of the busiest link",
    example: "balanced-hop-bytes",
    parameters: &[],
    build: |_| Ok(Arc::new(BalancedHopBytes)),
};

/// How much the most loaded link counts: it carries at most all hop-bytes, so this term is never
/// more than a hundred thousandth of them.
const SECOND: f64 = 1e-5;

/// Hop-bytes, plus a hundred thousandth of the maximum link load.
#[derive(Debug, Clone, Copy)]
pub struct BalancedHopBytes;

impl Objective for BalancedHopBytes {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        HopBytes.cost(problem, mapping) + SECOND * MaxLinkLoad.cost(problem, mapping)
    }

    fn cost_within(&self, problem: &Problem, mapping: &Mapping, run: &Run) -> Option<f64> {
        let load = MaxLinkLoad.cost_within(problem, mapping, run)?;
        Some(HopBytes.cost(problem, mapping) + SECOND * load)
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let hops = HopBytes.track(problem, start);
        let load = MaxLinkLoad.track(problem, start);
        Box::new(Tracker { hops, load })
    }

    fn track_within<'a>(
        &self,
        problem: &'a Problem,
        start: &Mapping,
        run: &Run,
    ) -> Option<Box<dyn CostTracker + 'a>> {
        let load = MaxLinkLoad.track_within(problem, start, run)?;
        Some(Box::new(Tracker { hops: HopBytes.track(problem, start), load }))
    }

    fn needs_links(&self) -> bool {
        true
    }
}

struct Tracker<'a> {
    hops: Box<dyn CostTracker + 'a>,
    load: Box<dyn CostTracker + 'a>,
}

impl CostTracker for Tracker<'_> {
    fn cost(&self) -> f64 {
        self.hops.cost() + SECOND * self.load.cost()
    }

    fn placement(&self) -> &Placement {
        self.hops.placement()
    }

    fn swap_delta(&mut self, a: u32, b: u32) -> f64 {
        self.hops.swap_delta(a, b) + SECOND * self.load.swap_delta(a, b)
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.hops.swap(a, b);
        self.load.swap(a, b);
    }

    fn reset(&mut self, slot_of: &[u32]) -> f64 {
        self.hops.reset(slot_of);
        self.load.reset(slot_of);
        self.cost()
    }
}
