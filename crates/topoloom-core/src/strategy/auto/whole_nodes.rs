//! Exchanges all ranks of one node with all ranks of another. This is a problem with one rank per
//! node, which is far smaller if nodes have many slots.

use crate::mapping::Mapping;
use crate::problem::Problem;
use crate::traffic::Weight;

/// The traffic between nodes as a separate problem, in which each rank is on the node with its
/// number.
pub(super) struct WholeNodes {
    pub(super) problem: Problem,
    pub(super) start: Mapping,
}

impl WholeNodes {
    /// The nodes of a mapping; `None` if each node has only one slot.
    pub(super) fn of(problem: &Problem, mapping: &Mapping) -> Option<WholeNodes> {
        if problem.machine().slots_per_node() == 1 {
            return None;
        }
        let machine = problem.machine().with_one_slot();
        let nodes = machine.num_nodes() as u32;
        let traffic = problem.between_groups(&mapping.nodes(), nodes);
        let start = Mapping::new((0..nodes).collect(), &machine).ok()?;
        let problem = Problem::new(traffic, machine, Weight::Bytes).ok()?;
        Some(WholeNodes { problem, start })
    }
}

/// The mapping after node n's ranks moved to node `nodes.slots()[n]`.
pub(super) fn moved(problem: &Problem, mapping: &Mapping, nodes: &Mapping) -> Mapping {
    let per_node = problem.machine().slots_per_node();
    let slot = |&slot: &u32| nodes.slots()[(slot / per_node) as usize] * per_node + slot % per_node;
    let slots = mapping.slots().iter().map(slot).collect();
    Mapping::new(slots, problem.machine()).expect("nodes change places with all their slots")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::{MaxLinkLoad, Objective};
    use crate::{Machine, parse_pattern};

    #[test]
    fn moving_nodes_costs_what_the_smaller_problem_says() {
        let machine = Machine::parse("torus:4x3,slots=3").unwrap();
        let machine = machine.with_routing("minimal-adaptive").unwrap();
        let traffic = parse_pattern("random:ranks=30,degree=4").unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let mapping = problem.mapping((0..30).map(|rank| rank * 7 % 36).collect()).unwrap();
        let small = WholeNodes::of(&problem, &mapping).unwrap();
        let turned: Vec<u32> = (0..12).map(|node| node * 5 % 12).collect();
        let nodes = Mapping::new(turned, small.problem.machine()).unwrap();
        let whole = MaxLinkLoad.cost(&problem, &moved(&problem, &mapping, &nodes));
        let less = MaxLinkLoad.cost(&small.problem, &nodes);
        assert!((whole - less).abs() <= 1e-9 * whole);
        assert_eq!(moved(&problem, &mapping, &small.start), mapping);
    }
}
