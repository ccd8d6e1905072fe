//! Networks as text: one link per line.
//!
//! A line has two vertices and optionally the properties of the link between them: bandwidth in
//! bytes per second, latency in seconds, energy in joules per byte, idle power in watts. Columns
//! are separated by blanks or by commas. `nodes N` says that the vertices from N on are switches;
//! without it there are none. A `#` starts a comment.

use std::path::Path;

use topoloom_core::Vertex;
use topoloom_core::topology::{Edge, Graph, LinkProperties};
use topoloom_core::words::counted;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::input::open;
use crate::text::number::{self, Kind, shown};
use crate::text::source::Source;

/// The most vertices a file may name: memory is allocated for each vertex, and a typing error must
/// not use up all memory.
const MAX_VERTICES: u32 = 1 << 24;

/// Reads the network at `path`.
pub fn read_network(path: impl AsRef<Path>) -> Result<Graph, ReadError> {
    let path = path.as_ref();
    let input = open(path)?;
    parse_network(input.name(), &input.bytes()?)
}

/// Reads the content `bytes` of a network called `name`.
pub fn parse_network(name: &str, bytes: &[u8]) -> Result<Graph, ReadError> {
    let source = Source::new(name, bytes);
    let mut nodes = None;
    let mut vertices = 0;
    let mut edges = Vec::new();
    let mut lines = Vec::new();
    for (line_number, line) in source.lines() {
        let fields = fields(line);
        let error = |fault: Fault| source.error_in_line(line_number, fault);
        match fields[..] {
            [] => {}
            [b"nodes", ref rest @ ..] => {
                if nodes.replace(count(rest).map_err(error)?).is_some() {
                    return Err(error(Fault::Repeated(
                        "the number of nodes is given twice".into(),
                    )));
                }
            }
            _ => {
                let edge = edge(&fields).map_err(error)?;
                vertices = edge.ends.iter().fold(vertices, |most, end| most.max(end.0 + 1));
                edges.push(edge);
                lines.push(line_number);
            }
        }
    }
    if nodes.is_none() && edges.is_empty() {
        return Err(source.error(Fault::expected("links, one per line", "none")));
    }
    let nodes = nodes.unwrap_or(vertices);
    let switches = vertices.saturating_sub(nodes);
    Graph::new(nodes, switches, &edges).map_err(|error| match error.edge() {
        Some(edge) => source.error_in_line(lines[edge], Fault::refused(error)),
        None => source.error(Fault::refused(error)),
    })
}

/// The columns of a line without its comment: separated by commas if there are any, else by blanks.
fn fields(line: &[u8]) -> Vec<&[u8]> {
    let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
    let line = line[..end].trim_ascii();
    if line.contains(&b',') {
        return line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).collect();
    }
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect()
}

/// The number of nodes, which stands alone after `nodes`.
fn count(rest: &[&[u8]]) -> Result<u32, Fault> {
    let [field] = rest else {
        return Err(Fault::expected("one number after \"nodes\"", rest.len()));
    };
    let count = number::count(field)?;
    match u32::try_from(count) {
        Ok(0) => Err(Fault::expected("at least 1 node", "0")),
        Ok(count) if count <= MAX_VERTICES => Ok(count),
        _ => Err(Fault::TooLarge(format!(
            "{count} nodes are too many; at most {MAX_VERTICES} are supported"
        ))),
    }
}

fn edge(fields: &[&[u8]]) -> Result<Edge, Fault> {
    let (ends, rest) = match fields {
        [a, b, rest @ ..] if rest.len() <= 4 => ([vertex(a)?, vertex(b)?], rest),
        _ => {
            return Err(Fault::expected(
                "two vertices[, bandwidth[, latency[, energy[, idle power]]]]",
                counted(fields.len(), "column"),
            ));
        }
    };
    let mut properties = LinkProperties::ELECTRICAL;
    let places = [
        &mut properties.bytes_per_second,
        &mut properties.latency_seconds,
        &mut properties.joules_per_byte,
        &mut properties.idle_watts,
    ];
    for (place, field) in places.into_iter().zip(rest) {
        *place = number::weight(field, Kind::Real)?;
    }
    if properties.bytes_per_second == 0.0 {
        return Err(Fault::expected("a bandwidth above 0", shown(rest[0])));
    }
    Ok(Edge { ends, properties })
}

fn vertex(field: &[u8]) -> Result<Vertex, Fault> {
    let vertex = number::count(field)?;
    match u32::try_from(vertex) {
        Ok(vertex) if vertex < MAX_VERTICES => Ok(Vertex(vertex)),
        _ => Err(Fault::OutOfRange(format!(
            "vertex {vertex} is too high; at most {MAX_VERTICES} nodes and switches are supported"
        ))),
    }
}
