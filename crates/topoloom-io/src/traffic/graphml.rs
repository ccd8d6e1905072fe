//! GraphML: the weights of edges say what one node sends to another.
//!
//! If the ids of the nodes are the numbers from 0 on, they are the ranks; other ids become ranks in
//! the order of the file. An undirected edge counts in both directions, and an edge without a
//! weight weighs 1.

use std::collections::HashMap;

use roxmltree::{Document, Node};
use topoloom_core::{Entry, Traffic, TrafficBuilder, Weight};

use super::columns::{Column, column_named};
use super::format::{Format, FormatEntry};
use super::ranks::{messages_and_bytes, ranks};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{self, Kind, shown};
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::text::xml;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "graphml",
    summary: "GraphML; nodes are ranks, edges have a weight such as \"weight\" or \"bytes\"",
    example: "traffic.graphml",
    parameters: &[],
    build: Format {
        endings: &["graphml"],
        looks_like,
        read: Some(read),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

fn looks_like(bytes: &[u8]) -> bool {
    const ROOT: &[u8] = b"<graphml";
    let text = bytes.trim_ascii_start();
    text.starts_with(b"<") && text.windows(ROOT.len()).any(|window| window == ROOT)
}

fn read(source: &Source<'_>, weight: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let document = xml::parse(source)?;
    Graph::of(&document, weight).map_err(|(place, fault)| source.error_at(place, fault))
}

/// Where something is wrong, and what.
type Wrong = (usize, Fault);

fn wrong(node: Node<'_, '_>, fault: impl Into<Fault>) -> Wrong {
    (node.range().start, fault.into())
}

/// A value of edges, with its default.
struct Key<'a> {
    id: &'a str,
    column: Column,
    default: Option<f64>,
}

struct Graph<'a> {
    keys: Vec<Key<'a>>,
    ranks: HashMap<&'a str, u32>,
    is_directed: bool,
    weight: Weight,
}

impl<'a> Graph<'a> {
    fn of(document: &'a Document<'_>, weight: Weight) -> Result<Traffic, Wrong> {
        let root = document.root_element();
        if root.tag_name().name() != "graphml" {
            let found = shown(root.tag_name().name().as_bytes());
            return Err(wrong(root, Fault::expected("an element \"graphml\"", found)));
        }
        let graphs: Vec<_> = root.children().filter(|node| node.has_tag_name_of("graph")).collect();
        let [graph] = graphs[..] else {
            let place = graphs.get(1).copied().unwrap_or(root);
            let fault = Fault::expected("one element \"graph\"", graphs.len());
            return Err(wrong(place, fault));
        };
        let is_directed = match graph.attribute("edgedefault") {
            Some("directed") => true,
            Some("undirected") => false,
            other => {
                let found = shown(other.unwrap_or_default().as_bytes());
                let fault = Fault::expected("edgedefault=\"directed\" or \"undirected\"", found);
                return Err(wrong(graph, fault));
            }
        };
        let (ranks, num_ranks) = ranks_of(graph)?;
        let graph_reader = Graph { keys: keys_of(root)?, ranks, is_directed, weight };
        let mut builder = TrafficBuilder::new(num_ranks);
        for node in graph.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "edge" => graph_reader.add(node, &mut builder)?,
                "hyperedge" => {
                    return Err(wrong(
                        node,
                        Fault::Unsupported("hyperedges are not supported".into()),
                    ));
                }
                _ => {}
            }
        }
        Ok(builder.build())
    }

    fn add(&self, edge: Node<'a, '_>, builder: &mut TrafficBuilder) -> Result<(), Wrong> {
        let end = |name: &str| {
            let id = edge.attribute(name).unwrap_or_default();
            self.ranks.get(id).copied().ok_or_else(|| {
                let found = shown(id.as_bytes());
                wrong(edge, Fault::expected(format!("the id of a node as \"{name}\""), found))
            })
        };
        let (from, to) = (end("source")?, end("target")?);
        let is_directed = match edge.attribute("directed") {
            None => self.is_directed,
            Some("true") => true,
            Some("false") => false,
            Some(other) => {
                let found = shown(other.as_bytes());
                let fault = Fault::expected("directed=\"true\" or \"false\"", found);
                return Err(wrong(edge, fault));
            }
        };
        let value = |column: Column| self.value(edge, column);
        let (messages, bytes) = match (value(Column::Messages)?, value(Column::Bytes)?) {
            (Some(messages), Some(bytes)) => (messages, bytes),
            (Some(_), None) if self.weight == Weight::Bytes => {
                let fault = Fault::expected(
                    "a weight of the edge, such as \"weight\" or \"bytes\"",
                    "only a number of messages",
                );
                return Err(wrong(edge, fault));
            }
            (only, None) | (None, only) => messages_and_bytes(only.unwrap_or(1.0), self.weight),
        };
        builder.add(from, to, messages, bytes);
        if !is_directed && from != to {
            builder.add(to, from, messages, bytes);
        }
        Ok(())
    }

    /// The value of an edge for a column, given directly or by the key's default.
    fn value(&self, edge: Node<'a, '_>, column: Column) -> Result<Option<f64>, Wrong> {
        let Some(key) = self.keys.iter().find(|key| key.column == column) else { return Ok(None) };
        let is_it = |node: &Node<'_, '_>| {
            node.has_tag_name_of("data") && node.attribute("key") == Some(key.id)
        };
        match edge.children().find(is_it) {
            Some(data) => weight_in(data).map(Some),
            None => Ok(key.default),
        }
    }
}

/// The ranks of nodes by their ids, and how many there are.
fn ranks_of<'a>(graph: Node<'a, '_>) -> Result<(HashMap<&'a str, u32>, u32), Wrong> {
    let nodes = graph.children().filter(|node| node.has_tag_name_of("node"));
    let num_ranks = ranks(nodes.clone().count() as u64).map_err(|fault| wrong(graph, fault))?;
    let mut ranks = HashMap::with_capacity(num_ranks as usize);
    for (rank, node) in (0..).zip(nodes) {
        let id = node
            .attribute("id")
            .ok_or_else(|| wrong(node, Fault::Missing("the node has no id".into())))?;
        if ranks.insert(id, rank).is_some() {
            let found = shown(id.as_bytes());
            return Err(wrong(node, Fault::Repeated(format!("node {found} appears twice"))));
        }
        if node.children().any(|inner| inner.has_tag_name_of("graph")) {
            return Err(wrong(
                node,
                Fault::Unsupported("graphs inside nodes are not supported".into()),
            ));
        }
    }
    // No two ids are the same, so numbers below the number of nodes cover all ranks.
    let number = |id: &str| {
        let number: u32 = id.parse().ok().filter(|&number| number < num_ranks)?;
        (number.to_string() == id).then_some(number)
    };
    if ranks.keys().all(|id| number(id).is_some()) {
        ranks.iter_mut().for_each(|(id, rank)| *rank = number(id).unwrap_or(*rank));
    }
    Ok((ranks, num_ranks))
}

/// The relevant values of edges, at most one of each kind.
fn keys_of<'a>(root: Node<'a, '_>) -> Result<Vec<Key<'a>>, Wrong> {
    let mut keys: Vec<Key<'a>> = Vec::new();
    for node in root.children().filter(|node| node.has_tag_name_of("key")) {
        if !matches!(node.attribute("for"), Some("edge" | "all") | None) {
            continue;
        }
        let name = node.attribute("attr.name").unwrap_or_default();
        let Some(column @ (Column::Bytes | Column::Messages)) = column_named(name.as_bytes())
        else {
            continue;
        };
        let id = node
            .attribute("id")
            .ok_or_else(|| wrong(node, Fault::Missing("the key has no id".into())))?;
        if keys.iter().any(|key| key.column == column) {
            let fault = Fault::Contradiction(format!(
                "two keys may be the weight of edges; one of them is \"{name}\""
            ));
            return Err(wrong(node, fault));
        }
        let default = node.children().find(|child| child.has_tag_name_of("default"));
        keys.push(Key { id, column, default: default.map(weight_in).transpose()? });
    }
    Ok(keys)
}

fn weight_in(node: Node<'_, '_>) -> Result<f64, Wrong> {
    let text = node.text().unwrap_or_default().trim();
    number::weight(text.as_bytes(), Kind::Real).map_err(|fault| wrong(node, fault))
}

trait LocalName {
    /// Whether it is an element of this name in any namespace.
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl LocalName for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}
