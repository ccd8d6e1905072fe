//! METIS graphs: undirected, so each edge counts in both directions.
//!
//! Described in section 4.1 of the METIS 5 manual. Vertex weights are rank weights; vertex sizes
//! are read and not used.

use std::io::{self, Write};

use topoloom_core::traffic::Values;
use topoloom_core::words::counted;
use topoloom_core::{CommunicationGraph, Entry, Flow, Rank, Traffic, TrafficBuilder, Weight};

use super::format::{Format, FormatEntry};
use super::ranks::{messages_and_bytes, ranks};
use crate::text::cursor::Cursor;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, Decimal, Kind, shown};
use crate::text::source::Source;
use crate::text::warnings::Warnings;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "metis",
    summary: "METIS graph; each edge counts in both directions, vertex weights are rank weights",
    example: "traffic.graph",
    parameters: &[],
    build: Format {
        endings: &["graph"],
        looks_like,
        read: Some(read),
        read_run: None,
        write: Some(write),
        keeps_collectives: false,
    },
};

/// Whether the first line that is not a comment can be a header.
fn looks_like(bytes: &[u8]) -> bool {
    let first = data_lines(&Source::new("", bytes)).next();
    first.is_some_and(|(_, line)| Header::parse(&Cursor::new(line).words()).is_ok())
}

/// Whether the numbers of edges and of lines can be right, as far as `bytes` go: a file that begins
/// like a METIS graph may be a list of edges. A whole graph with lines after it is a damaged graph.
pub(super) fn can_be_graph(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = data_lines(&source);
    let header = lines.next().and_then(|(_, line)| Header::parse(&Cursor::new(line).words()).ok());
    header.is_some_and(|header| {
        let vertices = u64::from(header.vertices);
        let surplus =
            lines.skip(header.vertices as usize).find(|(_, line)| !line.trim_ascii().is_empty());
        let is_whole_before = |line: usize| {
            let before = source.bytes().split_inclusive(|&byte| byte == b'\n').take(line - 1);
            let end: usize = before.map(<[u8]>::len).sum();
            parse(&Source::new("", &source.bytes()[..end])).is_ok()
        };
        header.edges <= vertices * (vertices - 1) / 2
            && surplus.is_none_or(|(line, _)| is_whole_before(line))
    })
}

fn data_lines<'a>(source: &Source<'a>) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
    source.lines().filter(|(_, line)| line.trim_ascii_start().first() != Some(&b'%'))
}

struct Header {
    vertices: u32,
    edges: u64,
    has_sizes: bool,
    has_vertex_weights: bool,
    has_edge_weights: bool,
}

impl Header {
    fn parse(words: &[&[u8]]) -> Result<Header, Fault> {
        if !(2..=4).contains(&words.len()) {
            let found = words.len();
            return Err(Fault::expected(
                "vertices, edges[, fmt[, ncon]]",
                counted(found, "number"),
            ));
        }
        let vertices = ranks(number::count(words[0])?)?;
        let edges = number::count(words[1])?;
        let format = words.get(2).copied().unwrap_or(b"0");
        if format.len() > 3 || format.iter().any(|digit| !b"01".contains(digit)) {
            let found = shown(format);
            return Err(Fault::expected("a fmt of up to three digits 0 or 1", found));
        }
        // From the right: edge weights, vertex weights, vertex sizes.
        let has = |digit: usize| format.iter().rev().nth(digit) == Some(&b'1');
        let weights = words.get(3).map_or(Ok(1), |word| number::count(word))?;
        if weights != 1 && (weights != 0 || has(1)) {
            return Err(Fault::Unsupported(format!(
                "{weights} weights per vertex are not supported; supported: 1"
            )));
        }
        Ok(Header {
            vertices,
            edges,
            has_sizes: has(2),
            has_vertex_weights: has(1),
            has_edge_weights: has(0),
        })
    }
}

/// The content of the vertex lines, by vertex.
#[derive(Default)]
struct Adjacency {
    row_start: Vec<usize>,
    /// Neighbours, in ascending order in each row.
    neighbours: Vec<u32>,
    /// The weights of the edges; empty if they have none.
    weights: Vec<f64>,
    vertex_weights: Vec<f64>,
}

/// The lines that are not comments, read in place. Text that ends with a line end has an empty line
/// after it.
struct Lines<'a> {
    cursor: Cursor<'a>,
    ended: bool,
}

impl Lines<'_> {
    /// Goes to the next line that is not a comment; false if there is none.
    fn begin(&mut self) -> bool {
        while !self.ended {
            if !self.cursor.at_byte(b'%') {
                return true;
            }
            self.cursor.skip_to_line_end();
            self.end();
        }
        false
    }

    /// Leaves a line that has been read completely.
    fn end(&mut self) {
        self.ended = !self.cursor.skip_line_end();
    }
}

fn read(source: &Source<'_>, weight: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let (header, mut graph) = parse(source)?;
    let found = graph.neighbours.len() as u64 / 2;
    if found == header.edges && !graph.weights.contains(&0.0) {
        let traffic = graph.into_traffic(weight);
        if traffic.is_symmetric() {
            return Ok(traffic);
        }
        // Read it once more, to find where it is not symmetric.
        (_, graph) = parse(source)?;
    }
    graph.check_symmetry().map_err(|(vertex, fault)| {
        let line = data_lines(source).nth(vertex as usize + 1).map_or(1, |(line, _)| line);
        source.error_in_line(line, fault)
    })?;
    if found != header.edges {
        let line = data_lines(source).next().map_or(1, |(line, _)| line);
        let fault = Fault::expected(counted(header.edges, "edge"), found);
        return Err(source.error_in_line(line, fault));
    }
    Ok(graph.into_traffic_without_zeros(weight))
}

fn parse(source: &Source<'_>) -> Result<(Header, Adjacency), ReadError> {
    let mut lines = Lines { cursor: Cursor::new(source.bytes()), ended: false };
    lines.begin();
    let header_at = lines.cursor.position();
    let header = Header::parse(&lines.cursor.words());
    let header = header.map_err(|fault| source.error_at(header_at, fault))?;
    lines.end();
    let mut graph = Adjacency::default();
    // A header may promise any number, but a file needs at least two bytes per edge end.
    let most = source.bytes().len() / 2;
    graph.neighbours.reserve(header.edges.saturating_mul(2).min(most as u64) as usize);
    graph.row_start.reserve(most.min(header.vertices as usize) + 1);
    for vertex in 0..header.vertices {
        if !lines.begin() {
            let expected = header.vertices;
            return Err(source.error(Fault::expected(counted(expected, "vertex line"), vertex)));
        }
        let added = graph.add_line(&header, vertex, &mut lines.cursor);
        added.map_err(|fault| source.error_at(lines.cursor.position(), fault))?;
        lines.end();
    }
    while lines.begin() {
        if lines.cursor.find_word_in_line() {
            let fault = Fault::Contradiction(format!(
                "more vertex lines than the {} of the header",
                header.vertices
            ));
            return Err(source.error_at(lines.cursor.position(), fault));
        }
        lines.end();
    }
    graph.row_start.push(graph.neighbours.len());
    Ok((header, graph))
}

impl Adjacency {
    fn add_line(
        &mut self,
        header: &Header,
        vertex: u32,
        cursor: &mut Cursor<'_>,
    ) -> Result<(), Fault> {
        if header.has_sizes {
            number::count(
                cursor.word().ok_or_else(|| Fault::Missing("the vertex size is missing".into()))?,
            )?;
        }
        if header.has_vertex_weights {
            let word = cursor
                .word()
                .ok_or_else(|| Fault::Missing("the vertex weight is missing".into()))?;
            self.vertex_weights.push(number::weight(word, Kind::Whole)?);
        }
        let row_begins = self.neighbours.len();
        let mut rises = true;
        // Less than any neighbour, because they count from 1 here.
        let mut last = 0;
        while cursor.find_word_in_line() {
            let neighbour = match cursor.count() {
                Some(number) if (1..=u64::from(header.vertices)).contains(&number) => number as u32,
                Some(number) => {
                    let vertices = header.vertices;
                    return Err(Fault::OutOfRange(format!(
                        "vertex \"{number}\" is not among 1 to {vertices}"
                    )));
                }
                None => {
                    let word = cursor.word().unwrap_or_default();
                    number::count(word)?;
                    let vertices = header.vertices;
                    return Err(Fault::OutOfRange(format!(
                        "vertex {} is not among 1 to {vertices}",
                        shown(word)
                    )));
                }
            };
            if neighbour == vertex + 1 {
                return Err(Fault::Malformed(format!(
                    "vertex {} is its own neighbour",
                    vertex + 1
                )));
            }
            if header.has_edge_weights {
                let missing =
                    || Fault::Missing(format!("the weight of neighbour {neighbour} is missing"));
                let word = cursor.word().ok_or_else(missing)?;
                self.weights.push(number::weight(word, Kind::Whole)?);
            }
            rises &= last < neighbour;
            last = neighbour;
            self.neighbours.push(neighbour - 1);
        }
        if !rises {
            self.sort_row(row_begins)?;
        }
        self.row_start.push(row_begins);
        Ok(())
    }

    /// Sorts the last row, which starts at `row_begins`.
    fn sort_row(&mut self, row_begins: usize) -> Result<(), Fault> {
        let row = &mut self.neighbours[row_begins..];
        if self.weights.is_empty() {
            row.sort_unstable();
        } else {
            let weights = &mut self.weights[row_begins..];
            let mut edges: Vec<(u32, f64)> =
                row.iter().copied().zip(weights.iter().copied()).collect();
            edges.sort_by_key(|&(neighbour, _)| neighbour);
            for (place, (neighbour, weight)) in edges.into_iter().enumerate() {
                (row[place], weights[place]) = (neighbour, weight);
            }
        }
        match row.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(twice) => {
                Err(Fault::Repeated(format!("neighbour {} is listed twice", twice[0] + 1)))
            }
            None => Ok(()),
        }
    }

    fn vertices(&self) -> std::ops::Range<u32> {
        0..self.row_start.len() as u32 - 1
    }

    fn row(&self, vertex: u32) -> std::ops::Range<usize> {
        self.row_start[vertex as usize]..self.row_start[vertex as usize + 1]
    }

    fn weight(&self, edge: usize) -> f64 {
        self.weights.get(edge).copied().unwrap_or(1.0)
    }

    /// The vertex and the message of the first edge that its other end lists differently or not at
    /// all.
    fn check_symmetry(&self) -> Result<(), (u32, Fault)> {
        for vertex in self.vertices() {
            for edge in self.row(vertex) {
                let (neighbour, weight) = (self.neighbours[edge], self.weight(edge));
                let (here, there) = (vertex + 1, neighbour + 1);
                let back = self.row(neighbour);
                let twin = self.neighbours[back.clone()].binary_search(&vertex);
                let twin = twin.map(|place| self.weight(back.start + place));
                let fault = match twin {
                    Err(_) => Fault::Contradiction(format!(
                        "vertex {here} lists {there}, which does not list {here}"
                    )),
                    Ok(other) if other != weight => Fault::Contradiction(format!(
                        "edge {here}-{there} weighs {} here and {} at vertex {there}",
                        Decimal(weight),
                        Decimal(other)
                    )),
                    Ok(_) => continue,
                };
                return Err((vertex, fault));
            }
        }
        Ok(())
    }

    fn rank_weights(&mut self) -> Option<Vec<f64>> {
        let weights = std::mem::take(&mut self.vertex_weights);
        (!weights.is_empty()).then_some(weights)
    }

    /// The traffic, if no edge weighs 0: the rows as they are.
    fn into_traffic(mut self, weight: Weight) -> Traffic {
        let rank_weights = self.rank_weights();
        let values = match self.weights.is_empty() {
            true => Values::Same(1.0),
            false => Values::new(self.weights),
        };
        let messages = match weight {
            Weight::Bytes => Values::Same(1.0),
            Weight::Messages => values.clone(),
        };
        Traffic::from_rows(self.row_start, self.neighbours, values, messages, rank_weights)
    }

    fn into_traffic_without_zeros(mut self, weight: Weight) -> Traffic {
        let vertices = self.vertices();
        let mut builder = TrafficBuilder::with_capacity(vertices.end, self.neighbours.len());
        for vertex in vertices {
            for edge in self.row(vertex) {
                let (messages, bytes) = messages_and_bytes(self.weight(edge), weight);
                builder.add(vertex, self.neighbours[edge], messages, bytes);
            }
        }
        if let Some(weights) = self.rank_weights() {
            builder.set_rank_weights(weights);
        }
        builder.build()
    }
}

/// Both directions of a pair become one edge with their average, which keeps the total.
fn write(traffic: &Traffic, weight: Weight, writer: &mut dyn Write) -> io::Result<Warnings> {
    let graph = traffic.graph(weight);
    let edges = graph.pairs().filter(|&(_, _, both)| both > 0.0).count();
    let format = if traffic.rank_weights().is_some() { "011" } else { "001" };
    writeln!(writer, "{} {edges} {format}", traffic.num_ranks())?;
    let mut lost = Lost::default();
    for rank in 0..traffic.num_ranks() as u32 {
        let mut separator = "";
        if let Some(weights) = traffic.rank_weights() {
            let (vertex_weight, rounded) = whole(weights[rank as usize]);
            lost.rounded += u64::from(rounded);
            write!(writer, "{}", Decimal(vertex_weight))?;
            separator = " ";
        }
        for (partner, both) in graph.edges(rank).filter(|&(_, both)| both > 0.0) {
            let (edge_weight, rounded) = whole(both / 2.0);
            lost.rounded += u64::from(rounded && rank < partner);
            // An edge must have a positive weight.
            write!(writer, "{separator}{} {}", partner + 1, Decimal(edge_weight.max(1.0)))?;
            separator = " ";
        }
        writeln!(writer)?;
        lost.count_directions(traffic, &graph, Rank(rank), weight);
    }
    Ok(lost.warnings())
}

/// The nearest whole number, halves rounded up, and whether `value` differs from it.
fn whole(value: f64) -> (f64, bool) {
    (value.round(), value.fract() != 0.0)
}

/// What a METIS graph cannot hold.
#[derive(Default)]
struct Lost {
    averaged: u64,
    rounded: u64,
    to_self: u64,
}

impl Lost {
    fn count_directions(
        &mut self,
        traffic: &Traffic,
        graph: &CommunicationGraph,
        rank: Rank,
        weight: Weight,
    ) {
        let mut flows = traffic.flows_from(rank).peekable();
        for (partner, both) in graph.edges(rank.0) {
            // Both sides ascend; a flow below the partner goes to the rank itself.
            while flows.next_if(|flow| flow.to.0 < partner).is_some() {}
            let there = flows.next_if(|flow| flow.to.0 == partner);
            let there = there.map_or(0.0, |flow| flow.weight(weight));
            self.averaged += u64::from(rank.0 < partner && there * 2.0 != both);
        }
        let to_self = |flow: &Flow| flow.to == rank && flow.weight(weight) > 0.0;
        self.to_self += u64::from(traffic.flows_from(rank).any(|flow| to_self(&flow)));
    }

    fn warnings(&self) -> Warnings {
        let warning = |count: u64, text: &str, one: &str, end: &str| {
            (count > 0).then(|| format!("METIS graphs have {text}: {} {end}", counted(count, one)))
        };
        let warnings = [
            warning(self.averaged, "no direction", "pair", "averaged"),
            warning(self.rounded, "whole weights", "weight", "rounded"),
            warning(self.to_self, "no edges from a vertex to itself", "such flow", "dropped"),
        ];
        warnings.into_iter().flatten().collect()
    }
}
