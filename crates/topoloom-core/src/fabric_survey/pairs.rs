//! Pairs of switches that lack cables.
//!
//! In a fat tree the switches of two neighbouring tiers form blocks, in which every lower switch is
//! joined to every upper one: a whole network of two tiers, a pod of a larger one.

use std::collections::{BTreeMap, BTreeSet};

use super::tiers::Tiers;
use super::usual::usual;

/// Pairs without a cable in blocks where nearly all pairs have one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UncabledPairs {
    /// The lower and the upper switch of each.
    pub pairs: Vec<[u32; 2]>,
    /// How many pairs such blocks have, with and without cables.
    pub of: usize,
}

/// A pair of switches with fewer cables than usual in its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThinPair {
    /// The lower and the upper switch.
    pub switches: [u32; 2],
    /// How many cables join them.
    pub cables: usize,
    /// How many join two thirds of the pairs, or more.
    pub usual: usize,
}

/// The switches of two neighbouring tiers that cables join.
#[derive(Default)]
struct Block {
    lower: BTreeSet<u32>,
    upper: BTreeSet<u32>,
    cables: BTreeMap<[u32; 2], usize>,
}

/// Looks for pairs that lack cables, block by block.
pub fn compare(tiers: &Tiers) -> (UncabledPairs, Vec<ThinPair>) {
    let (mut uncabled, mut thin) = (UncabledPairs::default(), Vec::new());
    for block in blocks(tiers) {
        let pairs = block.lower.len() * block.upper.len();
        // Four of five are nearly all.
        if 5 * block.cables.len() < 4 * pairs {
            continue;
        }
        uncabled.of += pairs;
        for &lower in &block.lower {
            let all = block.upper.iter().map(|&upper| [lower, upper]);
            uncabled.pairs.extend(all.filter(|pair| !block.cables.contains_key(pair)));
        }
        let Some(usual) = usual(block.cables.values().copied()) else { continue };
        let less = block.cables.iter().filter(|(_, cables)| **cables < usual);
        thin.extend(less.map(|(&switches, &cables)| ThinPair { switches, cables, usual }));
    }
    (uncabled, thin)
}

fn blocks(tiers: &Tiers) -> Vec<Block> {
    // A switch is the lower one towards the tier above it, and the upper one towards the tier below.
    let switches = tiers.of_switch.len();
    let mut root: Vec<usize> = (0..2 * switches).collect();
    let ends = |[lower, upper]: [u32; 2]| [lower as usize, switches + upper as usize];
    let upwards =
        tiers.cables.iter().filter_map(|(pair, cables)| Some((tiers.upwards(*pair)?, *cables)));
    for (pair, _) in upwards.clone() {
        let [a, b] = ends(pair).map(|end| find(&mut root, end));
        root[a.max(b)] = a.min(b);
    }
    let mut blocks: BTreeMap<usize, Block> = BTreeMap::new();
    for (pair, cables) in upwards {
        let block = blocks.entry(find(&mut root, ends(pair)[0])).or_default();
        block.lower.insert(pair[0]);
        block.upper.insert(pair[1]);
        block.cables.insert(pair, cables);
    }
    blocks.into_values().collect()
}

fn find(root: &mut [usize], mut at: usize) -> usize {
    while root[at] != at {
        root[at] = root[root[at]];
        at = root[at];
    }
    at
}
