//! Solutions of QAPLIB: the number of ranks, the cost, and the node of each rank, counted from 1.
//!
//! Blanks, line ends and commas between numbers mean the same.

use std::io::{self, Write};

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, Decimal, Kind, shown};
use crate::text::source::Source;
use crate::text::words::{words, words_between};

/// How the names of such files end.
pub(super) const ENDING: &str = "sln";

/// The node of each rank, counted from 0, and what they cost.
#[derive(Debug, PartialEq)]
pub(super) struct Solution {
    pub node_of_rank: Vec<u32>,
    pub cost: f64,
}

/// Whether the first line has several numbers, and the file as many as the first of them says. A
/// list of nodes has one number per line.
pub(super) fn is_solution(bytes: &[u8]) -> bool {
    let line = bytes.trim_ascii_start().split(|&byte| byte == b'\n').next().unwrap_or_default();
    let mut numbers = numbers(bytes);
    let size = numbers.next().and_then(|(_, word)| number::count(word).ok());
    let size = size.filter(|&size| size > 0).and_then(|size| usize::try_from(size).ok());
    words(line).count() > 1 && size.is_some_and(|size| numbers.count().checked_sub(1) == Some(size))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    words_between(bytes, |byte| byte.is_ascii_whitespace() || *byte == b',')
}

pub(super) fn read(source: &Source<'_>) -> Result<Solution, ReadError> {
    let mut numbers = numbers(source.bytes());
    let (start, word) = numbers.next().unwrap_or((0, &[]));
    let at_size = |fault: Fault| source.error_at(start, fault);
    let size = number::count(word).map_err(at_size)?;
    if size == 0 {
        return Err(at_size(Fault::expected("at least 1 rank", "0")));
    }
    let cost = match numbers.next() {
        Some((place, word)) => {
            number::weight(word, Kind::Real).map_err(|fault| source.error_at(place, fault))?
        }
        None => {
            return Err(at_size(Fault::expected("the cost after the number of ranks", "nothing")));
        }
    };
    let mut node_of_rank = Vec::new();
    for (place, word) in numbers {
        let wrong = |fault: Fault| source.error_at(place, fault);
        let node = number::count(word).map_err(wrong)?;
        let node = node.checked_sub(1).filter(|_| node <= size);
        let node = node.and_then(|node| u32::try_from(node).ok());
        node_of_rank.push(node.ok_or_else(|| {
            wrong(Fault::expected(format!("a node from 1 to {size}"), shown(word)))
        })?);
    }
    match node_of_rank.len() {
        found if found as u64 == size => Ok(Solution { node_of_rank, cost }),
        found => Err(at_size(Fault::expected(format!("{size} nodes, one per rank"), found))),
    }
}

pub(super) fn write(node_of_rank: &[u32], cost: f64, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "{} {}", node_of_rank.len(), Decimal(cost))?;
    let nodes: Vec<String> =
        node_of_rank.iter().map(|&node| (u64::from(node) + 1).to_string()).collect();
    writeln!(writer, "{}", nodes.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_count_from_one_with_blanks_or_commas_between() {
        for content in [" 3  17\n\n2 3\n1\n", "3 17\n2,3,1,\n"] {
            assert!(is_solution(content.as_bytes()));
            let solution = read(&Source::new("a.sln", content.as_bytes())).unwrap();
            assert_eq!(solution, Solution { node_of_rank: vec![1, 2, 0], cost: 17.0 });
            let mut written = Vec::new();
            write(&solution.node_of_rank, solution.cost, &mut written).unwrap();
            assert_eq!(written, b"3 17\n2 3 1\n");
        }
    }

    #[test]
    fn lists_of_nodes_are_not_solutions() {
        assert!(!is_solution(b"1\n5\n0\n"));
        assert!(!is_solution(b"0 1\n"));
        assert!(!is_solution(b"18446744073709551615 1\n"));
        assert!(!is_solution(b""));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let message = |content: &str| {
            read(&Source::new("a.sln", content.as_bytes())).unwrap_err().to_string()
        };
        assert_eq!(message("3 17\n1 2\n"), "a.sln:1: expected 3 nodes, one per rank, found 2");
        assert_eq!(message("2 17\n0 1\n"), "a.sln:2: expected a node from 1 to 2, found \"0\"");
        assert_eq!(message("2 17\n1 3\n"), "a.sln:2: expected a node from 1 to 2, found \"3\"");
        assert_eq!(
            message("2\n"),
            "a.sln:1: expected the cost after the number of ranks, found nothing"
        );
        assert_eq!(message("0 0\n"), "a.sln:1: expected at least 1 rank, found 0");
    }
}
