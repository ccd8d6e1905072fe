//! A number that stands for a problem and what is wanted of it.

use super::mark;
use crate::problem::Problem;
use crate::random::mix;
use crate::run::Run;
use crate::topology::Metric;
use crate::with_metric;

/// Distances of a machine that are looked at. Its name does not say what a file contained.
const DISTANCES: u64 = 1000;

/// Sums up everything that a search depends on, except for how long it takes.
pub fn fingerprint(name: &str, problem: &Problem, objective: &str, run: &Run) -> u64 {
    let machine = problem.machine();
    let graph = problem.graph();
    let mut traffic = graph.num_ranks() as u64;
    graph.for_each_pair(|a, b, weight| {
        traffic = mix(traffic ^ mix(u64::from(a) << 32 | u64::from(b)) ^ weight.to_bits());
    });
    let weights = problem.traffic().rank_weights().unwrap_or_default();
    let weights = mark("weights", weights.iter().map(|weight| weight.to_bits()));
    let nodes = machine.num_nodes() as u64;
    let distances = with_metric!(machine.metric(), metric => {
        let node = |number| (mix(number) % nodes) as u32;
        mark(machine.spec(), (0..DISTANCES).map(|number| {
            u64::from(metric.distance(node(2 * number), node(2 * number + 1)))
        }))
    });
    let capacity = problem.sharing().map_or(0.0, |sharing| sharing.slot_capacity);
    let objective = mark(objective, []);
    mark(
        name,
        [traffic, weights, distances, objective, capacity.to_bits(), run.seed()]
            .into_iter()
            .chain([u64::from(machine.slots_per_node()), nodes, u64::from(run.islands())]),
    )
}
