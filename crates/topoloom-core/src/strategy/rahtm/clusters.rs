//! Phase 1, level by level: the clusters of a hierarchy, and what they exchange.

use std::collections::HashMap;

use super::hierarchy::Level;
use super::merging::{Block, EMPTY};
use super::tiling::{Grid, best_tiling};
use crate::problem::Problem;
use crate::run::Run;
use crate::traffic::{Traffic, TrafficBuilder, Weight};

/// The clusters of all levels, and what they exchange.
pub struct Clusters {
    /// The cluster of each rank. Each node has one cluster.
    pub cluster_of: Vec<u32>,
    /// The members of each group, by level: members of level 0 are clusters.
    pub members: Vec<Vec<Vec<u32>>>,
    /// What the members of each level exchange; on level 0, what clusters exchange.
    pub traffic: Vec<Traffic>,
    /// The shapes of the tiles, in words.
    pub shapes: Vec<String>,
}

impl Clusters {
    /// `None` if the time runs out first.
    pub fn new(
        problem: &Problem,
        size: u32,
        levels: &[Level],
        nodes: u32,
        run: &mut Run,
    ) -> Option<Clusters> {
        let grids = Grid::of_ranks(problem, run);
        let tiling = best_tiling(&grids, size, problem.traffic(), problem.weight(), run);
        if run.out_of_time() {
            return None;
        }
        let shape = |shape: &[u32]| shape.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        let mut shapes = vec![shape(&tiling.shape)];
        let mut traffic = vec![problem.between_groups(&tiling.group_of, nodes)];
        let mut members = Vec::new();
        let cluster_of = tiling.group_of;
        let mut grid = tiling.grid;
        let mut units = nodes;
        for level in levels {
            let lower = traffic.last().expect("the clusters' own");
            let tiling = best_tiling(&[grid], level.used, lower, Weight::Bytes, run);
            if run.out_of_time() {
                return None;
            }
            units /= level.num_children() as u32;
            let mut groups = vec![Vec::new(); units as usize];
            let mut group_of = tiling.group_of.clone();
            // Units beyond the grid are empty; they may be in any group.
            group_of.resize(lower.num_ranks(), 0);
            for (unit, &group) in (0..).zip(&tiling.group_of) {
                groups[group as usize].push(unit);
            }
            members.push(groups);
            shapes.push(shape(&tiling.shape));
            let upper = lower.contracted(&group_of, units);
            traffic.push(upper);
            grid = tiling.grid;
        }
        Some(Clusters { cluster_of, members, traffic, shapes })
    }

    /// What the members of a group exchange, each by its position among them.
    pub fn among_members(&self, level: usize, group: u32) -> Traffic {
        restricted(&self.traffic[level], &self.members[level][group as usize])
    }

    /// The block of a group with all its members in order, on a machine of parts in parts.
    pub fn in_order(&self, levels: &[Level], level: usize, group: u32) -> Block {
        let Some(below) = level.checked_sub(1) else { return vec![group] };
        let members = &self.members[below][group as usize];
        let blocks = members.iter().flat_map(|&member| self.in_order(levels, below, member));
        let mut block: Block = blocks.collect();
        block.resize(levels[below].parent().iter().product::<u32>() as usize, EMPTY);
        block
    }
}

/// What `members` exchange, each by its position among them.
fn restricted(traffic: &Traffic, members: &[u32]) -> Traffic {
    let position: HashMap<u32, u32> = members.iter().copied().zip(0..).collect();
    let mut builder = TrafficBuilder::new(members.len() as u32);
    for (&member, from) in members.iter().zip(0..) {
        for flow in traffic.flows_from(crate::Rank(member)) {
            if let Some(&to) = position.get(&flow.to.0) {
                builder.add(from, to, flow.messages, flow.bytes);
            }
        }
    }
    builder.build()
}
