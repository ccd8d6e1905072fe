//! Boxes: nodes at their coordinates, and boxes of boxes beyond three dimensions.

use topoloom_core::Topology;

use super::gray;
use super::limits::MOST_POINTS;
use super::plan::Plan;
use crate::numbers::grouped;

/// A box of nodes as a box of points.
struct Blocks {
    /// Nodes along each dimension.
    lengths: Vec<u32>,
    /// Nodes along each dimension of a block.
    sizes: Vec<u32>,
}

impl Blocks {
    /// Halves the longest dimensions until there are few enough points.
    fn of(lengths: &[u32]) -> Blocks {
        let mut blocks = Blocks { lengths: lengths.to_vec(), sizes: vec![1; lengths.len()] };
        while blocks.counts().iter().map(|&count| count as usize).product::<usize>() > MOST_POINTS {
            let counts = blocks.counts();
            let longest = counts.iter().max().copied().unwrap_or(1);
            match counts.iter().position(|&count| count == longest) {
                Some(dimension) => blocks.sizes[dimension] *= 2,
                None => break,
            }
        }
        blocks
    }

    /// Points along each dimension.
    fn counts(&self) -> Vec<u32> {
        self.lengths.iter().zip(&self.sizes).map(|(length, size)| length.div_ceil(*size)).collect()
    }

    /// The point of a node.
    fn point_of(&self, counts: &[u32], node: u32) -> u32 {
        let (mut rest, mut point, mut stride) = (node, 0, 1);
        for ((length, size), count) in self.lengths.iter().zip(&self.sizes).zip(counts) {
            point += rest % length / size * stride;
            rest /= length;
            stride *= count;
        }
        point
    }

    fn name(&self, counts: &[u32], point: u32) -> String {
        let (mut rest, mut node, mut stride) = (point, 0, 1);
        let mut ranges = Vec::new();
        for ((length, size), count) in self.lengths.iter().zip(&self.sizes).zip(counts) {
            let first = rest % count * size;
            let last = (first + size).min(*length) - 1;
            ranges.push(match first == last {
                true => first.to_string(),
                false => format!("{first}..{last}"),
            });
            node += first * stride;
            stride = stride.wrapping_mul(*length);
            rest /= count;
        }
        let ranges = ranges.join(", ");
        match self.is_fine() {
            true => format!("node {node} ({ranges})"),
            false => format!("nodes ({ranges})"),
        }
    }

    /// Whether each point is one node.
    fn is_fine(&self) -> bool {
        self.sizes.iter().all(|&size| size == 1)
    }

    fn note(&self) -> Option<String> {
        let even = self.lengths.iter().zip(&self.sizes).all(|(length, size)| length % size == 0);
        let up_to = if even { "" } else { "up to " };
        // A hypercube has too many dimensions to list them all.
        let nodes = match self.sizes.len() {
            0..=6 => self.sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(" x "),
            _ => grouped(self.sizes.iter().map(|&size| f64::from(size)).product()),
        };
        (!self.is_fine()).then(|| {
            format!(
                "A point stands for {up_to}{nodes} nodes; an edge shows the busiest of the links between two such \
                 blocks."
            )
        })
    }
}

/// How far apart neighbours of each dimension are, and the axis along which they lie: dimensions
/// beyond the third repeat the box of the dimensions before, with growing gaps.
fn steps(counts: &[u32]) -> Vec<(usize, f32)> {
    let mut extents = [0f32; 3];
    let mut steps = Vec::new();
    // Dimensions with a single point take no room.
    let mut drawn = 0;
    for &count in counts {
        let (axis, round) = (drawn % 3, drawn / 3);
        let step = extents[axis] + 1.0 + round as f32;
        steps.push((axis, step));
        if count > 1 {
            extents[axis] += step * (count - 1) as f32;
            drawn += 1;
        }
    }
    steps
}

/// Which dimensions repeat which, if there are more than three to draw.
fn note_of_repeats(counts: &[u32]) -> Option<String> {
    let drawn = (1..).zip(counts).filter(|&(_, &count)| count > 1);
    let numbers: Vec<usize> = drawn.map(|(number, _)| number).collect();
    let along = |(place, number): (usize, &usize)| {
        format!("dimension {number} along {}", ["x", "y", "z"][place % 3])
    };
    let dimensions: Vec<String> = numbers.iter().enumerate().skip(3).map(along).collect();
    let text = match dimensions.len() {
        0 => return None,
        1..=3 => dimensions.join(", "),
        more => format!("{more} dimensions in turn along x, y and z, with growing gaps"),
    };
    Some(format!("The box of three dimensions is repeated: {text}."))
}

/// The positions of the points of a box of these lengths, first dimension fastest.
pub fn places(lengths: &[u32]) -> Vec<[f32; 3]> {
    let steps = steps(lengths);
    let count = lengths.iter().map(|&length| length as usize).product();
    let place = |mut rest: usize| {
        let mut place = [0f32; 3];
        for (&length, &(axis, step)) in lengths.iter().zip(&steps) {
            place[axis] += (rest % length as usize) as f32 * step;
            rest /= length as usize;
        }
        place
    };
    (0..count).map(place).collect()
}

pub fn plan(topology: &dyn Topology) -> Plan {
    let nodes = topology.num_nodes() as u32;
    let line = [nodes];
    let blocks = Blocks::of(topology.grid_lengths().unwrap_or(&line));
    let counts = blocks.counts();
    if blocks.is_fine() && gray::suits(&counts) {
        let names = (0..nodes).map(|node| blocks.name(&counts, node)).collect();
        return gray::plan(counts.len() as u32, names);
    }
    let points = places(&counts);
    Plan {
        turns: counts.iter().filter(|&&count| count > 1).count() >= 3,
        names: (0..points.len() as u32).map(|point| blocks.name(&counts, point)).collect(),
        holding: points.len(),
        points,
        point_of_vertex: (0..nodes).map(|node| blocks.point_of(&counts, node)).collect(),
        block: "block",
        notes: blocks.note().into_iter().chain(note_of_repeats(&counts)).collect(),
        lengths: counts,
        layers: None,
        arcs: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_dimensions_are_halved() {
        // 64 x 64 x 4 = 16384 points: half of one of the longest is enough.
        let blocks = Blocks::of(&[64, 64, 4]);
        assert_eq!(blocks.counts(), [32, 64, 4]);
        assert_eq!(blocks.name(&blocks.counts(), 32 * 64 + 1), "nodes (2..3, 0, 1)");
        // Nodes (3, 0, 1).
        assert_eq!(blocks.point_of(&blocks.counts(), 3 + 64 * 64), 32 * 64 + 1);
        let note = blocks.note().unwrap();
        assert!(note.starts_with("A point stands for 2 x 1 x 1 nodes;"), "{note}");
        // 2^14 nodes on 2^13 points.
        assert!(Blocks::of(&[2; 14]).note().unwrap().starts_with("A point stands for 2 nodes;"));
        // The last block of an odd length is smaller.
        let blocks = Blocks::of(&[8193]);
        assert_eq!(
            (blocks.counts()[0], blocks.name(&[4097], 4096).as_str()),
            (4097, "nodes (8192)")
        );
        assert!(blocks.note().unwrap().contains("up to 2 nodes"));
    }

    #[test]
    fn the_fourth_dimension_repeats_the_box_along_x() {
        let places = places(&[2, 2, 2, 3, 2]);
        // After the two points of the first dimension, 1 apart, there is a gap of 2.
        assert_eq!([places[1], places[8], places[16]], [[1., 0., 0.], [3., 0., 0.], [6., 0., 0.]]);
        assert_eq!(places[24], [0., 3., 0.]);
    }

    #[test]
    fn repeats_are_named_while_they_are_few() {
        assert_eq!(note_of_repeats(&[4, 1, 4, 4]), None);
        let expected = "The box of three dimensions is repeated: dimension 5 along x.";
        assert_eq!(note_of_repeats(&[4, 1, 4, 4, 2]).unwrap(), expected);
        assert!(note_of_repeats(&[2; 9]).unwrap().contains("6 dimensions in turn"));
    }

    #[test]
    fn dimensions_of_one_take_no_axis() {
        assert_eq!(places(&[1, 3, 1, 2])[3], [0., 1., 0.]);
    }
}
