//! Which boxes a job may ask for.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The lengths of a box on each dimension of the machine; rotated boxes have the same sorted
/// lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Every rotation that fits the machine, in order.
    pub rotations: Vec<Vec<u32>>,
}

impl Shape {
    /// The nodes in it.
    pub fn volume(&self) -> u64 {
        self.rotations[0].iter().map(|&length| u64::from(length)).product()
    }

    /// How many sides are longer than 1.
    pub fn dimensions(&self) -> usize {
        self.rotations[0].iter().filter(|&&length| length > 1).count()
    }
}

/// Which shapes of partition a job accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShapeRule {
    /// Every box without a side that could be shorter, those with the shortest sides first.
    #[default]
    Any,
    /// The box with the shortest sides.
    Cube,
    /// The same among flat boxes: at most two sides are longer than 1.
    TwoDimensional,
    /// The same among boxes with three sides longer than 1.
    ThreeDimensional,
    /// The number of dimensions (one, two, three, ...) that makes the job fastest, by its own
    /// traffic.
    Advise,
}

impl ShapeRule {
    const NAMES: [(ShapeRule, &'static str); 5] = [
        (ShapeRule::Any, "any"),
        (ShapeRule::Cube, "cube"),
        (ShapeRule::TwoDimensional, "2d"),
        (ShapeRule::ThreeDimensional, "3d"),
        (ShapeRule::Advise, "advise"),
    ];

    /// The shapes of `all` (see [`boxes_for`]) that a job accepts, best first. For
    /// [`ShapeRule::Advise`] they are the candidates: one for each number of dimensions.
    pub fn choose(self, all: &[Shape]) -> Vec<Shape> {
        let most_dimensions = all.iter().map(Shape::dimensions).max().unwrap_or(0);
        let first = |accepts: &dyn Fn(usize) -> bool| {
            all.iter().find(|shape| accepts(shape.dimensions())).cloned()
        };
        let or_any = |shape: Option<Shape>| shape.or_else(|| all.first().cloned());
        match self {
            ShapeRule::Any => all.to_vec(),
            ShapeRule::Cube => all.first().cloned().into_iter().collect(),
            ShapeRule::TwoDimensional => or_any(first(&|sides| sides <= 2)).into_iter().collect(),
            ShapeRule::ThreeDimensional => or_any(first(&|sides| sides == 3)).into_iter().collect(),
            ShapeRule::Advise => {
                (0..=most_dimensions).filter_map(|wanted| first(&|sides| sides == wanted)).collect()
            }
        }
    }
}

impl fmt::Display for ShapeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name) = Self::NAMES.iter().find(|(rule, _)| rule == self).expect("all have names");
        f.write_str(name)
    }
}

/// A word that is not a rule for shapes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected a shape: any, cube, 2d, 3d or advise, found \"{0}\"")]
pub struct UnknownShape(pub String);

impl FromStr for ShapeRule {
    type Err = UnknownShape;

    fn from_str(text: &str) -> Result<Self, UnknownShape> {
        let found = Self::NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(rule, _)| *rule).ok_or_else(|| UnknownShape(text.to_string()))
    }
}

/// Every shape for `nodes` on a box of these lengths in which no side could be shorter. The order
/// is: the smallest sum of sides, then the fewest nodes, then the shortest longest side. Empty if
/// the box is too small.
pub fn boxes_for(nodes: u32, lengths: &[u32]) -> Vec<Shape> {
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut sides = vec![1; lengths.len()];
    collect(u64::from(nodes), lengths, 0, &mut sides, &mut found);
    let key = |sides: &Vec<u32>| {
        let mut sorted = sides.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let volume: u64 = sides.iter().map(|&side| u64::from(side)).product();
        (sides.iter().sum::<u32>(), volume, sorted)
    };
    // The longer sides along the first dimensions come first, where nodes have neighbouring numbers.
    found.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| b.cmp(a)));
    found
        .chunk_by(|a, b| key(a) == key(b))
        .map(|turned| Shape { rotations: turned.to_vec() })
        .collect()
}

fn collect(
    nodes: u64,
    lengths: &[u32],
    dimension: usize,
    sides: &mut Vec<u32>,
    found: &mut Vec<Vec<u32>>,
) {
    let before: u64 = sides[..dimension].iter().map(|&side| u64::from(side)).product();
    if dimension + 1 == lengths.len() {
        // The last side is as short as possible; the others are checked here.
        let last = nodes.div_ceil(before);
        if last <= u64::from(lengths[dimension]) {
            sides[dimension] = last as u32;
            let volume = before * last;
            let is_minimal = |side: &u32| {
                let side = u64::from(*side);
                side == 1 || volume / side * (side - 1) < nodes
            };
            if sides.iter().all(is_minimal) {
                found.push(sides.clone());
            }
        }
        return;
    }
    for side in 1..=lengths[dimension] {
        sides[dimension] = side;
        collect(nodes, lengths, dimension + 1, sides, found);
        // Longer sides would hold more nodes than asked for.
        if before * u64::from(side) >= nodes {
            break;
        }
    }
    sides[dimension] = 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(rule: ShapeRule, nodes: u32, lengths: &[u32]) -> Vec<u32> {
        rule.choose(&boxes_for(nodes, lengths))[0].rotations[0].clone()
    }

    #[test]
    fn shapes_are_as_their_names_say() {
        let machine = [8, 8, 8];
        assert_eq!(first(ShapeRule::Cube, 64, &machine), [4, 4, 4]);
        assert_eq!(first(ShapeRule::TwoDimensional, 64, &machine), [8, 8, 1]);
        assert_eq!(first(ShapeRule::ThreeDimensional, 64, &machine), [4, 4, 4]);
        // 3 x 2 has fewer nodes than 2 x 2 x 2, and the same sum of sides.
        assert_eq!(first(ShapeRule::Cube, 6, &machine), [3, 2, 1]);
        assert_eq!(first(ShapeRule::ThreeDimensional, 6, &machine), [2, 2, 2]);
        // 3 x 3 x 3, 4 x 3 x 2 and 5 x 2 x 2 have the same sum of sides; the last has no surplus
        // node.
        assert_eq!(first(ShapeRule::Cube, 20, &machine), [5, 2, 2]);
        // No plane of 8 x 8 holds 65 nodes.
        assert_eq!(
            first(ShapeRule::TwoDimensional, 65, &machine),
            first(ShapeRule::Cube, 65, &machine)
        );
        assert_eq!(boxes_for(513, &machine), []);
        assert_eq!(first(ShapeRule::Cube, 1, &machine), [1, 1, 1]);
        let advised = ShapeRule::Advise.choose(&boxes_for(8, &machine));
        let sides: Vec<_> = advised.iter().map(|shape| shape.rotations[0].clone()).collect();
        assert_eq!(sides, [vec![8, 1, 1], vec![4, 2, 1], vec![2, 2, 2]]);
    }

    #[test]
    fn every_box_holds_the_job_and_no_side_could_be_shorter() {
        for lengths in [vec![6], vec![4, 7], vec![3, 4, 5], vec![2, 3, 2, 3]] {
            let all: u32 = lengths.iter().product();
            for nodes in 1..=all {
                let shapes = boxes_for(nodes, &lengths);
                assert!(!shapes.is_empty(), "{nodes} on {lengths:?}");
                let mut rotations: Vec<Vec<u32>> =
                    shapes.iter().flat_map(|shape| shape.rotations.clone()).collect();
                rotations.sort();
                assert_eq!(rotations, by_trying(nodes, &lengths), "{nodes} on {lengths:?}");
            }
        }
    }

    /// The definition: every box, and every side of it one shorter.
    fn by_trying(nodes: u32, lengths: &[u32]) -> Vec<Vec<u32>> {
        let all: u32 = lengths.iter().product();
        let mut boxes: Vec<Vec<u32>> = (0..all)
            .map(|number| {
                let mut rest = number;
                let mut side = |&length: &u32| {
                    let side = rest % length + 1;
                    rest /= length;
                    side
                };
                lengths.iter().map(&mut side).collect::<Vec<u32>>()
            })
            .filter(|sides| {
                let volume: u32 = sides.iter().product();
                let could_be_shorter =
                    |side: &u32| *side > 1 && volume / side * (side - 1) >= nodes;
                volume >= nodes && !sides.iter().any(could_be_shorter)
            })
            .collect();
        boxes.sort();
        boxes
    }

    #[test]
    fn names_of_rules_come_back() {
        for (rule, name) in ShapeRule::NAMES {
            assert_eq!(name.parse(), Ok(rule));
            assert_eq!(rule.to_string(), name);
        }
        assert!("4d".parse::<ShapeRule>().unwrap_err().to_string().contains("found \"4d\""));
    }
}
