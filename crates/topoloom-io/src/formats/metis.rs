//! METIS graphs: undirected, so that each edge counts in both directions.
//!
//! Described in section 4.1 of the METIS 5 manual. Vertex weights are rank weights; vertex sizes
//! are read and not used.

use std::io::{self, Write};

use topoloom_core::{CommunicationGraph, Entry, Flow, Rank, Traffic, TrafficBuilder, Weight};

use super::{Format, FormatEntry, Warnings, messages_and_bytes, ranks};
use crate::cursor::Cursor;
use crate::error::ReadError;
use crate::number::{self, Decimal, Kind, shown};
use crate::source::Source;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "metis",
    summary: "METIS graph; each edge counts in both directions, vertex weights are rank weights",
    example: "traffic.graph",
    parameters: &[],
    build: Format { endings: &["graph"], looks_like, read: Some(read), write: Some(write) },
};

/// Whether the first line that is no comment can be a header.
fn looks_like(bytes: &[u8]) -> bool {
    data_lines(&Source::new("", bytes)).next().is_some_and(|(_, line)| Header::parse(line).is_ok())
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
    fn parse(line: &[u8]) -> Result<Header, String> {
        let words = Cursor::new(line).words();
        if !(2..=4).contains(&words.len()) {
            let found = words.len();
            return Err(format!("expected vertices, edges[, fmt[, ncon]], found {found} numbers"));
        }
        let vertices = ranks(number::count(words[0])?)?;
        let edges = number::count(words[1])?;
        let format = words.get(2).copied().unwrap_or(b"0");
        if format.len() > 3 || format.iter().any(|digit| !b"01".contains(digit)) {
            let found = shown(format);
            return Err(format!("expected a fmt of up to three digits 0 or 1, found {found}"));
        }
        // From the right: edge weights, vertex weights, vertex sizes.
        let has = |digit: usize| format.iter().rev().nth(digit) == Some(&b'1');
        let weights = words.get(3).map_or(Ok(1), |word| number::count(word))?;
        if weights != 1 && (weights != 0 || has(1)) {
            return Err(format!("{weights} weights a vertex are not supported; supported: 1"));
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

/// What the vertex lines list, by vertex.
#[derive(Default)]
struct Adjacency {
    line_of_vertex: Vec<usize>,
    row_start: Vec<usize>,
    /// Neighbour and weight, by rising neighbour in each row.
    edges: Vec<(u32, f64)>,
    vertex_weights: Vec<f64>,
}

fn read(source: &Source<'_>, weight: Weight) -> Result<Traffic, ReadError> {
    let mut lines = data_lines(source);
    let (header_line, header) = lines.next().unwrap_or((1, b""));
    let header =
        Header::parse(header).map_err(|message| source.error_in_line(header_line, message))?;
    let mut graph = Adjacency::default();
    for _ in 0..header.vertices {
        let Some((line_number, line)) = lines.next() else {
            let (expected, found) = (header.vertices, graph.line_of_vertex.len());
            return Err(source.error(format!("expected {expected} vertex lines, found {found}")));
        };
        graph
            .add_line(&header, line_number, line)
            .map_err(|message| source.error_in_line(line_number, message))?;
    }
    if let Some((line_number, _)) = lines.find(|(_, line)| !line.trim_ascii().is_empty()) {
        let message = format!("more vertex lines than the {} of the header", header.vertices);
        return Err(source.error_in_line(line_number, message));
    }
    graph.row_start.push(graph.edges.len());
    graph.check_symmetry().map_err(|(line, message)| source.error_in_line(line, message))?;
    let found = graph.edges.len() as u64 / 2;
    if found != header.edges {
        let message = format!("expected {} edges, found {found}", header.edges);
        return Err(source.error_in_line(header_line, message));
    }
    Ok(graph.into_traffic(&header, weight))
}

impl Adjacency {
    fn add_line(&mut self, header: &Header, line_number: usize, line: &[u8]) -> Result<(), String> {
        let mut cursor = Cursor::new(line);
        if header.has_sizes {
            number::count(cursor.word().ok_or("the vertex size is missing")?)?;
        }
        if header.has_vertex_weights {
            let word = cursor.word().ok_or("the vertex weight is missing")?;
            self.vertex_weights.push(number::weight(word, Kind::Whole)?);
        }
        let vertex = self.line_of_vertex.len() as u32;
        let row_begins = self.edges.len();
        while let Some(word) = cursor.word() {
            let neighbour = match number::count(word)? {
                0 => None,
                number => u32::try_from(number - 1).ok().filter(|&number| number < header.vertices),
            };
            let neighbour = neighbour.ok_or_else(|| {
                format!("vertex {} is not among 1 to {}", shown(word), header.vertices)
            })?;
            if neighbour == vertex {
                return Err(format!("vertex {} is its own neighbour", vertex + 1));
            }
            let weight = if header.has_edge_weights {
                let missing = || format!("the weight of neighbour {} is missing", neighbour + 1);
                number::weight(cursor.word().ok_or_else(missing)?, Kind::Whole)?
            } else {
                1.0
            };
            self.edges.push((neighbour, weight));
        }
        let row = &mut self.edges[row_begins..];
        row.sort_unstable_by_key(|&(neighbour, _)| neighbour);
        if let Some(twice) = row.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("neighbour {} is listed twice", twice[0].0 + 1));
        }
        self.line_of_vertex.push(line_number);
        self.row_start.push(row_begins);
        Ok(())
    }

    fn row(&self, vertex: u32) -> &[(u32, f64)] {
        &self.edges[self.row_start[vertex as usize]..self.row_start[vertex as usize + 1]]
    }

    fn vertices(&self) -> std::ops::Range<u32> {
        0..self.line_of_vertex.len() as u32
    }

    /// The line and the message of the first edge that its other end does not list the same way.
    fn check_symmetry(&self) -> Result<(), (usize, String)> {
        for vertex in self.vertices() {
            for &(neighbour, weight) in self.row(vertex) {
                let (here, there) = (vertex + 1, neighbour + 1);
                let back = self.row(neighbour);
                let message = match back.binary_search_by_key(&vertex, |&(other, _)| other) {
                    Err(_) => format!("vertex {here} lists {there}, which does not list {here}"),
                    Ok(place) if back[place].1 != weight => format!(
                        "edge {here}-{there} weighs {} here and {} at vertex {there}",
                        Decimal(weight),
                        Decimal(back[place].1)
                    ),
                    Ok(_) => continue,
                };
                return Err((self.line_of_vertex[vertex as usize], message));
            }
        }
        Ok(())
    }

    fn into_traffic(self, header: &Header, weight: Weight) -> Traffic {
        let mut builder = TrafficBuilder::with_capacity(header.vertices, self.edges.len());
        for vertex in self.vertices() {
            for &(neighbour, value) in self.row(vertex) {
                let (messages, bytes) = messages_and_bytes(value, weight);
                builder.add(vertex, neighbour, messages, bytes);
            }
        }
        if header.has_vertex_weights {
            builder.set_rank_weights(self.vertex_weights);
        }
        builder.build()
    }
}

/// Both directions of a pair become one edge of their average, so that the total stays.
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
            // An edge must weigh something.
            write!(writer, "{separator}{} {}", partner + 1, Decimal(edge_weight.max(1.0)))?;
            separator = " ";
        }
        writeln!(writer)?;
        lost.count_directions(traffic, &graph, Rank(rank), weight);
    }
    Ok(lost.warnings())
}

/// The nearest whole number, halves up, and whether `value` was another.
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
            // Both sides rise; what is below the partner goes to the rank itself.
            while flows.next_if(|flow| flow.to.0 < partner).is_some() {}
            let there = flows.next_if(|flow| flow.to.0 == partner);
            let there = there.map_or(0.0, |flow| flow.weight(weight));
            self.averaged += u64::from(rank.0 < partner && there * 2.0 != both);
        }
        let to_self = |flow: &Flow| flow.to == rank && flow.weight(weight) > 0.0;
        self.to_self += u64::from(traffic.flows_from(rank).any(|flow| to_self(&flow)));
    }

    fn warnings(&self) -> Warnings {
        let warning = |count: u64, text: &str, end: &str| {
            (count > 0).then(|| format!("METIS graphs have {text}: {count} {end}"))
        };
        let warnings = [
            warning(self.averaged, "no direction", "pairs were averaged"),
            warning(self.rounded, "whole weights", "weights were rounded"),
            warning(self.to_self, "no edges from a vertex to itself", "such flows were dropped"),
        ];
        warnings.into_iter().flatten().collect()
    }
}
