//! Whether ranks receive as much as they send.

use crate::traffic::{CommunicationGraph, Traffic, Weight};

/// How similar both directions are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Symmetry {
    /// Whether every pair sends exactly as much both ways.
    pub exact: bool,
    /// The share of the traffic to others that comes back: twice the smaller direction of every
    /// pair. 1 if nothing is sent.
    pub returned: f64,
    /// The share that pairs of exactly equal directions send.
    pub balanced: f64,
}

impl Symmetry {
    /// Compares the directions of every pair. `graph` is that of `traffic` under `weight`.
    /// Takes O(flows).
    pub fn of(traffic: &Traffic, graph: &CommunicationGraph, weight: Weight) -> Symmetry {
        let mut total = 0.0;
        let mut returned = 0.0;
        let mut balanced = 0.0;
        let mut exact = true;
        for rank in 0..graph.num_ranks() as u32 {
            let mut flows = traffic.flows_from(crate::Rank(rank)).peekable();
            for (partner, both) in graph.edges(rank).filter(|edge| edge.0 > rank) {
                while flows.next_if(|flow| flow.to.0 < partner).is_some() {}
                let there = flows.next_if(|flow| flow.to.0 == partner);
                let there = there.map_or(0.0, |flow| flow.weight(weight));
                // Exact for whole numbers, and never far off.
                let back = (both - there).max(0.0);
                total += both;
                returned += 2.0 * there.min(back);
                if there == back {
                    balanced += both;
                } else {
                    exact = false;
                }
            }
        }
        let share = |part: f64| if total > 0.0 { part / total } else { 1.0 };
        Symmetry { exact, returned: share(returned), balanced: share(balanced) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrafficBuilder, parse_pattern};

    fn symmetry(traffic: &Traffic) -> Symmetry {
        Symmetry::of(traffic, &traffic.graph(Weight::Bytes), Weight::Bytes)
    }

    #[test]
    fn what_comes_back_is_twice_the_lesser_direction() {
        let mut builder = TrafficBuilder::new(4);
        builder.add_both_ways(0, 1, 1.0, 30.0);
        builder.add(1, 2, 1.0, 30.0);
        builder.add(2, 1, 1.0, 10.0);
        builder.add(3, 0, 1.0, 20.0);
        builder.add(3, 3, 1.0, 99.0);
        // 60 of 120 are balanced, and 20 of the 40 between 1 and 2 come back.
        let expected = Symmetry { exact: false, returned: 80.0 / 120.0, balanced: 0.5 };
        assert_eq!(symmetry(&builder.build()), expected);
    }

    #[test]
    fn a_stencil_is_exactly_symmetric_and_silence_too() {
        for pattern in ["stencil:5x7,bytes=3", "ring:1"] {
            let found = symmetry(&parse_pattern(pattern).unwrap());
            assert_eq!(found, Symmetry { exact: true, returned: 1.0, balanced: 1.0 });
        }
    }
}
