//! RAHTM: routing algorithm aware hierarchical task mapping.
//!
//! A. H. Abdel-Gawad, M. Thottethodi and A. Bhatele, "RAHTM: routing algorithm aware hierarchical
//! task mapping" (2014). Three phases: ranks are grouped by tiles, one group a node, and groups of
//! nodes by tiles again, as many levels as the machine's box can be halved (`tiling`,
//! `hierarchy`); from the top down each group is placed on a 2-ary n-cube so that the most loaded
//! link carries least (`placing`, `cube`); from the bottom up the placed blocks are joined, each
//! in its best rotation or reflection (`merging`).

mod cube;
mod hierarchy;
mod merging;
mod orientation;
mod placing;
mod sheet;
mod solver;
mod tiling;

use std::collections::HashMap;
use std::sync::Arc;

use hierarchy::Level;
pub(crate) use hierarchy::Uneven;
use merging::{Block, EMPTY, Merging};
use placing::{DEFAULT_NODES, Placing};
use tiling::{Grid, best_tiling};

use super::unfinished::in_order_instead;
use super::{NotApplicable, Strategy, StrategyEntry};
use crate::mapping::Mapping;
use crate::objective::{MaxLinkLoad, Objective, check_links};
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::SpecError;
use crate::traffic::{Traffic, TrafficBuilder, Weight};

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "rahtm",
    summary: "tiles, a linear program on small cubes, merging by rotation: for max-link-load",
    example: "rahtm",
    parameters: &[
        Parameter {
            name: "beam",
            default: "64",
            summary: "combinations that are kept while blocks are merged",
        },
        Parameter {
            name: "nodes",
            default: "2000",
            summary: "nodes of the linear programs' search trees, of eight clusters each",
        },
        Parameter {
            name: "uneven",
            default: "the better of top, as published, and bottom",
            summary: "where the parts go that make dimensions differ",
        },
    ],
    build: |spec| {
        spec.no_shape()?;
        let usual = Rahtm::default();
        let expected = "a number of at least 1";
        let beam = spec.get("beam", expected)?.unwrap_or(usual.beam);
        if beam == 0 {
            return Err(SpecError::new(format!(
                "rahtm: expected {expected} for \"beam\", found \"0\""
            )));
        }
        let nodes = spec.get("nodes", "a number")?.unwrap_or(usual.nodes);
        let uneven = spec.get("uneven", "top or bottom")?.or(usual.uneven);
        Ok(Arc::new(Rahtm { beam, nodes, uneven, ..usual }))
    },
};

/// The three phases.
#[derive(Debug, Clone, Copy)]
pub struct Rahtm {
    /// Combinations that are kept while blocks are merged.
    pub beam: usize,
    /// Nodes of the search trees of all linear programs, of eight clusters each; larger ones have
    /// fewer.
    pub nodes: u64,
    /// Links that may be looked at while blocks join, for each block of the next level.
    pub looks: usize,
    /// Where dimensions that differ are split off; `None` to try both.
    pub uneven: Option<Uneven>,
}

impl Default for Rahtm {
    fn default() -> Self {
        Rahtm { beam: 64, nodes: DEFAULT_NODES, looks: 3_000_000_000, uneven: None }
    }
}

impl Strategy for Rahtm {
    fn usual_objective(&self) -> &'static dyn Objective {
        &MaxLinkLoad
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let machine = problem.machine();
        let lengths = machine.topology().grid_lengths().ok_or_else(no_box)?;
        check_links(machine).map_err(|reason| NotApplicable(format!("rahtm {reason}")))?;
        let orders = match self.uneven {
            Some(uneven) => vec![uneven],
            None => vec![Uneven::Top, Uneven::Bottom],
        };
        let mut levels: Vec<Vec<Level>> =
            orders.into_iter().map(|uneven| hierarchy::levels(lengths, uneven)).collect();
        levels.dedup();
        let nodes = machine.num_nodes() as u32;
        // All slots of a node, or as few as spread the ranks over all nodes.
        let full = machine.slots_per_node();
        let spread = (problem.num_ranks() as u32).div_ceil(nodes);
        let mut sizes = vec![spread, full];
        sizes.dedup();
        let mut best: Option<(f64, Mapping)> = None;
        let both = sizes.iter().flat_map(|size| levels.iter().map(move |levels| (*size, levels)));
        for (size, levels) in both {
            if best.is_some() && run.must_stop() {
                break;
            }
            let Some(mapping) = self.map_tiles_of(size, problem, levels, run) else { break };
            // To judge it may take longer than all before; without anything to compare it with, it
            // need not be.
            let cost = MaxLinkLoad.cost_within(problem, &mapping, run);
            if cost.is_none() && run.out_of_time() && best.is_some() {
                break;
            }
            let cost = cost.unwrap_or(f64::INFINITY);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, mapping));
            }
        }
        match best {
            Some((_, mapping)) => Ok(mapping),
            None => in_order_instead(ENTRY.name, problem, run),
        }
    }
}

/// The tiles of the first phase alone, one a node, the machine's last dimension fastest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TilesInOrder;

impl Strategy for TilesInOrder {
    fn usual_objective(&self) -> &'static dyn Objective {
        &MaxLinkLoad
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let machine = problem.machine();
        let lengths = machine.topology().grid_lengths().ok_or_else(no_box)?;
        let grids = Grid::of_ranks(problem, run);
        let size = machine.slots_per_node();
        let tiling = best_tiling(&grids, size, problem.traffic(), problem.weight(), run);
        let node_of: Vec<u32> = (0..machine.num_nodes() as u32)
            .map(|mut tile| {
                let mut stride = machine.num_nodes() as u32;
                let mut node = 0;
                for &length in lengths.iter().rev() {
                    stride /= length;
                    node += tile % length * stride;
                    tile /= length;
                }
                node
            })
            .collect();
        Ok(in_slots(problem, &tiling.group_of, &node_of))
    }
}

fn no_box() -> NotApplicable {
    NotApplicable("rahtm needs a machine whose nodes fill a box".into())
}

/// The mapping that puts each cluster on its node, ranks in order.
fn in_slots(problem: &Problem, cluster_of: &[u32], node_of: &[u32]) -> Mapping {
    let per_node = problem.machine().slots_per_node();
    let mut taken = vec![0; node_of.len()];
    let slot = |&cluster: &u32| {
        let node = node_of[cluster as usize];
        taken[node as usize] += 1;
        node * per_node + taken[node as usize] - 1
    };
    let slots = cluster_of.iter().map(slot).collect();
    Mapping::new(slots, problem.machine()).expect("each cluster has a node of its own")
}

impl Rahtm {
    /// The mapping with so many ranks a node.
    fn map_tiles_of(
        &self,
        size: u32,
        problem: &Problem,
        levels: &[Level],
        run: &mut Run,
    ) -> Option<Mapping> {
        let machine = problem.machine().with_one_slot();
        let clusters = Clusters::new(problem, size, levels, machine.num_nodes() as u32, run)?;
        run.note(format!("rahtm: tiles of {}", clusters.shapes.join(", then ")));
        let placing = Placing::new(self.nodes);
        let merging = Merging::new(&machine, &clusters.traffic[0], self.beam, self.looks);
        let loads = vec![0.0; levels.len()];
        let mut work =
            Phases { levels, clusters: &clusters, machine: &machine, placing, merging, loads };
        let block = work.block(levels.len(), 0, run);
        let loads: Vec<String> = work.loads.iter().map(|load| format!("{load:.4e}")).collect();
        run.note(format!("rahtm: most loaded link of a block {}", loads.join(", then ")));
        run.note(format!(
            "rahtm: {} linear programs solved, {} left to the search",
            work.placing.proven, work.placing.open
        ));
        for report in &work.placing.reports {
            run.note(format!("rahtm: {report}"));
        }
        let mut node_of = vec![0; machine.num_nodes()];
        for (place, cluster) in (0..).zip(block).filter(|&(_, cluster)| cluster != EMPTY) {
            node_of[cluster as usize] = place;
        }
        let mapping = in_slots(problem, &clusters.cluster_of, &node_of);
        // What merging added up, link by link, is what the definition says.
        debug_assert!(
            run.was_cut_short() || {
                let cost = MaxLinkLoad.cost(problem, &mapping);
                work.loads.last().is_none_or(|load| (load - cost).abs() <= 1e-5 * cost)
            }
        );
        Some(mapping)
    }
}

/// The clusters of all levels, and what they exchange.
struct Clusters {
    /// The cluster of each rank: one a node.
    cluster_of: Vec<u32>,
    /// The members of each group, by level: members of level 0 are clusters.
    members: Vec<Vec<Vec<u32>>>,
    /// What the members of each level exchange; of level 0 what clusters do.
    traffic: Vec<Traffic>,
    /// The shapes of the tiles, in words.
    shapes: Vec<String>,
}

impl Clusters {
    /// `None` if the time is up before.
    fn new(
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
            let size = level.num_children() as u32;
            let lower = traffic.last().expect("the clusters' own");
            let tiling = best_tiling(&[grid], size, lower, Weight::Bytes, run);
            if run.out_of_time() {
                return None;
            }
            units /= size;
            let mut groups = vec![Vec::new(); units as usize];
            let mut group_of = tiling.group_of.clone();
            // Units beyond the grid hold nothing; any group takes them.
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
}

/// What the phases after tiling share.
struct Phases<'a> {
    levels: &'a [Level],
    clusters: &'a Clusters,
    machine: &'a crate::Machine,
    placing: Placing,
    merging: Merging<'a>,
    /// What the most loaded link of any block of each level carries.
    loads: Vec<f64>,
}

impl Phases<'_> {
    /// The block of a group: placed from the top down, merged from the bottom up.
    fn block(&mut self, level: usize, group: u32, run: &mut Run) -> Block {
        let Some(below) = level.checked_sub(1) else { return vec![group] };
        let members = &self.clusters.members[below][group as usize];
        let traffic = restricted(&self.clusters.traffic[below], members);
        let place_of = self.placing.place(&self.levels[below], &traffic, self.machine, run);
        let blocks: Vec<Block> =
            members.iter().map(|&member| self.block(below, member, run)).collect();
        let (block, load) = self.merging.join(&self.levels[below], &blocks, &place_of, run);
        self.loads[below] = load.max(self.loads[below]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, parse_pattern, parse_strategy};

    fn problem(traffic: &str, machine: &str) -> Problem {
        let machine = Machine::parse(machine).unwrap().with_routing("minimal-adaptive").unwrap();
        Problem::new(parse_pattern(traffic).unwrap(), machine, Weight::Bytes).unwrap()
    }

    fn load(strategy: &str, problem: &Problem) -> f64 {
        let strategy = parse_strategy(strategy).unwrap();
        let mapping = strategy.map(problem, Some(&MaxLinkLoad), &mut Run::new(1)).unwrap();
        MaxLinkLoad.cost(problem, &mapping)
    }

    #[test]
    fn a_stencil_finds_its_place() {
        // The example of the paper: 16 ranks on 4 x 4, each neighbour one hop away.
        let problem = problem("stencil:4x4", "mesh:4x4");
        assert!(load("rahtm", &problem) < 1.001);
    }

    #[test]
    fn it_beats_every_order_of_dimensions_on_a_small_blue_gene() {
        let problem = problem("bt:class=A,ranks=256", "torus:4x4x2,slots=8,double-links");
        let ours = load("rahtm", &problem);
        for other in ["permute:ABCT", "permute:TABC", "permute:ACBT", "hilbert:equal", "in-order"] {
            assert!(ours <= load(other, &problem), "{other}");
        }
    }

    #[test]
    fn odd_boxes_and_empty_slots_are_no_trouble() {
        for (traffic, machine) in [
            ("stencil:5x7", "torus:3x5,slots=3"),
            ("ring:3", "mesh:4x4"),
            ("random:ranks=20,degree=3", "torus:6x4"),
            ("all-to-all:9", "torus:2x2x3"),
            ("stencil:4x4", "hypercube:4"),
            ("ring:1", "mesh:1"),
        ] {
            load("rahtm", &problem(traffic, machine));
        }
    }
}
