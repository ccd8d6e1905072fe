//! How many partners ranks have.

use crate::traffic::Traffic;

/// Partners of a rank; a pair with both directions counts once.
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
    /// Counts partners: ranks that exchange messages or bytes, because empty messages need a route
    /// too.
    pub fn of(traffic: &Traffic) -> Degree {
        let to_others = traffic.flows().filter(|flow| flow.from != flow.to);
        let something = to_others.filter(|flow| flow.messages > 0.0 || flow.bytes > 0.0);
        let mut pairs: Vec<(u32, u32)> = something
            .map(|flow| (flow.from.0.min(flow.to.0), flow.from.0.max(flow.to.0)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut partners = vec![0; traffic.num_ranks()];
        for (a, b) in &pairs {
            partners[*a as usize] += 1;
            partners[*b as usize] += 1;
        }
        Degree {
            fewest: partners.iter().copied().min().unwrap_or(0),
            mean: 2.0 * pairs.len() as f64 / partners.len().max(1) as f64,
            most: partners.iter().copied().max().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TrafficBuilder, parse_pattern};

    #[test]
    fn corners_sides_and_the_middle_of_a_grid_have_two_three_and_four_partners() {
        // 12 pairs among 9 ranks.
        let traffic = parse_pattern("stencil:3x3").unwrap();
        assert_eq!(Degree::of(&traffic), Degree { fewest: 2, mean: 24.0 / 9.0, most: 4 });
    }

    #[test]
    fn who_gets_empty_messages_is_a_partner() {
        let mut builder = TrafficBuilder::new(3);
        builder.add(0, 1, 4.0, 0.0);
        builder.add(1, 0, 1.0, 8.0);
        builder.add(2, 1, 1.0, 0.0);
        builder.add(2, 2, 1.0, 8.0);
        let degree = Degree::of(&builder.build());
        assert_eq!(degree, Degree { fewest: 1, mean: 4.0 / 3.0, most: 2 });
    }
}
