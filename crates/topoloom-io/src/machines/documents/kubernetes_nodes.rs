//! Nodes of Kubernetes with labels that say where they are: `kubectl get nodes -o json`, or `-o yaml`.

use topoloom_core::words::counted;

use super::format::DocumentFormat;
use super::labels;
use crate::machines::machine_file::MachineFileAnswer;
use crate::machines::paths::Paths;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::tree::Tree;
use crate::text::warnings::Warnings;

pub const ENTRY: DocumentFormat = DocumentFormat { is, read };

fn is_node(tree: &Tree) -> bool {
    tree.text_of("kind") == Some("Node")
}

/// The items of a list may have no field `kind`.
fn is_list(tree: &Tree) -> bool {
    let of_nodes = |items: &Tree| items.items().first().is_some_and(is_node);
    match tree.text_of("kind") {
        Some("NodeList") => true,
        Some("List") | None => tree.get("items").is_some_and(of_nodes),
        _ => false,
    }
}

fn is(documents: &[Tree]) -> bool {
    documents.first().is_some_and(|first| is_node(first) || is_list(first))
}

fn read(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let mut paths = Paths::default();
    let mut nodes: Vec<&Tree> = Vec::new();
    for document in documents {
        match is_list(document) {
            true => nodes.extend(document.list_of(source, "items")?),
            false => nodes.push(document),
        }
    }
    let mut bare: Vec<&str> = Vec::new();
    let mut placed = 0;
    for node in nodes {
        let Some(about) = node.get("metadata") else {
            return Err(node.error(source, Fault::Missing("\"metadata\" is missing".into())));
        };
        let name = about.need_text(source, "name")?;
        let labels = about.get("labels");
        let switches = labels.map(labels::switches).unwrap_or_default();
        let domain = labels.and_then(labels::domain);
        match switches.is_empty() && domain.is_none() {
            // Nodes that only manage the cluster have none.
            true => bare.push(name),
            false => {
                placed += 1;
                paths.add(name, &switches, domain).map_err(|fault| node.error(source, fault))?;
            }
        }
    }
    if placed == 0 {
        let fault = Fault::expected(
            "labels that say where nodes are, such as fabric.topograph.run/tier-0",
            format!("{} without any", counted(bare.len(), "node")),
        );
        return Err(source.error(fault));
    }
    let mut warnings = Warnings::new();
    if let Some(first) = bare.first() {
        let nodes = counted(bare.len(), "node");
        warnings.push(format!("{nodes} without labels of the network left out, such as {first}"));
    }
    let file = paths.whole(&mut warnings).map_err(|fault| source.error(fault))?;
    Ok((file, warnings))
}
