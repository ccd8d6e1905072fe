//! How the machine is cut. A box is cut into equal cubes, and those in two along each dimension,
//! level by level. A fat tree or a dragonfly is cut into the parts that it consists of.

use std::str::FromStr;

/// Cubes of more dimensions are cut a few dimensions at a time.
const MOST_CUBE_DIMENSIONS: usize = 5;

/// A level of the hierarchy: blocks, and how many of them make a block of the next level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// How many blocks lie side by side along each dimension.
    pub counts: Vec<u32>,
    /// The lengths of one of them.
    pub block: Vec<u32>,
    /// How one of them can be turned without changing the contents of its parts.
    pub turns: Turns,
    /// How many of the blocks in a block of the next level are used.
    pub used: u32,
}

/// How a block can be turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turns {
    /// By rotations and reflections of its box.
    Box,
    /// By the order of this many parts of it, which lie one after the other.
    Parts(u32),
}

impl Level {
    /// A level of a box, all of whose blocks are used.
    pub fn of_box(counts: Vec<u32>, block: Vec<u32>) -> Level {
        let used = counts.iter().product();
        Level { counts, block, turns: Turns::Box, used }
    }

    /// How many blocks make one of the next level.
    pub fn num_children(&self) -> usize {
        self.counts.iter().product::<u32>() as usize
    }

    /// The lengths of a block of the next level.
    pub fn parent(&self) -> Vec<u32> {
        self.counts.iter().zip(&self.block).map(|(count, length)| count * length).collect()
    }

    /// Whether the blocks are arranged as the corners of a cube.
    pub fn is_cube(&self) -> bool {
        self.turns == Turns::Box && self.counts.iter().all(|&count| count <= 2)
    }
}

/// Where the parts go that a box has in addition to equal cubes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uneven {
    /// The cubes are the blocks of the topmost level.
    Top,
    /// The parts are the nodes of the cubes.
    Bottom,
}

impl FromStr for Uneven {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "top" => Ok(Uneven::Top),
            "bottom" => Ok(Uneven::Bottom),
            _ => Err(()),
        }
    }
}

/// The levels of a box, lowest first.
///
/// If the dimensions of a box differ, it is cut into equal cubes of side 2^m, as few as possible: 4
/// x 4 x 4 x 4 x 2 into two of 4 x 4 x 4 x 4, or into one whose nodes are pairs.
pub fn levels(lengths: &[u32], uneven: Uneven) -> Vec<Level> {
    let exponent = (0..=lengths.iter().map(|length| length.trailing_zeros()).max().unwrap_or(0))
        .min_by_key(|&exponent| {
            let parts: u64 =
                lengths.iter().map(|&length| u64::from(length / side(length, exponent))).product();
            // Among cuts into equally many cubes, those with more dimensions.
            (parts, exponent)
        })
        .unwrap_or(0);
    let cubic: Vec<usize> =
        (0..lengths.len()).filter(|&dimension| side(lengths[dimension], exponent) > 1).collect();
    let mut levels = Vec::new();
    let mut block = vec![1; lengths.len()];
    let parts: Vec<u32> = lengths.iter().map(|&length| length / side(length, exponent)).collect();
    let is_even = parts.iter().all(|&count| count == 1);
    if uneven == Uneven::Bottom && !is_even {
        levels.push(Level::of_box(parts.clone(), block));
        block = parts.clone();
    }
    let steps = cubic.len().div_ceil(MOST_CUBE_DIMENSIONS).max(1);
    let dimensions_at_once = cubic.len().div_ceil(steps).max(1);
    for _ in 0..exponent {
        for dimensions in cubic.chunks(dimensions_at_once) {
            let mut counts = vec![1; lengths.len()];
            dimensions.iter().for_each(|&dimension| counts[dimension] = 2);
            let level = Level::of_box(counts, block);
            block = level.parent();
            levels.push(level);
        }
    }
    if uneven == Uneven::Top && !is_even {
        levels.push(Level::of_box(parts, block));
    }
    levels
}

/// The levels of a machine of parts in parts, lowest first; levels with a single part are left out.
/// Nodes lie one after the other, as in a box of one dimension. The clusters fill one part after
/// the other, or all parts as evenly as possible.
pub fn nested_levels(parts: &[u32], clusters: u32, filling: Filling) -> Vec<Level> {
    let mut levels = Vec::new();
    let (mut size, mut inside) = (1, 1);
    for &count in parts.iter().filter(|&&count| count > 1) {
        let turns = Turns::Parts(inside);
        levels.push(Level { counts: vec![count], block: vec![size], turns, used: count });
        size *= count;
        inside = count;
    }
    if filling == Filling::Spread {
        let mut left = clusters.max(1);
        for level in levels.iter_mut().rev() {
            level.used = level.used.min(left);
            left = left.div_ceil(level.used);
        }
    }
    levels
}

/// How clusters fill a machine that has more nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// One part after the other.
    Packed,
    /// All parts of a level alike, those of the highest level first.
    Spread,
}

/// The side of a cube along a dimension: 2^exponent if it fits, otherwise 1.
fn side(length: u32, exponent: u32) -> u32 {
    if length.trailing_zeros() >= exponent { 1 << exponent } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(lengths: &[u32]) -> Vec<Vec<u32>> {
        levels(lengths, Uneven::Top).into_iter().map(|level| level.counts).collect()
    }

    #[test]
    fn blue_gene_is_two_cubes_of_side_four() {
        let expected = [vec![2, 2, 2, 2, 1], vec![2, 2, 2, 2, 1], vec![1, 1, 1, 1, 2]];
        assert_eq!(counts(&[4, 4, 4, 4, 2]), expected);
        assert_eq!(levels(&[4, 4, 4, 4, 2], Uneven::Top)[2].block, [4, 4, 4, 4, 1]);
    }

    #[test]
    fn a_dragonfly_is_groups_of_routers_of_nodes() {
        let levels = nested_levels(&[2, 4, 1, 9], 72, Filling::Packed);
        let expected = [(2, 1, 1), (4, 2, 2), (9, 8, 4)].map(|(count, size, inside)| Level {
            counts: vec![count],
            block: vec![size],
            turns: Turns::Parts(inside),
            used: count,
        });
        assert_eq!(levels, expected);
        assert!(levels.iter().all(|level| !level.is_cube()));
    }

    #[test]
    fn few_clusters_are_spread_over_all_groups() {
        // 16 over 5 groups: 4 in each except the last, one per router.
        let used = |clusters| -> Vec<u32> {
            let levels = nested_levels(&[2, 4, 5], clusters, Filling::Spread);
            levels.iter().map(|level| level.used).collect()
        };
        assert_eq!(used(16), [1, 4, 5]);
        assert_eq!(used(40), [2, 4, 5]);
        assert_eq!(used(3), [1, 1, 3]);
        assert_eq!(used(0), [1, 1, 1]);
    }

    #[test]
    fn or_one_cube_of_pairs() {
        let levels = levels(&[4, 4, 4, 4, 2], Uneven::Bottom);
        assert_eq!(levels[0].counts, [1, 1, 1, 1, 2]);
        assert_eq!(levels[1].block, [1, 1, 1, 1, 2]);
        assert_eq!(levels[2].parent(), [4, 4, 4, 4, 2]);
    }

    #[test]
    fn lengths_that_are_no_powers_of_two_are_split_at_the_top() {
        assert_eq!(counts(&[6, 4]), [vec![2, 2], vec![3, 2]]);
        assert_eq!(counts(&[8, 4, 4]), [vec![2, 2, 2], vec![2, 2, 2], vec![2, 1, 1]]);
        assert_eq!(counts(&[3, 5]), [vec![3, 5]]);
        assert!(counts(&[1, 1]).is_empty());
        assert_eq!(
            counts(&[2; 7]).iter().map(|counts| counts.iter().product::<u32>()).max(),
            Some(16)
        );
    }
}
