//! MPDATA's exchange of halos on a grid of ranks (Malik 2016, section 4.3).

use thiserror::Error;

use super::entry::{PatternBuilder, PatternEntry};
use super::stencil::check_size;
use crate::registry::{Entry, Parameter};
use crate::spec::{Spec, SpecError};
use crate::trace::{ProgramWriter, Trace, most_events};
use crate::traffic::{Traffic, TrafficBuilder};
use crate::words::counted;

/// The pattern `mpdata`.
pub static ENTRY: PatternEntry = Entry {
    name: "mpdata",
    summary: "halos of MPDATA on rows x columns of ranks: bars to the sides, slices up and down",
    example: "mpdata:4x8,domain=512x512x64,halo=3",
    parameters: &[
        Parameter {
            name: "domain",
            default: "512x512x64",
            summary: "n x m x l elements, where n are divided into rows and m into columns",
        },
        Parameter { name: "halo", default: "3", summary: "elements beyond each boundary" },
        Parameter {
            name: "ihalo",
            default: "halo",
            summary: "elements beyond the boundaries above and below",
        },
        Parameter {
            name: "jhalo",
            default: "halo",
            summary: "elements beyond the boundaries to the sides",
        },
        Parameter { name: "element", default: "8", summary: "bytes per element" },
        Parameter { name: "steps", default: "1", summary: "time steps, each with one exchange" },
    ],
    build: PatternBuilder {
        traffic: |spec| Mpdata::of(spec)?.traffic().map_err(|error| error.of(spec)),
        trace: Some(|spec| Mpdata::of(spec)?.trace(None).map_err(|error| error.of(spec))),
    },
};

/// A domain of n x m x l elements on a grid of ranks, numbered row by row.
///
/// Rows and columns of elements are divided evenly: parts differ by at most one, and the larger
/// ones come first. The grid is open: nothing is sent around its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mpdata {
    /// Rows of ranks.
    pub rows: u32,
    /// Columns of ranks.
    pub columns: u32,
    /// Elements: n, cut into rows; m, cut into columns; and l.
    pub domain: [u32; 3],
    /// Elements beyond the upper and lower boundaries.
    pub ihalo: u32,
    /// Elements beyond the boundaries at the sides.
    pub jhalo: u32,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// How often halos are exchanged.
    pub steps: u32,
}

impl Default for Mpdata {
    /// The domain of the specification's defaults on one rank.
    fn default() -> Self {
        Mpdata {
            rows: 1,
            columns: 1,
            domain: [512, 512, 64],
            ihalo: 3,
            jhalo: 3,
            element_bytes: 8,
            steps: 1,
        }
    }
}

/// Why halos cannot be exchanged as described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InvalidMpdata {
    /// Nothing to do.
    #[error("rows, columns, domain, halo, element and steps must be at least 1")]
    Nothing,
    /// Parts that are smaller than what they have to send.
    #[error(
        "a domain of {domain} elements in {parts} {what} has parts of {smallest}, less than the halo of {halo}"
    )]
    TooSmall {
        /// Rows or columns.
        what: &'static str,
        /// Elements along this side.
        domain: u32,
        /// Parts along this side.
        parts: u32,
        /// The smallest part.
        smallest: u32,
        /// The part of it that has to be sent.
        halo: u32,
    },
    /// Too many ranks.
    #[error("expected at most {} ranks", u32::MAX)]
    TooManyRanks,
    /// Sizes beyond what can be counted.
    #[error("a message is larger than 2^63 bytes")]
    TooLarge,
    /// More than fits in memory.
    #[error("the trace has {0} events; at most {most} are possible", most = most_events())]
    TooManyEvents(u64),
}

impl InvalidMpdata {
    fn of(self, spec: &Spec) -> SpecError {
        SpecError::new(format!("{}: {self}", spec.name))
    }
}

/// What one rank exchanges in a step.
#[derive(Debug, Clone, Copy)]
struct Exchange {
    left: Option<u32>,
    right: Option<u32>,
    above: Option<u32>,
    below: Option<u32>,
    /// Messages to the left and as many to the right, one per row of elements.
    bars: u32,
    bar_bytes: u64,
    slice_bytes: u64,
}

impl Mpdata {
    fn of(spec: &Spec) -> Result<Mpdata, SpecError> {
        let expected = "mpdata: expected rows and columns such as 4x8";
        let lengths = spec.lengths("4x8")?;
        let [rows, columns] = lengths[..] else {
            return Err(SpecError::new(format!(
                "{expected}, found {}",
                counted(lengths.len(), "length")
            )));
        };
        let ranks = u64::from(rows) * u64::from(columns);
        check_size(spec, ranks, ranks.saturating_mul(4))?;
        let standard = Mpdata::default();
        let number = |name: &str, default: u32| -> Result<u32, SpecError> {
            Ok(spec.get::<u32>(name, "a whole number")?.unwrap_or(default))
        };
        let halo = number("halo", standard.ihalo)?;
        let mpdata = Mpdata {
            rows,
            columns,
            domain: domain(spec)?.unwrap_or(standard.domain),
            ihalo: number("ihalo", halo)?,
            jhalo: number("jhalo", halo)?,
            element_bytes: number("element", standard.element_bytes)?,
            steps: number("steps", standard.steps)?,
        };
        mpdata.check().map_err(|error| error.of(spec))?;
        Ok(mpdata)
    }

    /// The number of ranks.
    pub fn num_ranks(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }

    /// Whether every part has what it has to send.
    pub fn check(&self) -> Result<(), InvalidMpdata> {
        let [n, m, l] = self.domain;
        let numbers = [self.rows, self.columns, n, m, l, self.ihalo, self.jhalo];
        if numbers.contains(&0) || self.element_bytes == 0 || self.steps == 0 {
            return Err(InvalidMpdata::Nothing);
        }
        let sides = [("rows", n, self.rows, self.ihalo), ("columns", m, self.columns, self.jhalo)];
        for (what, domain, parts, halo) in sides {
            let smallest = domain / parts;
            // A part without neighbours sends nothing that way.
            let least = if parts > 1 { halo } else { 1 };
            if smallest < least {
                return Err(InvalidMpdata::TooSmall { what, domain, parts, smallest, halo });
            }
        }
        if self.num_ranks() > u64::from(u32::MAX) {
            return Err(InvalidMpdata::TooManyRanks);
        }
        let bar = self.elements(1, u64::from(self.jhalo));
        let slice = self.elements(self.ihalo, 2 * u64::from(self.jhalo) + u64::from(m));
        if bar.max(slice) > 1 << 63 {
            return Err(InvalidMpdata::TooLarge);
        }
        Ok(())
    }

    /// Bytes of this many rows and columns of elements.
    fn elements(&self, rows: u32, columns: u64) -> u128 {
        let plane = u128::from(rows) * u128::from(columns);
        plane * u128::from(self.domain[2]) * u128::from(self.element_bytes)
    }

    fn exchange(&self, row: u32, column: u32) -> Exchange {
        let rank = |row: u32, column: u32| row * self.columns + column;
        let part_columns = u64::from(part(self.domain[1], self.columns, column));
        let slice_columns = 2 * u64::from(self.jhalo) + part_columns;
        Exchange {
            left: (column > 0).then(|| rank(row, column - 1)),
            right: (column + 1 < self.columns).then(|| rank(row, column + 1)),
            above: (row > 0).then(|| rank(row - 1, column)),
            below: (row + 1 < self.rows).then(|| rank(row + 1, column)),
            bars: part(self.domain[0], self.rows, row),
            bar_bytes: self.elements(1, u64::from(self.jhalo)) as u64,
            slice_bytes: self.elements(self.ihalo, slice_columns) as u64,
        }
    }

    fn exchanges(&self) -> impl Iterator<Item = (u32, Exchange)> {
        let positions =
            (0..self.rows).flat_map(|row| (0..self.columns).map(move |column| (row, column)));
        (0..).zip(positions.map(|(row, column)| self.exchange(row, column)))
    }

    /// How much each rank sends to each other in all steps.
    pub fn traffic(&self) -> Result<Traffic, InvalidMpdata> {
        self.check()?;
        let steps = f64::from(self.steps);
        let mut builder = TrafficBuilder::new(self.num_ranks() as u32);
        for (rank, exchange) in self.exchanges() {
            let bars = f64::from(exchange.bars) * steps;
            for to in [exchange.left, exchange.right].into_iter().flatten() {
                builder.add(rank, to, bars, bars * exchange.bar_bytes as f64);
            }
            for to in [exchange.above, exchange.below].into_iter().flatten() {
                builder.add(rank, to, steps, steps * exchange.slice_bytes as f64);
            }
        }
        Ok(builder.build())
    }

    /// The order: in every step first all bars. When they have arrived, the slices follow, because
    /// they contain the halos to the sides. With `seconds_per_step`, one for each rank, ranks
    /// compute for this time after each step.
    pub fn trace(&self, seconds_per_step: Option<&[f64]>) -> Result<Trace, InvalidMpdata> {
        self.check()?;
        let rows = u64::from(self.domain[0]);
        // At most two neighbours, with a receive and a send of each bar; slices; waits; repetition.
        let most = 4u64.saturating_mul(rows.saturating_mul(u64::from(self.columns)));
        let most = most.saturating_add(8 * self.num_ranks());
        if most > most_events() {
            return Err(InvalidMpdata::TooManyEvents(most));
        }
        let mut programs = Vec::with_capacity(self.num_ranks() as usize);
        for (rank, exchange) in self.exchanges() {
            let seconds = seconds_per_step.and_then(|seconds| seconds.get(rank as usize));
            let nanoseconds = seconds.map_or(0, |seconds| (seconds * 1e9).round() as u64);
            let mut writer = ProgramWriter::default();
            writer.repeat(self.steps, |writer| {
                let sides = [exchange.left, exchange.right];
                messages(writer, &sides, exchange.bars, exchange.bar_bytes);
                messages(writer, &[exchange.above, exchange.below], 1, exchange.slice_bytes);
                writer.compute(nanoseconds);
            });
            programs.push(writer.finish());
        }
        Ok(Trace::new(programs, Vec::new())
            .expect("neighbours are ranks and repetitions are closed"))
    }
}

/// Exchanges this many messages with each neighbour and waits for them.
fn messages(writer: &mut ProgramWriter, neighbours: &[Option<u32>], number: u32, bytes: u64) {
    let neighbours: Vec<u32> = neighbours.iter().copied().flatten().collect();
    if neighbours.is_empty() {
        return;
    }
    let messages = || neighbours.iter().flat_map(|&one| (0..number).map(move |_| one));
    for neighbour in messages() {
        writer.start_receive(neighbour, 0);
    }
    for neighbour in messages() {
        writer.start_send(neighbour, bytes, 0);
    }
    writer.wait_all();
}

/// The length of one of `parts` parts of `length`: the first ones have one more if there is a
/// remainder.
fn part(length: u32, parts: u32, number: u32) -> u32 {
    length / parts + u32::from(number < length % parts)
}

fn domain(spec: &Spec) -> Result<Option<[u32; 3]>, SpecError> {
    let Some(text) = spec.get::<String>("domain", "lengths such as 512x512x64")? else {
        return Ok(None);
    };
    let lengths: Result<Vec<u32>, _> = text.split('x').map(str::parse::<u32>).collect();
    match lengths.as_deref() {
        Ok(&[n, m, l]) => Ok(Some([n, m, l])),
        _ => Err(SpecError::new(format!(
            "{}: expected three lengths such as 512x512x64 for \"domain\", found \"{text}\"",
            spec.name
        ))),
    }
}

#[cfg(test)]
mod tests {
    use crate::{parse_pattern, parse_trace};

    fn flows(text: &str) -> Vec<(u32, u32, f64, f64)> {
        let traffic = parse_pattern(text).unwrap();
        traffic.flows().map(|f| (f.from.0, f.to.0, f.messages, f.bytes)).collect()
    }

    #[test]
    fn bars_go_to_the_sides_and_slices_up_and_down() {
        // 0 1   each 4 x 3 x 2 elements, halo 2 below and above, 1 to the sides:
        // 2 3   4 bars of 1*1*2*8 = 16 bytes, a slice of 2*(1+3+1)*2*8 = 160 bytes.
        let found = flows("mpdata:2x2,domain=8x6x2,ihalo=2,jhalo=1");
        assert_eq!(
            found,
            [
                (0, 1, 4.0, 64.0),
                (0, 2, 1.0, 160.0),
                (1, 0, 4.0, 64.0),
                (1, 3, 1.0, 160.0),
                (2, 0, 1.0, 160.0),
                (2, 3, 4.0, 64.0),
                (3, 1, 1.0, 160.0),
                (3, 2, 4.0, 64.0),
            ]
        );
        // Three steps send three times as much.
        let thrice = flows("mpdata:2x2,domain=8x6x2,ihalo=2,jhalo=1,steps=3");
        assert_eq!(thrice[0], (0, 1, 12.0, 192.0));
    }

    #[test]
    fn the_first_parts_of_an_uneven_domain_have_one_more() {
        // 7 rows in 2 parts: 4 and 3 bars; 5 columns in 2 parts: slices of 1*(1+3+1) and 1*(1+2+1).
        let found = flows("mpdata:2x2,domain=7x5x1,halo=1,element=1");
        assert_eq!(found[0], (0, 1, 4.0, 4.0));
        assert_eq!(found[1], (0, 2, 1.0, 5.0));
        assert_eq!(found[3], (1, 3, 1.0, 4.0));
        assert_eq!(found[5], (2, 3, 3.0, 3.0));
    }

    #[test]
    fn the_trace_sends_what_the_traffic_says() {
        for text in [
            "mpdata:3x4,domain=64x50x4,steps=5",
            "mpdata:1x7,domain=9x21x1",
            "mpdata:5x1,domain=20x2x1,jhalo=4,element=4",
            "mpdata:1x1",
        ] {
            let trace = parse_trace(text).unwrap().unwrap();
            assert_eq!(trace.traffic(), parse_pattern(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_exchanged_is_refused() {
        for (text, expected) in [
            ("mpdata:4", "mpdata: expected rows and columns such as 4x8, found 1 length"),
            (
                "mpdata:4x4,domain=8x8",
                "mpdata: expected three lengths such as 512x512x64 for \"domain\", found \"8x8\"",
            ),
            (
                "mpdata:4x2,domain=8x8x1",
                "mpdata: a domain of 8 elements in 4 rows has parts of 2, less than the halo of 3",
            ),
            (
                "mpdata:2x2,steps=0",
                "mpdata: rows, columns, domain, halo, element and steps must be at least 1",
            ),
            (
                "mpdata:2x2,domain=4294967295x4294967295x4294967295,element=4294967295",
                "mpdata: a message is larger than 2^63 bytes",
            ),
            ("mpdata:65536x65536", "mpdata: expected at most 268435456 ranks"),
        ] {
            assert_eq!(parse_pattern(text).unwrap_err().to_string(), expected);
        }
        let long = "mpdata:2x2,domain=4294967295x8x1";
        let error = parse_trace(long).unwrap_err();
        assert!(error.to_string().contains("events; at most 134217728 are possible"), "{error}");
    }
}
