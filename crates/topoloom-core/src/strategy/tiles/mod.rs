//! Tiles of the ranks' grid onto blocks of the machine, as in Rubik.
//!
//! Bhatele et al., "Mapping applications with collectives over sub-communicators on torus networks"
//! (2012): a box of ranks and a box of processors are each cut into equal parts, these again, and
//! so on; the smallest parts of the two are paired in order, and so are their contents. Within each
//! part, the next smaller ones are visited row by row, with the last axis fastest. The machine's
//! last axis is the slots of a node.
//!
//! So each side is just an order, given by nested tiles, and the first rank goes to the first slot.
//! If a tile and a block have the same size, one goes onto the other as a whole. The user decides
//! about that: four tiles per block, or one tile on four blocks, are equally valid orders.
//!
//! "4x4 tiles of the application on 4x2x2 in A, B and E" of a 4x4x4x4x2 torus with 32 slots can
//! mean two things. `app=4x4,machine=4x2x1x1x2` puts the 16 ranks of a tile on 16 nodes, and 32
//! tiles in a row, a strip of 4x128 ranks, one above the other in the slots of these nodes. With
//! `app=16x32:4x8,machine=4x2x1x1x2:1x1x1x1x1` 4x8 ranks share a node, and 4x4 such nodes a block.

mod grid;

use std::sync::Arc;

use thiserror::Error;

use grid::{checked_volume, nested_order, parse_shape, parse_shapes, shown, squarest};

use super::definition::{NotApplicable, Strategy};
use super::dimensions::Dimensions;
use super::entry::StrategyEntry;
use super::filling::fill;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::{Spec, SpecError};
use crate::words::counted;

/// The registry's entry.
pub static ENTRY: StrategyEntry = StrategyEntry {
    name: "tiles",
    summary: "maps tiles of the ranks' grid to blocks of the machine, as Rubik does",
    example: "tiles:app=16x32:4x8,machine=4x2x1x1x2:1x1x1x1x1",
    parameters: &[
        Parameter {
            name: "app",
            default: "ranks in order",
            summary: "shape of a tile of ranks; largest first if nested, as in 32x32:4x4",
        },
        Parameter {
            name: "machine",
            default: "nodes in order, the last dimension fastest",
            summary: "shape of a block of nodes, likewise; may end with the slots per node that a \
                      tile takes",
        },
        Parameter {
            name: "grid",
            default: "the squarest that whole tiles fill",
            summary: "shape of all ranks, the last axis fastest",
        },
    ],
    build: |spec| Ok(Arc::new(Tiles::from_spec(spec)?)),
};

/// The grid of a stencil has at most this many.
const MOST_AXES: usize = 6;

/// Tiles of the ranks' grid onto blocks of the machine.
#[derive(Debug, Clone)]
pub struct Tiles {
    /// Tiles of ranks, the largest first.
    pub app: Vec<Vec<u32>>,
    /// Blocks of the machine, the largest first, with or without their slots.
    pub machine: Vec<Vec<u32>>,
    /// The grid of the ranks; `None` to find it in the traffic.
    pub grid: Option<Vec<u32>>,
}

impl Tiles {
    fn from_spec(spec: &Spec) -> Result<Tiles, SpecError> {
        spec.no_shape()?;
        let app = parse_shapes(spec, "app", "32x32:4x4")?;
        let machine = parse_shapes(spec, "machine", "4x2x1x1x2")?;
        let grid = parse_shape(spec, "grid", "128x128")?;
        let of_ranks = || grid.iter().chain(&app);
        if let Some(shape) = of_ranks().find(|shape| shape.len() > MOST_AXES) {
            return Err(SpecError::new(format!(
                "tiles: at most {MOST_AXES} axes of ranks are possible, found {}",
                shown(shape)
            )));
        }
        for (outer, inner) in of_ranks().zip(of_ranks().skip(1)) {
            check_divides("tiles of", inner, outer)
                .map_err(|reason| SpecError::new(format!("tiles: {reason}")))?;
        }
        Ok(Tiles { app, machine, grid })
    }

    /// The grid of the ranks, which consists of whole tiles.
    fn grid_of(&self, ranks: usize) -> Result<Vec<u32>, NotApplicable> {
        match (&self.grid, self.app.first()) {
            (Some(grid), _) if checked_volume(grid) == Some(ranks as u64) => Ok(grid.clone()),
            (Some(grid), _) => Err(NotApplicable(format!(
                "{} do not fill a grid of {}",
                counted(ranks, "rank"),
                shown(grid)
            ))),
            (None, Some(tile)) => squarest(ranks as u32, tile).ok_or_else(|| {
                NotApplicable(format!(
                    "{} do not fill a grid of whole tiles of {}",
                    counted(ranks, "rank"),
                    shown(tile)
                ))
            }),
            (None, None) => Ok(vec![ranks as u32]),
        }
    }

    /// The blocks of the machine, each with its slots.
    fn blocks(&self, lengths: &[u32]) -> Result<Vec<Vec<u32>>, NotApplicable> {
        let mut blocks: Vec<Vec<u32>> = Vec::new();
        for (level, shape) in self.machine.iter().enumerate() {
            let mut block = shape.clone();
            if shape.len() + 1 == lengths.len() {
                block.push(self.slots_left_to(level, lengths[shape.len()])?);
            }
            let outer = blocks.last().map_or(lengths, Vec::as_slice);
            check_divides("blocks of", &block, outer)
                .map_err(|reason| NotApplicable(reason.to_string()))?;
            blocks.push(block);
        }
        Ok(blocks)
    }

    /// How many slots of each node a tile takes on a block that is given without slots: as many as
    /// it needs. The smallest tile goes with the smallest block, the next with the next.
    fn slots_left_to(&self, level: usize, slots: u32) -> Result<u32, NotApplicable> {
        let from_the_end = self.machine.len() - level;
        let Some(level_of_tile) = self.app.len().checked_sub(from_the_end) else {
            return Ok(slots);
        };
        let (tile, block) = (&self.app[level_of_tile], &self.machine[level]);
        let ranks = checked_volume(tile).unwrap_or(u64::MAX);
        let nodes = checked_volume(block).unwrap_or(u64::MAX);
        let needed = ranks.div_ceil(nodes);
        if needed <= u64::from(slots)
            && (ranks.is_multiple_of(nodes) || nodes.is_multiple_of(ranks))
        {
            return Ok(needed as u32);
        }
        Err(NotApplicable(format!(
            "{} of a tile of {} do not spread evenly over the {} of a block of {} with {}{}; \
             give the number of slots it takes in machine={}xSLOTS",
            counted(ranks, "rank"),
            shown(tile),
            counted(nodes, "node"),
            shown(block),
            counted(slots, "slot"),
            if nodes == 1 { "" } else { " each" },
            shown(block),
        )))
    }
}

/// Parts that do not fill a box.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{parts} {inner} do not fill a box of {outer}")]
struct NotFilled {
    /// What the parts are called.
    parts: &'static str,
    /// Their shape.
    inner: String,
    /// The shape of the box.
    outer: String,
}

/// Whether parts of shape `inner` fill a box of shape `outer`.
fn check_divides(parts: &'static str, inner: &[u32], outer: &[u32]) -> Result<(), NotFilled> {
    let divides = |(inner, outer): (&u32, &u32)| outer % inner == 0;
    if inner.len() == outer.len() && inner.iter().zip(outer).all(divides) {
        return Ok(());
    }
    Err(NotFilled { parts, inner: shown(inner), outer: shown(outer) })
}

impl Strategy for Tiles {
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
        let blocks = self.blocks(&dimensions.lengths)?;
        let grid = self.grid_of(problem.num_ranks())?;
        let rank = |place: &[u32]| grid.iter().zip(place).fold(0, |rank, (n, at)| rank * n + at);
        let ranks = if self.app.is_empty() {
            (0..problem.num_ranks() as u32).collect()
        } else {
            nested_order(&grid, &self.app, rank)
        };
        let slots = nested_order(&dimensions.lengths, &blocks, |place| dimensions.slot(place));
        fill(problem, ranks.into_iter(), &slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Weight, parse_pattern, parse_strategy};

    fn slots(strategy: &str, ranks: usize, machine: &str) -> Result<Vec<u32>, NotApplicable> {
        let machine = Machine::parse(machine).unwrap();
        let traffic = parse_pattern(&format!("ring:{ranks}")).unwrap();
        let problem = Problem::new(traffic, machine, Weight::Bytes).unwrap();
        let strategy = parse_strategy(strategy).unwrap();
        Ok(strategy.map(&problem, None, &mut Run::new(1))?.slots().to_vec())
    }

    #[test]
    fn a_tile_fills_a_block() {
        // Ranks 0 1 2 3 / 4 5 6 7 in tiles of 2x2; node x + 4y of 4x2 in blocks of 1x2 and two
        // slots each: the first tile, 0 1 4 5, fills nodes 0 and 4, the second 1 and 5.
        let found = slots("tiles:app=2x2,machine=1x2x2,grid=2x4", 8, "mesh:4x2,slots=2").unwrap();
        assert_eq!(found, [0, 1, 2, 3, 8, 9, 10, 11]);
        // The number of slots that a tile needs is computed: four ranks on two nodes.
        let left_out = slots("tiles:app=2x2,machine=1x2,grid=2x4", 8, "mesh:4x2,slots=2").unwrap();
        assert_eq!(left_out, found);
    }

    #[test]
    fn tiles_on_the_same_nodes_take_one_slot_after_the_other() {
        // 2x4 ranks in tiles of 2x1: each takes both nodes, and all four slots in turn.
        let found = slots("tiles:app=2x1,machine=2,grid=2x4", 8, "mesh:2,slots=4").unwrap();
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6, 7]);
        // One tile of all ranks in order gives the machine's own order.
        assert_eq!(slots("tiles", 8, "mesh:2,slots=4").unwrap(), found);
    }

    #[test]
    fn tiles_lie_in_tiles() {
        // Ranks of 4x4 in quarters, and these in rows of 1x2: the order is 0 1 4 5, 2 3 6 7, 8 9
        // ... Nodes x + 4y of 4x4 in quarters, and these in columns of 2x1: 0 1 4 5, 8 9 12 13, 2 3
        // ...
        let spec = "tiles:app=2x2:1x2,machine=2x2:2x1";
        let found = slots(spec, 16, "mesh:4x4").unwrap();
        assert_eq!(found, [0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 10, 11, 6, 7, 14, 15]);
    }

    #[test]
    fn without_tiles_the_last_dimension_is_the_fastest() {
        let by_permute = slots("permute:ABCDT", 48, "torus:2x3x2x2,slots=2").unwrap();
        assert_eq!(slots("tiles", 48, "torus:2x3x2x2,slots=2").unwrap(), by_permute);
    }

    #[test]
    fn tiles_of_the_paper_fill_its_machine() {
        let machine = "torus:4x4x4x4x2,slots=32";
        for spec in
            ["tiles:app=4x4,machine=4x2x1x1x2", "tiles:app=16x32:4x8,machine=4x2x1x1x2:1x1x1x1x1"]
        {
            let found = slots(spec, 16_384, machine).unwrap();
            let node = |row: usize, column: usize| found[row * 128 + column] / 32;
            let mut sorted = found.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..16_384), "{spec}");
            // Of the first 16 nodes, A is all, B half and E all of the dimension: a + 4b + 256e.
            let in_block = |node: u32| node % 256 < 8;
            if spec.contains("16x32") {
                assert!((0..16).all(|row| (0..32).all(|column| in_block(node(row, column)))));
                assert!((0..4).all(|row| (0..8).all(|column| node(row, column) == 0)));
                // The next tile along the last axis is one further in E, the last dimension.
                assert_eq!(node(0, 8), 256);
            } else {
                assert!((0..4).all(|row| (0..128).all(|column| in_block(node(row, column)))));
                // 4x4 ranks on 16 nodes: E, then B, then A.
                assert_eq!([node(0, 0), node(0, 1), node(0, 2), node(1, 0)], [0, 256, 4, 1]);
                assert_eq!(found[4], 1, "the next tile is in the next slot");
            }
        }
    }

    #[test]
    fn fewer_ranks_than_slots_leave_the_last_blocks_empty() {
        assert_eq!(slots("tiles:app=1x2,machine=2", 4, "mesh:6").unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused_in_words() {
        let reason = |spec: &str| match parse_strategy(spec) {
            Ok(_) => slots(spec, 12, "mesh:4x3").unwrap_err().0,
            Err(error) => error.to_string(),
        };
        for (spec, expected) in [
            ("tiles:app=4x4:3x2", "tiles: tiles of 3x2 do not fill a box of 4x4"),
            ("tiles:app=2x2,grid=4x3", "tiles: tiles of 2x2 do not fill a box of 4x3"),
            ("tiles:app=5x2", "12 ranks do not fill a grid of whole tiles of 5x2"),
            ("tiles:app=2x2,grid=2x4", "12 ranks do not fill a grid of 2x4"),
            ("tiles:machine=3x3", "blocks of 3x3x1 do not fill a box of 4x3x1"),
            ("tiles:machine=2", "blocks of 2 do not fill a box of 4x3x1"),
            (
                "tiles:app=2x2,machine=1x1",
                "4 ranks of a tile of 2x2 do not spread evenly over the 1 node of a block of 1x1 \
                 with 1 slot; give the number of slots it takes in machine=1x1xSLOTS",
            ),
            (
                "tiles:app=2x0",
                "tiles: expected shapes such as 32x32:4x4 for \"app\", found \"2x0\"",
            ),
            (
                "tiles:app=1x1x1x1x1x1x1",
                "tiles: at most 6 axes of ranks are possible, found 1x1x1x1x1x1x1",
            ),
        ] {
            assert_eq!(reason(spec), expected);
        }
    }
}
