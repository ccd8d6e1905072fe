//! With how many others ranks exchange.

use crate::traffic::CommunicationGraph;

/// Partners of a rank, both directions counted once.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Degree {
    /// Of the rank with the fewest.
    pub fewest: usize,
    /// On average.
    pub mean: f64,
    /// Of the rank with the most.
    pub most: usize,
}

impl Degree {
    /// Counts partners.
    pub fn of(graph: &CommunicationGraph) -> Degree {
        let partners = || (0..graph.num_ranks() as u32).map(|rank| graph.partners(rank).len());
        Degree {
            fewest: partners().min().unwrap_or(0),
            mean: 2.0 * graph.num_pairs() as f64 / graph.num_ranks().max(1) as f64,
            most: partners().max().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Weight, parse_pattern};

    #[test]
    fn corners_sides_and_the_middle_of_a_grid_have_two_three_and_four_partners() {
        // 12 pairs among 9 ranks.
        let graph = parse_pattern("stencil:3x3").unwrap().graph(Weight::Bytes);
        assert_eq!(Degree::of(&graph), Degree { fewest: 2, mean: 24.0 / 9.0, most: 4 });
    }
}
