//! Hop-bytes: every flow's weight times the hops it travels.

use std::sync::Arc;

use super::cost_tracker::CostTracker;
use super::definition::{NodeCosts, Objective};
use super::entry::ObjectiveEntry;
use super::pair_sum::{Hops, SymmetricTracker};
use crate::ids::Vertex;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::parallel;
use crate::problem::Problem;
use crate::topology::Metric;
use crate::with_metric;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "hop-bytes",
    summary: "sum over all flows of weight times hops",
    example: "hop-bytes",
    parameters: &[],
    build: |_| Ok(Arc::new(HopBytes)),
};

/// The flows of this many ranks are added in sequence, and blocks of them in parallel. Few problems
/// have more than one block.
const RANKS_PER_BLOCK: u32 = 1 << 16;

/// The sum over all directed pairs of weight times distance (dilation as a sum, equation 2.4 of
/// the HAEC thesis).
#[derive(Debug, Clone, Copy)]
pub struct HopBytes;

impl Objective for HopBytes {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        let nodes = mapping.nodes();
        let ranks = problem.num_ranks() as u32;
        with_metric!(problem.machine().metric(), metric => {
            let cost_of_block = |block: usize| {
                let first = block as u32 * RANKS_PER_BLOCK;
                let senders = first..ranks.min(first.saturating_add(RANKS_PER_BLOCK));
                let mut cost = 0.0;
                problem.traffic().for_each_flow_from(senders, problem.weight(), |from, to, weight| {
                    let distance = metric.distance(nodes[from as usize], nodes[to as usize]);
                    cost += weight * f64::from(distance);
                });
                cost
            };
            let blocks = ranks.div_ceil(RANKS_PER_BLOCK);
            // Collected first: rounding must not depend on which thread is faster.
            let costs: Vec<f64> = parallel::map(blocks as usize, &cost_of_block);
            costs.iter().fold(0.0, |sum, cost| sum + cost)
        })
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        with_metric!(problem.machine().metric(), metric => {
            Box::new(SymmetricTracker::new(problem, Hops(metric), start))
        })
    }

    fn pair_cost(&self, weight: f64, distance: u32) -> Option<f64> {
        Some(weight * f64::from(distance))
    }

    fn node_costs<'a>(&'a self, machine: &'a Machine) -> Option<NodeCosts<'a>> {
        let topology = machine.topology();
        Some(Box::new(|from, to| f64::from(topology.distance(Vertex(from), Vertex(to)))))
    }

    fn is_hop_bytes(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flow, Run, TrafficBuilder, Weight, parse_strategy};

    /// As the thesis writes it.
    fn by_definition(problem: &Problem, mapping: &Mapping) -> f64 {
        let topology = problem.machine().topology();
        let cost_of = |flow: Flow| {
            let (from, to) = (mapping.node_of(flow.from), mapping.node_of(flow.to));
            flow.weight(problem.weight()) * f64::from(topology.distance(from, to))
        };
        problem.traffic().flows().map(cost_of).sum()
    }

    #[test]
    fn costs_are_those_of_the_definition_on_machines_of_every_metric() {
        let mut builder = TrafficBuilder::new(12);
        for from in 0..12_u32 {
            builder.add(
                from,
                (from * 5 + 1) % 12,
                1.0 + f64::from(from % 3),
                100.0 + f64::from(from),
            );
            builder.add(from, (from + 1) % 12, 2.0, 7.0);
        }
        let traffic = builder.build();
        let random = parse_strategy("random").unwrap();
        for machine in [
            "mesh:12",
            "mesh:3x4,slots=2",
            "torus:3x2x2",
            "torus:2x2x2x2",
            "hypercube:4",
            "tree:3:4,distances=1:10",
            "fat-tree:k=4",
            "dragonfly:groups=3,routers=2,nodes=2",
            "haec:2x3x2",
        ] {
            for (weight, seed) in [(Weight::Bytes, 1), (Weight::Bytes, 2), (Weight::Messages, 3)] {
                let parsed = Machine::parse(machine).unwrap();
                let problem = Problem::new(traffic.clone(), parsed, weight).unwrap();
                let mapping = random.map(&problem, None, &mut Run::new(seed)).unwrap();
                let cost = HopBytes.cost(&problem, &mapping);
                assert_eq!(cost, by_definition(&problem, &mapping), "{machine}");
            }
        }
    }

    #[test]
    fn costs_of_more_than_one_block_of_ranks_are_those_of_the_definition() {
        let ranks = RANKS_PER_BLOCK + 5;
        let mut builder = TrafficBuilder::new(ranks);
        // Within blocks and across their boundary, both ways. Quarters add up without rounding.
        for from in 0..ranks {
            builder.add(from, (from + 1) % ranks, 1.0, 0.25 + f64::from(from % 5));
            builder.add(from, from / 3, 1.0, 2.0);
        }
        let machine = Machine::parse("torus:300x300").unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        let random = parse_strategy("random").unwrap();
        let mapping = random.map(&problem, None, &mut Run::new(4)).unwrap();
        assert_eq!(HopBytes.cost(&problem, &mapping), by_definition(&problem, &mapping));
    }
}
