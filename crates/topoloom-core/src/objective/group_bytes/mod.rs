//! Group-bytes: what the groups of a training job send, times the hops it travels. The messages of
//! a group follow from where its members are.

mod domains;
mod tracker;

use std::sync::Arc;

pub(crate) use domains::domains_of_nodes;
use tracker::GroupTracker;

use super::cost_tracker::CostTracker;
use super::definition::Objective;
use super::entry::ObjectiveEntry;
use super::hop_bytes::HopBytes;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::topology::Metric;
use crate::training::{Carrier, StepTraffic};
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "group-bytes",
    summary: "bytes of training groups times hops, with rings formed by the placement; else hop-bytes",
    example: "group-bytes",
    parameters: &[],
    build: |_| Ok(Arc::new(GroupBytes)),
};

/// The sum over all groups of a training job and all their messages of bytes times distance, times
/// the weight of the kind of group. Who sends to whom depends on the placement ([`Carrier`]). For
/// traffic without groups it is hop-bytes.
#[derive(Debug, Clone, Copy)]
pub struct GroupBytes;

impl Objective for GroupBytes {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let Some(step) = step_of(problem) else { return HopBytes.cost(problem, mapping) };
        let nodes = mapping.nodes();
        let domains = domains_of_nodes(problem.machine());
        let node_of = |rank: u32| nodes[rank as usize];
        let mut carrier = Carrier::default();
        let mut cost = 0.0;
        with_metric!(problem.machine().metric(), metric => {
            for kind in &step.kinds {
                for (number, group) in kind.groups.iter().enumerate() {
                    let domain = |rank: u32| domains[node_of(rank) as usize];
                    let calls = kind.calls(number);
                    carrier.messages(group, calls, step.carry, domain, |from, to, bytes| {
                        let distance = metric.distance(node_of(from), node_of(to));
                        cost += kind.weight * bytes * f64::from(distance);
                    });
                }
            }
        });
        cost
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let Some(step) = step_of(problem) else { return HopBytes.track(problem, start) };
        with_metric!(problem.machine().metric(), metric => {
            Box::new(GroupTracker::new(problem, step, metric, start))
        })
    }
}

/// The groups of the problem's traffic, if it has some.
fn step_of(problem: &Problem) -> Option<&StepTraffic> {
    problem.traffic().step().map(Arc::as_ref)
}
