//! Space-filling curves: consecutive ranks along a walk through all nodes of a box.
//!
//! Section 3.3 of the HAEC thesis, after Mokbel and Aref, "Irregularity in high-dimensional
//! space-filling curves" (2011). "Peano" there is the Z-order (Morton) curve.

mod equal;
mod hilbert;
mod interleave;
mod lines;
mod subdivision;

use std::sync::Arc;

use super::definition::{NotApplicable, Strategy};
use super::dimensions::no_box;
use super::entry::StrategyEntry;
use super::filling::fill;
use crate::mapping::Mapping;
use crate::objective::Objective;
use crate::problem::Problem;
use crate::registry::Parameter;
use crate::run::Run;
use crate::spec::SpecError;

/// A walk through all nodes of a box, given its lengths, with the first dimension fastest.
pub type Walk = fn(&[u32]) -> Vec<u32>;

/// A curve: its name and its walk.
#[derive(Debug, Clone, Copy)]
pub struct Curve {
    /// The name of the strategy.
    pub name: &'static str,
    /// The walk.
    pub walk: Walk,
}

/// Every curve, in the order of the thesis.
pub static CURVES: &[Curve] = &[
    Curve { name: "sweep", walk: lines::sweep },
    Curve { name: "scan", walk: lines::scan },
    Curve { name: "peano", walk: interleave::peano },
    Curve { name: "gray", walk: interleave::gray },
    Curve { name: "hilbert", walk: hilbert::hilbert },
];

macro_rules! curve_entry {
    ($static:ident, $index:literal, $name:literal, $summary:literal) => {
        #[doc = concat!("The ", $name, " curve.")]
        pub static $static: StrategyEntry = StrategyEntry {
            name: $name,
            summary: $summary,
            example: $name,
            parameters: &[],
            build: |spec| {
                spec.no_shape()?;
                Ok(Arc::new(CURVES[$index]))
            },
        };
    };
}

curve_entry!(SWEEP, 0, "sweep", "row by row, each from the start");
curve_entry!(SCAN, 1, "scan", "row by row, alternately forwards and backwards");
curve_entry!(PEANO, 2, "peano", "Z-order: the bits of the coordinates interleaved");
curve_entry!(GRAY, 3, "gray", "Z-order in the order of the reflected Gray code");

/// The Hilbert curve.
pub static HILBERT: StrategyEntry = StrategyEntry {
    name: "hilbert",
    summary: "the recursive Hilbert curve of unit steps, on boxes of any lengths",
    example: "hilbert",
    parameters: &[Parameter {
        name: "equal",
        default: "through all dimensions",
        summary: "as hilbert:equal: the curve runs through the most dimensions of equal length, \
                  the others row by row at each step",
    }],
    build: |spec| match spec.shape.as_deref() {
        None => Ok(Arc::new(CURVES[4])),
        Some("equal") => Ok(Arc::new(equal::HilbertOfEqual)),
        Some(shape) => Err(SpecError::new(format!(
            "hilbert: expected nothing or the word equal after the colon, found \"{shape}\""
        ))),
    },
};

impl Strategy for Curve {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        problem: &Problem,
        _objective: Option<&dyn Objective>,
        _run: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        let machine = problem.machine();
        let lengths = machine.topology().grid_lengths().ok_or_else(no_box)?;
        let nodes = (self.walk)(lengths);
        let per_node = machine.slots_per_node();
        let slots: Vec<u32> =
            nodes.iter().flat_map(|node| node * per_node..(node + 1) * per_node).collect();
        fill(problem, 0..problem.num_ranks() as u32, &slots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `check` with every box of up to 6 dimensions with lengths up to `longest` and at most
    /// `volume` nodes, with lengths in any order.
    fn for_each_box(longest: u32, volume: u32, check: &mut dyn FnMut(&[u32])) {
        fn extend(
            lengths: &mut Vec<u32>,
            longest: u32,
            volume: u32,
            check: &mut dyn FnMut(&[u32]),
        ) {
            if !lengths.is_empty() {
                check(lengths);
            }
            if lengths.len() < 6 {
                for length in 1..=longest.min(volume) {
                    lengths.push(length);
                    extend(lengths, longest, volume / length, check);
                    lengths.pop();
                }
            }
        }
        extend(&mut Vec::new(), longest, volume, check);
    }

    fn steps(lengths: &[u32], walk: &[u32]) -> Vec<u32> {
        let coordinates = |mut node: u32| -> Vec<u32> {
            lengths
                .iter()
                .map(|&length| {
                    let coordinate = node % length;
                    node /= length;
                    coordinate
                })
                .collect()
        };
        let hops = |pair: &[u32]| {
            let (a, b) = (coordinates(pair[0]), coordinates(pair[1]));
            a.iter().zip(&b).map(|(a, b)| a.abs_diff(*b)).sum()
        };
        walk.windows(2).map(hops).collect()
    }

    #[test]
    fn every_curve_visits_each_node_of_any_box_once() {
        for_each_box(7, 160, &mut |lengths| {
            for curve in CURVES {
                let mut walk = (curve.walk)(lengths);
                walk.sort_unstable();
                let volume: u32 = lengths.iter().product();
                assert!(walk.iter().copied().eq(0..volume), "{} on {lengths:?}", curve.name);
            }
        });
    }

    #[test]
    fn scan_takes_unit_steps_on_any_box() {
        for_each_box(5, 200, &mut |lengths| {
            assert!(steps(lengths, &lines::scan(lengths)).iter().all(|&hops| hops == 1));
        });
    }

    #[test]
    fn hilbert_takes_unit_steps_on_any_box() {
        let check = |lengths: &[u32]| {
            let steps = steps(lengths, &hilbert::hilbert(lengths));
            assert!(steps.iter().all(|&hops| hops == 1), "{lengths:?}");
        };
        for_each_box(7, 160, &mut |lengths| check(lengths));
        for lengths in [[15, 17, 16], [31, 31, 31], [6, 10, 14], [100, 3, 7], [2, 30, 18]] {
            check(&lengths);
        }
        check(&[33, 65]);
        check(&[6, 6, 6, 6, 6]);
        check(&[4, 6, 2, 4, 2, 6]);
        check(&[5, 5, 5, 5, 5]);
        check(&[3, 5, 7, 2, 9, 1]);
    }

    #[test]
    fn on_cubes_of_side_two_to_the_k_hilbert_walks_one_half_box_after_the_other() {
        for (side, dimensions) in [(2, 2), (8, 2), (32, 2), (4, 3), (16, 3), (4, 4), (4, 5), (4, 6)]
        {
            let lengths = vec![side; dimensions];
            let walk = hilbert::hilbert(&lengths);
            assert_recursive(&walk, &lengths, side);
        }
    }

    /// Each half of a run that fills a cube fills a half-box, down to single nodes.
    fn assert_recursive(run: &[u32], lengths: &[u32], side: u32) {
        let mut parts = vec![run];
        while parts[0].len() > 1 {
            parts = parts
                .iter()
                .flat_map(|part| [&part[..part.len() / 2], &part[part.len() / 2..]])
                .collect();
            for part in &parts {
                let volume: u32 = (0..lengths.len() as u32)
                    .map(|dimension| {
                        let coordinate = |&node: &u32| node / side.pow(dimension) % side;
                        let low = part.iter().map(coordinate).min().unwrap();
                        let high = part.iter().map(coordinate).max().unwrap();
                        high - low + 1
                    })
                    .product();
                assert_eq!(volume as usize, part.len(), "a half of a run is not a box");
            }
        }
    }
}
