//! Source graphs of Scotch: each edge is listed at both ends and counts in both directions.
//!
//! Described in the Scotch user's guide, section "Graph files": a version, which is 0, the numbers
//! of vertices and of ends of edges, the number of the first vertex, and three digits that say
//! whether there are labels of vertices, weights of edges and weights of vertices. Then each vertex
//! has its label, its weight, the number of its neighbours, and each of these after the weight of
//! its edge. Blanks and line ends are equivalent. Vertices with labels are ranks in the order of
//! the labels.

use std::collections::HashMap;

use topoloom_core::words::counted;
use topoloom_core::{Entry, Flow, Traffic, TrafficBuilder, Weight};

use super::format::{Format, FormatEntry};
use super::ranks::{messages_and_bytes, ranks};
use crate::text::cursor::Cursor;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, Decimal, Kind, shown};
use crate::text::source::Source;
use crate::text::warnings::Warnings;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "scotch",
    summary: "source graph of Scotch; each edge counts in both directions",
    example: "traffic.grf",
    parameters: &[],
    build: Format {
        endings: &["grf", "src"],
        looks_like,
        read: Some(read),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

/// Whether the first three lines are a version, two numbers, and two more numbers, the second of
/// which can be three digits.
fn looks_like(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&byte| byte == b'\n').map(|line| Cursor::new(line).words());
    let lines: Vec<Vec<&[u8]>> = lines.filter(|words| !words.is_empty()).take(3).collect();
    let [version, sizes, kind] = &lines[..] else { return false };
    let are_numbers = |words: &[&[u8]]| words.iter().all(|word| number::count(word).is_ok());
    version[..] == [b"0"]
        && sizes.len() == 2
        && are_numbers(sizes)
        && kind.len() == 2
        && are_numbers(kind)
        && Flags::parse(kind[1]).is_ok()
}

/// What vertices and edges have.
struct Flags {
    labels: bool,
    edge_weights: bool,
    vertex_weights: bool,
}

impl Flags {
    fn parse(word: &[u8]) -> Result<Flags, Fault> {
        if word.is_empty() || word.len() > 3 || word.iter().any(|digit| !b"01".contains(digit)) {
            let found = shown(word);
            return Err(Fault::expected("up to three digits 0 or 1", found));
        }
        let has = |digit: usize| word.iter().rev().nth(digit) == Some(&b'1');
        Ok(Flags { labels: has(2), edge_weights: has(1), vertex_weights: has(0) })
    }
}

/// The words of a file, regardless of lines.
struct Words<'a> {
    source: &'a Source<'a>,
    cursor: Cursor<'a>,
    /// Where the last word was.
    at: usize,
}

/// A byte that starts no line, because these files have no comments.
const NO_COMMENT: u8 = 0;

impl<'a> Words<'a> {
    fn next(&mut self, what: &str) -> Result<&'a [u8], ReadError> {
        let found = self.cursor.find_word(NO_COMMENT);
        self.at = self.cursor.position();
        let word = if found { self.cursor.word() } else { None };
        word.ok_or_else(|| self.error(Fault::expected(what, "the end of the file")))
    }

    fn error(&self, fault: impl Into<Fault>) -> ReadError {
        self.source.error_at(self.at, fault)
    }

    fn count(&mut self, what: &str) -> Result<u64, ReadError> {
        let word = self.next(what)?;
        let wrong = |fault: Fault| self.error(fault.within(what));
        number::count(word).map_err(wrong)
    }

    fn weight(&mut self, what: &str) -> Result<f64, ReadError> {
        let word = self.next(what)?;
        let wrong = |fault: Fault| self.error(fault.within(what));
        number::weight(word, Kind::Whole).map_err(wrong)
    }
}

fn read(source: &Source<'_>, weight: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let mut words = Words { source, cursor: Cursor::new(source.bytes()), at: 0 };
    let version = words.count("the version")?;
    if version != 0 {
        return Err(words.error(Fault::Unsupported(format!(
            "version {version} is not supported; supported: 0"
        ))));
    }
    let vertices = words.count("the number of vertices")?;
    let num_ranks = ranks(vertices).map_err(|fault| words.error(fault))?;
    let ends = words.count("the number of ends of edges")?;
    let base = words.count("the number of the first vertex")?;
    let flags = words.next("three digits 0 or 1")?;
    let flags = Flags::parse(flags).map_err(|fault| words.error(fault))?;

    // A header may promise any number, but a file needs at least two bytes per edge end.
    let most = source.bytes().len() / 2;
    let mut edges: Vec<(u32, u64, f64)> = Vec::with_capacity(most.min(ends as usize));
    let (mut labels, mut weights) = (Vec::new(), Vec::new());
    for vertex in 0..num_ranks {
        if flags.labels {
            labels.push(words.count("the label of a vertex")?);
        }
        if flags.vertex_weights {
            weights.push(words.weight("the weight of a vertex")?);
        }
        for _ in 0..words.count("the number of neighbours")? {
            let weight = match flags.edge_weights {
                true => words.weight("the weight of an edge")?,
                false => 1.0,
            };
            let neighbour = words.count("a neighbour")?;
            if !flags.labels && !(base..base.saturating_add(vertices)).contains(&neighbour) {
                let last = base.saturating_add(vertices - 1);
                let fault =
                    Fault::OutOfRange(format!("vertex {neighbour} is not among {base} to {last}"));
                return Err(words.error(fault));
            }
            edges.push((vertex, neighbour, weight));
        }
    }
    if words.cursor.find_word(NO_COMMENT) {
        words.at = words.cursor.position();
        return Err(words.error(Fault::Contradiction(format!(
            "more than the {vertices} vertices of the header"
        ))));
    }
    if edges.len() as u64 != ends {
        let expected = counted(ends, "end");
        return Err(source.error(Fault::expected(format!("{expected} of edges"), edges.len())));
    }

    let numbers = Numbers::of(&labels, base).map_err(|fault| source.error(fault))?;
    let mut builder = TrafficBuilder::with_capacity(num_ranks, edges.len());
    for (vertex, neighbour, value) in edges {
        let to = numbers.of_neighbour(neighbour).ok_or_else(|| {
            source.error(Fault::expected("the label of a vertex as a neighbour", neighbour))
        })?;
        let (messages, bytes) = messages_and_bytes(value, weight);
        builder.add(numbers.of_vertex(vertex), to, messages, bytes);
    }
    if flags.vertex_weights {
        let mut of_rank = vec![0.0; weights.len()];
        for (vertex, weight) in (0..).zip(weights) {
            of_rank[numbers.of_vertex(vertex) as usize] = weight;
        }
        builder.set_rank_weights(of_rank);
    }
    let traffic = builder.build();
    if !traffic.is_symmetric() {
        return Err(source.error(one_sided(&traffic)));
    }
    Ok(traffic)
}

/// Which rank a vertex is.
struct Numbers {
    base: u64,
    /// By label, if vertices have labels.
    by_label: HashMap<u64, u32>,
    /// By place in the file, if vertices have labels.
    by_place: Vec<u32>,
}

impl Numbers {
    fn of(labels: &[u64], base: u64) -> Result<Numbers, Fault> {
        let mut sorted = labels.to_vec();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Fault::Repeated(format!("two vertices have the label {}", twice[0])));
        }
        let by_label: HashMap<u64, u32> = sorted.into_iter().zip(0..).collect();
        let by_place = labels.iter().map(|label| by_label[label]).collect();
        Ok(Numbers { base, by_label, by_place })
    }

    fn of_vertex(&self, place: u32) -> u32 {
        self.by_place.get(place as usize).copied().unwrap_or(place)
    }

    fn of_neighbour(&self, number: u64) -> Option<u32> {
        match self.by_place.is_empty() {
            // Checked before.
            true => u32::try_from(number - self.base).ok(),
            false => self.by_label.get(&number).copied(),
        }
    }
}

/// The error for the first edge that its other end lists differently or not at all.
fn one_sided(traffic: &Traffic) -> Fault {
    let back = |flow: &Flow| {
        let mut flows = traffic.flows_from(flow.to);
        flows.find(|back| back.to == flow.from).map_or(0.0, |back| back.bytes)
    };
    let differs = traffic.flows().find(|flow| back(flow) != flow.bytes);
    Fault::Contradiction(match differs {
        None => "edges weigh different amounts at their ends".to_string(),
        Some(flow) => format!(
            "expected every edge at both of its ends, found the edge from rank {} to rank {} with \
             the weight {} and back with {}",
            flow.from.0,
            flow.to.0,
            Decimal(flow.bytes),
            Decimal(back(&flow))
        ),
    })
}
