//! QAPLIB: quadratic assignment problems (Burkard, Karisch and Rendl, 1997).
//!
//! The number n of ranks and nodes, then n x n numbers A, row by row, then n x n numbers B. Blanks
//! and line ends between numbers mean the same. A placement p costs the sum over all i and j of
//! A[i][j] * B[p(i)][p(j)]: A is what ranks send, and B is what it costs between nodes.

use topoloom_core::objective::CostMatrix;
use topoloom_core::{Entry, Traffic, TrafficBuilder, Weight};

use super::format::{Format, FormatEntry};
use super::labels::is_number;
use super::ranks::{messages_and_bytes, ranks};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, Kind};
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::text::words::words;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "qaplib",
    summary: "quadratic assignment problem of QAPLIB: n, traffic of n x n, costs of n x n nodes",
    example: "nug30.dat",
    parameters: &[],
    build: Format {
        endings: &["dat"],
        looks_like: begins_with_a_size,
        read: Some(read),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

/// Whether the first line that is not blank is one whole number. The size is nearly always there.
pub(super) fn begins_with_a_size(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    number::count(line.trim_ascii_end()).is_ok_and(|size| size > 0)
}

/// Whether a whole file has as many numbers as its first number says, and is not a table.
pub(super) fn is_instance(bytes: &[u8]) -> bool {
    let mut words = words(bytes);
    let size = words.next().and_then(|(_, word)| number::count(word).ok());
    let numbers = size.filter(|&size| size > 0).and_then(numbers_of);
    // A number and a blank take two bytes, so large graphs are not counted.
    let fits = |&numbers: &u64| numbers <= bytes.len() as u64 / 2;
    numbers.filter(fits).is_some_and(|numbers| {
        let mut found = 0;
        let are_numbers = words.all(|(_, word)| {
            found += 1;
            found <= numbers && is_number(word)
        });
        are_numbers && found == numbers && !is_table(bytes)
    })
}

/// How many numbers follow the size.
fn numbers_of(size: u64) -> Option<u64> {
    size.checked_mul(size)?.checked_mul(2)
}

/// Whether the lines have equally many numbers, as many as an edge list or a square matrix has: a
/// few tables have as many numbers as an instance.
fn is_table(bytes: &[u8]) -> bool {
    let widths = bytes.split(|&byte| byte == b'\n').map(|line| words(line).count());
    let mut widths = widths.filter(|&width| width > 0);
    let first = widths.next().unwrap_or_default();
    let mut lines = 1;
    let are_equal = widths.all(|width| {
        lines += 1;
        width == first
    });
    are_equal && ((2..=4).contains(&first) || (first > 1 && first == lines))
}

fn read(source: &Source<'_>, weight: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let Instance { size, traffic, .. } = Instance::read(source)?;
    let mut builder = TrafficBuilder::new(size);
    for (pair, &value) in (0..).zip(&traffic) {
        let (messages, bytes) = messages_and_bytes(value, weight);
        if value > 0.0 {
            builder.add(pair / size, pair % size, messages, bytes);
        }
    }
    Ok(builder.build())
}

/// What a unit of weight costs from each node to each, in rows.
pub(crate) fn costs(source: &Source<'_>) -> Result<Vec<Vec<f64>>, ReadError> {
    let Instance { size, costs, .. } = Instance::read(source)?;
    Ok(costs.chunks(size as usize).map(<[f64]>::to_vec).collect())
}

/// A whole file.
struct Instance {
    size: u32,
    /// Row by row.
    traffic: Vec<f64>,
    /// Row by row.
    costs: Vec<f64>,
}

impl Instance {
    fn read(source: &Source<'_>) -> Result<Instance, ReadError> {
        let mut words = words(source.bytes());
        let (start, word) = words.next().unwrap_or((0, &[]));
        let at_size = |fault: Fault| source.error_at(start, fault);
        let size = number::count(word).map_err(at_size)?;
        if size > CostMatrix::MOST_NODES as u64 {
            let most = CostMatrix::MOST_NODES;
            return Err(at_size(Fault::TooLarge(format!(
                "{size} ranks are too many for a file of QAPLIB; at most {most} are supported"
            ))));
        }
        let size = ranks(size).map_err(at_size)?;
        let pairs = size as usize * size as usize;
        // The size is a claim, so memory grows with what is there.
        let mut numbers = Vec::new();
        for (place, word) in words {
            let wrong = |fault: Fault| source.error_at(place, fault);
            if numbers.len() == 2 * pairs {
                return Err(wrong(Fault::expected(two_matrices(size), "more")));
            }
            numbers.push(number::weight(word, Kind::Real).map_err(wrong)?);
        }
        if numbers.len() < 2 * pairs {
            return Err(at_size(Fault::expected(two_matrices(size), numbers.len())));
        }
        let costs = numbers.split_off(pairs);
        Ok(Instance { size, traffic: numbers, costs })
    }
}

fn two_matrices(size: u32) -> String {
    let numbers = 2 * u64::from(size) * u64::from(size);
    format!("{numbers} numbers after the size, for two matrices of {size} x {size}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(content: &str) -> String {
        let source = Source::new("a.dat", content.as_bytes());
        read(&source, Weight::Bytes, &mut Warnings::new()).unwrap_err().to_string()
    }

    #[test]
    fn the_first_matrix_is_traffic_and_the_second_costs_wherever_lines_end() {
        for content in
            ["2\n\n0 1\n2 3\n\n4 5\n6 7\n", "2 0 1 2 3 4\r\n5 6 7", "\n2\n0\t1 2 3 4 5 6\n7"]
        {
            assert!(is_instance(content.as_bytes()), "{content:?}");
            let source = Source::new("a", content.as_bytes());
            let traffic = read(&source, Weight::Bytes, &mut Warnings::new()).unwrap();
            let flows: Vec<_> =
                traffic.flows().map(|flow| (flow.from.0, flow.to.0, flow.bytes)).collect();
            assert_eq!(flows, [(0, 1, 1.0), (1, 0, 2.0), (1, 1, 3.0)]);
            assert_eq!(costs(&source).unwrap(), [[4.0, 5.0], [6.0, 7.0]]);
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let two = "8 numbers after the size, for two matrices of 2 x 2";
        assert_eq!(message("2\n0 1\n1 0\n0 1\n1\n"), format!("a.dat:1: expected {two}, found 7"));
        assert_eq!(
            message("2\n0 1\n1 0\n0 1\n1 0\n\n5\n"),
            format!("a.dat:7: expected {two}, found more")
        );
        assert_eq!(
            message("2\n0 1\n1 -4\n0 1\n1 0\n"),
            "a.dat:3: expected a number that is not negative, found \"-4\""
        );
        assert_eq!(message("2\n0 1\n1 0\n0 x\n"), "a.dat:4: expected a number, found \"x\"");
        assert_eq!(message("0\n"), "a.dat:1: expected at least 1 rank, found 0");
        assert_eq!(
            message("9000\n0\n"),
            "a.dat:1: 9000 ranks are too many for a file of QAPLIB; at most 8192 are supported"
        );
    }

    #[test]
    fn tables_and_graphs_are_not_instances() {
        // 9 numbers, of which the first is 2: a square matrix, and a METIS graph.
        assert!(!is_instance(b"2 5 5\n1 0 5\n1 1 0\n"));
        assert!(!is_instance(b"2 1 11\n3 2 5\n3 1 5\n"));
        // An edge of 7 bytes, and what could be an instance of one rank.
        assert!(!is_instance(b"1 5 7\n"));
        assert!(is_instance(b"1\n5\n7\n"));
        assert!(!is_instance(b"0\n"));
        assert!(!is_instance(b"4000000000 1\n"));
        assert!(!is_instance(b"18446744073709551615 1\n"));
        assert!(!is_instance(b""));
    }
}
