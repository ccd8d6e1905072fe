//! The form of Chakra's nodes in JSON that its feeder reads.

use super::node::{Node, RankNodes};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::json_tree::{self, is_json};
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::tree::Tree;

pub(super) fn looks_like(bytes: &[u8]) -> bool {
    const NODES: &[u8] = b"\"workload_graph\"";
    is_json(bytes) && bytes.windows(NODES.len()).any(|part| part == NODES)
}

/// What the file of a rank says, and how many ranks there are.
pub(super) fn read(source: &Source<'_>) -> Result<(RankNodes, Option<u64>), ReadError> {
    let tree = json_tree::parse(source)?;
    let mut nodes = RankNodes::default();
    if tree.get("workload_graph").is_none() {
        return Err(source.error(Fault::Missing("\"workload_graph\" is missing".into())));
    }
    for node in tree.list_of(source, "workload_graph")? {
        let read = as_node(source, node)?;
        nodes.add(&read).map_err(|fault| node.error(source, fault))?;
    }
    let ranks = number(source, &tree, "ngpus")?.and_then(|ranks| u64::try_from(ranks).ok());
    Ok((nodes, ranks))
}

fn as_node(source: &Source<'_>, tree: &Tree) -> Result<Node, ReadError> {
    let number = |name: &str| number(source, tree, name);
    let kind = number("NodeType")?.and_then(|kind| u64::try_from(kind).ok());
    let dimensions = tree.list_of(source, "involved_dim")?;
    let dimensions = dimensions.iter().map(|involved| involved.text() != Some("false"));
    Ok(Node {
        name: tree.text_of("Name").unwrap_or_default().to_string(),
        kind: kind.ok_or_else(|| {
            tree.error(
                source,
                Fault::Missing("the kind of a node, \"NodeType\", is missing".into()),
            )
        })?,
        inputs: Vec::new(),
        comm_type: number("comm_type")?,
        comm_size: number("comm_size")?,
        comm_src: number("comm_src")?,
        comm_dst: number("comm_dst")?,
        group: tree.text_of("pg_name").map(str::to_string),
        involved_dim: Some(dimensions.collect()),
        is_cpu_op: matches!(tree.text_of("is_cpu_op"), Some("true" | "1")),
    })
}

fn number(source: &Source<'_>, tree: &Tree, name: &str) -> Result<Option<i64>, ReadError> {
    let Some(value) = tree.get(name) else { return Ok(None) };
    let text = value.text().unwrap_or_default();
    let number = text.parse().map_err(|_| {
        let fault = Fault::expected("a whole number", shown(text.as_bytes())).within(name);
        value.error(source, fault)
    })?;
    Ok(Some(number))
}
