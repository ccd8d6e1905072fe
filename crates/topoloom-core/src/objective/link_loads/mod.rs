//! Objectives that are a function of the loads of all links, and trackers that follow them through
//! exchanges.

mod loads;
mod partners;
mod peak;
mod power;
mod tracker;

pub use loads::Loads;
pub use partners::Partners;
pub use peak::{Peak, combined};
pub use power::{Power, power_mean};
pub use tracker::Tracker;

use crate::ids::LinkId;
use crate::mapping::Mapping;
use crate::pace::Pace;
use crate::problem::Problem;
use crate::run::Run;

/// A function of the loads of all links, kept up to date through changes.
pub trait Measure: Send {
    /// Computes the value again.
    fn count(&mut self, load: &[f64]);

    /// The present value.
    fn value(&self) -> f64;

    /// What the value would be after the change that `loads` holds.
    fn after(&mut self, loads: &Loads) -> f64;

    /// Follows the change that `loads` holds and is about to make.
    fn accept(&mut self, loads: &Loads);
}

/// The load of every link of the network that carries anything, relative to its bandwidth, computed
/// from scratch. Links inside hosts do not count.
pub fn relative_loads(problem: &Problem, mapping: &Mapping) -> Vec<f64> {
    loads_unless(problem, mapping, |_| false).expect("nobody stops it")
}

/// The same; `None` if the run ends first.
pub fn relative_loads_within(problem: &Problem, mapping: &Mapping, run: &Run) -> Option<Vec<f64>> {
    let mut pace = Pace::default();
    loads_unless(problem, mapping, |links| pace.is_due(links) && run.is_over())
}

/// The same, but ends if `must_stop` says so. It is called after each flow with the number of links
/// of that flow.
fn loads_unless(
    problem: &Problem,
    mapping: &Mapping,
    mut must_stop: impl FnMut(usize) -> bool,
) -> Option<Vec<f64>> {
    let machine = problem.machine();
    let topology = machine.topology();
    let fastest = topology.fastest_link();
    let inside = topology.inner_link_bound();
    let mut loads = vec![0.0; topology.link_id_bound() as usize];
    for flow in problem.traffic().flows() {
        let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
        let weight = flow.weight(problem.weight());
        let mut links = 0;
        machine.routing().route(topology, from, to, &mut |id, share| {
            loads[id.index()] += if id.0 < inside { 0.0 } else { weight * share };
            links += 1;
        });
        if must_stop(links) {
            return None;
        }
    }
    let relative = |(id, load): (u64, f64)| {
        let link = topology.link(LinkId(id)).expect("routes take links that exist");
        load * fastest / link.properties.bytes_per_second
    };
    Some((0..).zip(loads).filter(|&(_, load)| load != 0.0).map(relative).collect())
}
