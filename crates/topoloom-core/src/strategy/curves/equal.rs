//! The Hilbert curve through dimensions of one length, with the others row by row at each of its
//! steps.
//!
//! On cubes of side 2^k every step of the curve keeps to one half, quarter, ... of the cube, but a
//! box of different lengths has no such equal parts. Abdel-Gawad, Thottethodi and Bhatele, "RAHTM:
//! routing algorithm aware hierarchical task mapping" (2014), section IV, walk the dimensions ABCD
//! of a 4x4x4x4x2 torus in this way, with E and the slots in order.

use super::hilbert::hilbert;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::run::Run;
use crate::strategy::definition::{NotApplicable, Strategy};
use crate::strategy::dimensions::Dimensions;
use crate::strategy::filling::fill;

/// Along the curve, slowest; then the other dimensions, later ones faster; slots are fastest.
#[derive(Debug, Clone, Copy)]
pub(super) struct HilbertOfEqual;

impl Strategy for HilbertOfEqual {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        _run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let dimensions = Dimensions::of(problem.machine())?;
        let slots = slots_in_order(&dimensions);
        fill(problem, 0..problem.num_ranks() as u32, &slots)
    }
}

fn slots_in_order(dimensions: &Dimensions) -> Vec<u32> {
    let (_, nodes) = dimensions.lengths.split_last().expect("the slots are the last dimension");
    let equal = most_of_one_length(nodes);
    let others: Vec<usize> =
        (0..dimensions.lengths.len()).filter(|dimension| !equal.contains(dimension)).collect();
    let within: Vec<u32> = dimensions.walk(&others, false).collect();
    // Curves number the nodes of a box with the first dimension fastest.
    let fastest_last: Vec<usize> = equal.iter().rev().copied().collect();
    let starts: Vec<u32> = dimensions.walk(&fastest_last, false).collect();
    let lengths: Vec<u32> = equal.iter().map(|&dimension| nodes[dimension]).collect();
    let curve = hilbert(&lengths);
    curve
        .iter()
        .flat_map(|&at| within.iter().map(move |slot| (at, slot)))
        .map(|(at, slot)| starts[at as usize] + slot)
        .collect()
}

/// The largest set of dimensions of the same length, which is more than 1; if two lengths are
/// equally frequent, that of the longer one.
fn most_of_one_length(lengths: &[u32]) -> Vec<usize> {
    let count = |length: u32| lengths.iter().filter(|&&other| other == length).count();
    let long = lengths.iter().copied().filter(|&length| length > 1);
    let length = long.max_by_key(|&length| (count(length), length));
    (0..lengths.len()).filter(|&dimension| Some(lengths[dimension]) == length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    fn slots(strategy: &str, machine: &str) -> Vec<u32> {
        let machine = Machine::parse(machine).unwrap();
        let traffic = parse_pattern(&format!("ring:{}", machine.num_slots())).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy(strategy).unwrap();
        strategy.map(&problem, None, &mut Run::new(1)).unwrap().slots().to_vec()
    }

    #[test]
    fn the_most_dimensions_of_one_length_are_chosen() {
        assert_eq!(most_of_one_length(&[4, 4, 4, 4, 2]), [0, 1, 2, 3]);
        assert_eq!(most_of_one_length(&[2, 8, 2, 8]), [1, 3]);
        assert_eq!(most_of_one_length(&[3, 1, 1, 5]), [3]);
        assert_eq!(most_of_one_length(&[1, 1]), [] as [usize; 0]);
    }

    #[test]
    fn the_other_dimensions_and_the_slots_are_walked_at_each_step_of_the_curve() {
        // A and C are 2 long, B is 3 and E is 1; node a + 2b + 6c. The curve through A and C goes
        // (0,0) (1,0) (1,1) (0,1), at nodes 0, 1, 7 and 6; B adds 0, 2 and 4.
        let nodes = [0, 2, 4, 1, 3, 5, 7, 9, 11, 6, 8, 10];
        assert_eq!(slots("hilbert:equal", "torus:2x3x2x1"), nodes);
        let with_slots: Vec<u32> = nodes.iter().flat_map(|node| [2 * node, 2 * node + 1]).collect();
        assert_eq!(slots("hilbert:equal", "torus:2x3x2x1,slots=2"), with_slots);
    }

    #[test]
    fn of_several_other_dimensions_the_last_is_the_fastest() {
        // Node a + 4b + 16c + 32d: D before C at each step. The first step is along A.
        assert_eq!(slots("hilbert:equal", "mesh:4x4x2x3")[..8], [0, 32, 64, 16, 48, 80, 1, 33]);
    }

    #[test]
    fn on_a_cube_it_is_the_hilbert_curve() {
        let cube = "torus:4x4x4,slots=3";
        assert_eq!(slots("hilbert:equal", cube), slots("hilbert", cube));
    }

    #[test]
    fn other_words_are_refused() {
        let error = parse_strategy("hilbert:equals").unwrap_err();
        assert_eq!(
            error.to_string(),
            "hilbert: expected nothing or the word equal after the colon, found \"equals\""
        );
    }
}
