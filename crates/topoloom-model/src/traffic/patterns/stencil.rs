//! A grid of ranks that exchange messages with their neighbours.

use super::entry::{PatternBuilder, PatternEntry};
use crate::budget;
use crate::registry::{Entry, Parameter};
use crate::spec::{Spec, SpecError};
use crate::traffic::{Traffic, TrafficBuilder};

const MOST_DIMENSIONS: usize = 6;
const MOST_RANKS: u64 = 1 << 28;
const MOST_FLOWS: u64 = 1 << 29;

/// The memory that traffic needs while it is made, as measured.
const BYTES_OF_RANK: u64 = 16;
const BYTES_OF_FLOW: u64 = 48;

/// The option that all synthetic patterns have.
pub(super) const BYTES: Parameter =
    Parameter { name: "bytes", default: "1", summary: "bytes per message" };

/// The pattern `stencil`.
pub static ENTRY: PatternEntry = Entry {
    name: "stencil",
    summary: "neighbours in a grid of 1 to 6 dimensions, last axis fastest",
    example: "stencil:16x32,periodic",
    parameters: &[
        Parameter { name: "periodic", default: "open", summary: "join the ends of each axis" },
        Parameter {
            name: "moore",
            default: "von Neumann",
            summary: "also diagonal neighbours: 3^d - 1 in d dimensions",
        },
        BYTES,
    ],
    build: PatternBuilder { traffic: build, trace: None },
};

fn build(spec: &Spec) -> Result<Traffic, SpecError> {
    let lengths = spec.lengths("16x32")?;
    if lengths.len() > MOST_DIMENSIONS {
        return Err(SpecError::new(format!(
            "{}: expected at most {MOST_DIMENSIONS} dimensions, found {}",
            spec.name,
            lengths.len()
        )));
    }
    Stencil { lengths, periodic: spec.flag("periodic")?, moore: spec.flag("moore")? }.build(spec)
}

/// Which neighbours exchange messages.
#[derive(Debug)]
pub(super) struct Stencil {
    /// By axis, the last one fastest.
    pub(super) lengths: Vec<u32>,
    pub(super) periodic: bool,
    pub(super) moore: bool,
}

impl Stencil {
    /// One message to each neighbour, of the size that `spec` gives.
    pub(super) fn build(&self, spec: &Spec) -> Result<Traffic, SpecError> {
        let bytes = message_bytes(spec)?;
        let ranks = self.lengths.iter().map(|&length| u64::from(length));
        let ranks = ranks.fold(1, u64::saturating_mul);
        // Few enough ranks keep the number of flows small enough for its type.
        check_ranks(spec, ranks)?;
        let flows = self.num_flows(ranks);
        check_size(spec, ranks, flows)?;

        let offsets = self.offsets();
        let mut builder = TrafficBuilder::with_capacity(ranks as u32, flows as usize);
        let mut position = vec![0u32; self.lengths.len()];
        for rank in 0..ranks as u32 {
            for offset in &offsets {
                if let Some(neighbour) = self.neighbour(&position, offset) {
                    builder.add(rank, neighbour, 1.0, bytes);
                }
            }
            self.advance(&mut position);
        }
        Ok(builder.build())
    }

    /// The rank at `position + offset`; none beyond an open end.
    fn neighbour(&self, position: &[u32], offset: &[i64]) -> Option<u32> {
        let mut rank = 0;
        for ((&at, &step), &length) in position.iter().zip(offset).zip(&self.lengths) {
            let length = i64::from(length);
            let mut there = i64::from(at) + step;
            if self.periodic {
                there = there.rem_euclid(length);
            } else if there < 0 || there >= length {
                return None;
            }
            rank = rank * length + there;
        }
        Some(rank as u32)
    }

    /// The steps to all neighbours.
    fn offsets(&self) -> Vec<Vec<i64>> {
        let mut offsets = vec![Vec::new()];
        for &length in &self.lengths {
            offsets = offsets
                .iter()
                .flat_map(|offset| {
                    self.steps(length).iter().map(|&step| [&offset[..], &[step]].concat())
                })
                .collect();
        }
        let distance = |offset: &[i64]| offset.iter().filter(|&&step| step != 0).count();
        offsets.retain(|offset| match distance(offset) {
            0 => false,
            1 => true,
            _ => self.moore,
        });
        offsets
    }

    /// The steps along an axis. In a ring of two, both neighbours are the same rank, which counts
    /// once. A single rank has none.
    fn steps(&self, length: u32) -> &'static [i64] {
        match length {
            1 => &[0],
            2 if self.periodic => &[0, 1],
            _ => &[-1, 0, 1],
        }
    }

    /// The number of ordered neighbour pairs, for at most `MOST_RANKS` ranks.
    fn num_flows(&self, ranks: u64) -> u64 {
        let pairs_along = |&length: &u32| {
            let ends = if self.periodic { 0 } else { 2 };
            match u64::from(length) {
                1 => 0,
                2 => 2,
                length => 2 * length - ends,
            }
        };
        if self.moore {
            let here_or_next = self.lengths.iter().map(|n| u64::from(*n) + pairs_along(n));
            here_or_next.product::<u64>() - ranks
        } else {
            self.lengths.iter().map(|n| ranks / u64::from(*n) * pairs_along(n)).sum()
        }
    }

    fn advance(&self, position: &mut [u32]) {
        for (at, &length) in position.iter_mut().zip(&self.lengths).rev() {
            *at += 1;
            if *at < length {
                return;
            }
            *at = 0;
        }
    }
}

/// The size of a message, from the option `bytes=`.
pub(super) fn message_bytes(spec: &Spec) -> Result<f64, SpecError> {
    let bytes: Option<u64> = spec.get("bytes", "a whole number of bytes")?;
    Ok(bytes.unwrap_or(1) as f64)
}

/// Refuses a size that is a typing error rather than a machine, before memory is allocated for it.
pub(super) fn check_size(spec: &Spec, ranks: u64, flows: u64) -> Result<(), SpecError> {
    check_ranks(spec, ranks)?;
    if flows > MOST_FLOWS {
        return Err(SpecError::new(format!(
            "{}: expected at most {MOST_FLOWS} pairs that exchange, found {flows}",
            spec.name
        )));
    }
    let bytes = ranks * BYTES_OF_RANK + flows * BYTES_OF_FLOW;
    Ok(budget::memory().check(&spec.to_string(), bytes)?)
}

fn check_ranks(spec: &Spec, ranks: u64) -> Result<(), SpecError> {
    if ranks > MOST_RANKS {
        let name = &spec.name;
        return Err(SpecError::new(format!("{name}: expected at most {MOST_RANKS} ranks")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_pattern;

    fn pairs(text: &str) -> Vec<(u32, u32)> {
        parse_pattern(text).unwrap().flows().map(|flow| (flow.from.0, flow.to.0)).collect()
    }

    #[test]
    fn the_last_axis_is_the_fastest() {
        // 0 1 2
        // 3 4 5
        let found = pairs("stencil:2x3");
        let of_one: Vec<_> = found.iter().filter(|pair| pair.0 == 1).collect();
        assert_eq!(of_one, [&(1, 0), &(1, 2), &(1, 4)]);
        // In both directions: 2 x 2 pairs along rows, 3 along columns.
        assert_eq!(found.len(), 2 * (4 + 3));
    }

    #[test]
    fn around_a_ring_of_two_the_neighbours_coincide_and_alone_there_are_none() {
        assert_eq!(pairs("stencil:2,periodic"), [(0, 1), (1, 0)]);
        assert_eq!(pairs("stencil:1,periodic"), []);
        assert_eq!(pairs("stencil:1x2x1,periodic,moore"), [(0, 1), (1, 0)]);
        let traffic = parse_pattern("stencil:2x2,periodic,bytes=8").unwrap();
        assert_eq!(traffic.num_flows(), 8);
        assert!(traffic.flows().all(|flow| flow.messages == 1.0 && flow.bytes == 8.0));
    }

    #[test]
    fn with_diagonals_each_rank_of_a_torus_has_26_neighbours() {
        assert_eq!(pairs("stencil:3x4x5,periodic,moore").len(), 26 * 60);
        // Open 2 x 2 with diagonals: everyone with everyone.
        assert_eq!(pairs("stencil:2x2,moore").len(), 12);
    }

    #[test]
    fn the_number_of_flows_is_known_beforehand() {
        for lengths in
            [vec![1], vec![2], vec![7], vec![3, 2], vec![1, 4, 2], vec![2; 6], vec![3; 4]]
        {
            for (periodic, moore) in [(false, false), (false, true), (true, false), (true, true)] {
                let stencil = Stencil { lengths: lengths.clone(), periodic, moore };
                let spec = Spec::parse("stencil:1").unwrap();
                let ranks = lengths.iter().map(|&length| u64::from(length)).product();
                let found = stencil.build(&spec).unwrap().num_flows() as u64;
                assert_eq!(stencil.num_flows(ranks), found, "{stencil:?}");
            }
        }
    }

    #[test]
    fn what_is_too_large_is_refused_before_it_is_tried() {
        for (text, expected) in [
            ("stencil:65536x65536", "stencil: expected at most 268435456 ranks"),
            (
                "stencil:4294967295x4294967295x4294967295x4294967295x4294967295x4294967295,moore",
                "stencil: expected at most 268435456 ranks",
            ),
            (
                "stencil:64x64x64x64x4x4,moore,periodic",
                "stencil: expected at most 536870912 pairs that exchange, found 195421011968",
            ),
            ("stencil:1x1x1x1x1x1x1", "stencil: expected at most 6 dimensions, found 7"),
            (
                "stencil:4,bytes=-1",
                "stencil: expected a whole number of bytes for \"bytes\", found \"-1\"",
            ),
        ] {
            assert_eq!(parse_pattern(text).unwrap_err().to_string(), expected);
        }
    }
}
