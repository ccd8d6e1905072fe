//! Traffic distribution: hops, and how unevenly the dimensions share them.

use std::sync::Arc;

use super::cost_tracker::CostTracker;
use super::definition::{NodeCosts, Objective};
use super::entry::ObjectiveEntry;
use super::hop_bytes::HopBytes;
use super::pair_sum::{
    PairCost, SymmetricTracker, hops_by_dimension, sum_over_flows, with_offset_costs,
};
use super::unsuitable_machine::UnsuitableMachine;
use crate::machine::Machine;
use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::topology::Lattice;

/// The registry's entry.
pub static ENTRY: ObjectiveEntry = ObjectiveEntry {
    name: "traffic-distribution",
    summary: "weight times hops, plus weight times the differences of hops between dimensions (TD)",
    example: "traffic-distribution",
    parameters: &[],
    build: |_| Ok(Arc::new(TrafficDistribution)),
};

/// Equation 7 of J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "Parallel applications mapping
/// over mesh topologies and its effects on scheduling performance", for any number of dimensions:
/// the hops between two nodes, plus, for each pair of dimensions, the difference of the hops along
/// them. On a torus, the shorter way round counts.
#[derive(Debug, Clone, Copy)]
pub struct TrafficDistribution;

/// The cost of a unit that takes this many hops along each dimension.
fn cost_of_hops(hops: &[u32]) -> f64 {
    let mut cost: u32 = hops.iter().sum();
    for (dimension, &along) in hops.iter().enumerate() {
        cost += hops[..dimension].iter().map(|&other| along.abs_diff(other)).sum::<u32>();
    }
    f64::from(cost)
}

impl Objective for TrafficDistribution {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn applies_to(&self, machine: &Machine) -> Result<(), UnsuitableMachine> {
        match machine.topology().lattice() {
            Some(_) => Ok(()),
            None => Err(UnsuitableMachine::NoDimensions { machine: machine.spec().to_string() }),
        }
    }

    fn cost(&self, problem: &Problem, mapping: &Mapping) -> f64 {
        // Without dimensions there are no differences between them.
        let Some(Lattice { lengths, wraps }) = problem.machine().topology().lattice() else {
            return HopBytes.cost(problem, mapping);
        };
        let wraps = vec![wraps; lengths.len()];
        sum_over_flows(problem, mapping, |from, to| {
            cost_of_hops(&hops_by_dimension(&lengths, &wraps, from.0, to.0))
        })
    }

    fn track<'a>(&self, problem: &'a Problem, start: &Mapping) -> Box<dyn CostTracker + 'a> {
        let Some(Lattice { lengths, wraps }) = problem.machine().topology().lattice() else {
            return HopBytes.track(problem, start);
        };
        with_offset_costs!(&lengths, &vec![wraps; lengths.len()], cost_of_hops, costs => {
            Box::new(SymmetricTracker::new(problem, costs, start))
        })
    }

    fn node_costs<'a>(&'a self, machine: &'a Machine) -> Option<NodeCosts<'a>> {
        let Some(Lattice { lengths, wraps }) = machine.topology().lattice() else {
            return HopBytes.node_costs(machine);
        };
        with_offset_costs!(&lengths, &vec![wraps; lengths.len()], cost_of_hops, costs => {
            Some(Box::new(move |from, to| costs.between(from, to)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrafficBuilder, Weight};

    /// What one byte from node 0 to `to` costs.
    fn cost(machine: &str, to: u32) -> f64 {
        let machine = Machine::parse(machine).unwrap();
        let mut builder = TrafficBuilder::new(2);
        builder.add(0, 1, 1.0, 1.0);
        let mapping = Mapping::new(vec![0, to], &machine).unwrap();
        let problem = Problem::new(builder.build(), machine, Weight::Bytes).unwrap();
        let cost = TrafficDistribution.cost(&problem, &mapping);
        assert_eq!(TrafficDistribution.track(&problem, &mapping).cost(), cost);
        cost
    }

    #[test]
    fn uneven_hops_cost_more_than_even_ones() {
        // (2, 0): 2 hops and |2 - 0|.
        assert_eq!(cost("mesh:3x3", 2), 4.0);
        // (1, 1): 2 hops, no difference.
        assert_eq!(cost("mesh:3x3", 4), 2.0);
        // (2, 1, 0): 3 hops and |2 - 1| + |2 - 0| + |1 - 0|.
        assert_eq!(cost("mesh:3x3x3", 2 + 3), 7.0);
        // Along a line: hops alone.
        assert_eq!(cost("mesh:9", 5), 5.0);
        // The paper's own: 6 hops along one axis cost 6 + 6 + 6, 2 along each axis 6.
        assert_eq!(cost("mesh:7x7x7", 6), 18.0);
        assert_eq!(cost("mesh:7x7x7", 2 + 2 * 7 + 2 * 49), 6.0);
    }

    #[test]
    fn a_torus_takes_the_shorter_way_round() {
        // (3, 0) on a ring of 4 is one hop back: 1 + |1 - 0|.
        assert_eq!(cost("torus:4x4", 3), 2.0);
        assert_eq!(cost("mesh:4x4", 3), 6.0);
    }

    #[test]
    fn machines_without_dimensions_are_refused_in_words() {
        let applies =
            |machine: &str| TrafficDistribution.applies_to(&Machine::parse(machine).unwrap());
        assert_eq!(applies("torus:3x3"), Ok(()));
        let refused = applies("hypercube:3").unwrap_err();
        assert_eq!(refused.to_string(), "needs a mesh or a torus, which hypercube:3 is not");
    }
}
