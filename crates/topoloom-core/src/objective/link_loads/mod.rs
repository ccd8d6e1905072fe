//! Objectives that are a number of the loads of all links, and what follows them through
//! exchanges.

mod loads;
mod partners;
mod peak;
mod power;
mod tracker;

use std::collections::HashMap;

pub use loads::Loads;
pub use partners::Partners;
pub use peak::{Peak, combined};
pub use power::{Power, power_mean};
pub use tracker::Tracker;

use crate::ids::{LinkId, Vertex};
use crate::mapping::Mapping;
use crate::problem::Problem;

/// A number of the loads of all links, kept up to date through changes.
pub trait Measure: Send {
    /// Counts anew.
    fn count(&mut self, load: &[f64]);

    /// The number now.
    fn value(&self) -> f64;

    /// What the number would be after the change that `loads` holds.
    fn after(&mut self, loads: &Loads) -> f64;

    /// Follows the change that `loads` holds and is about to make.
    fn accept(&mut self, loads: &Loads);
}

/// The load of every link that carries anything, relative to its bandwidth: from scratch.
pub fn relative_loads(problem: &Problem, mapping: &Mapping) -> Vec<f64> {
    let machine = problem.machine();
    let topology = machine.topology();
    let fastest = topology.fastest_link();
    let mut loads: HashMap<LinkId, f64> = HashMap::new();
    for flow in problem.traffic().flows() {
        let (from, to) = (Vertex(mapping.node_of(flow.from)), Vertex(mapping.node_of(flow.to)));
        machine.routing().route(topology, from, to, &mut |id, share| {
            *loads.entry(id).or_default() += flow.weight(problem.weight()) * share;
        });
    }
    let mut loads: Vec<(LinkId, f64)> = loads.into_iter().collect();
    // In a fixed order, so that sums are rounded the same way each time.
    loads.sort_unstable_by_key(|&(id, _)| id);
    let relative = |(id, load): (LinkId, f64)| {
        let link = topology.link(id).expect("routes take links that exist");
        load * fastest / link.properties.bytes_per_second
    };
    loads.into_iter().map(relative).collect()
}
