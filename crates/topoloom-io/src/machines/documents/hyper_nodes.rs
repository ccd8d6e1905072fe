//! HyperNodes of Volcano: groups of nodes, and groups of such groups.

use std::collections::HashSet;

use super::format::DocumentFormat;
use crate::machines::machine_file::{MachineFile, MachineFileAnswer};
use crate::machines::slurm::{Statement, What, network_of_switches};
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::tree::Tree;
use crate::text::warnings::Warnings;

pub const ENTRY: DocumentFormat = DocumentFormat { is, read };

fn is_hyper_node(tree: &Tree) -> bool {
    tree.text_of("kind") == Some("HyperNode")
}

/// One object, several documents, or a list.
fn objects(documents: &[Tree]) -> impl Iterator<Item = &Tree> {
    documents.iter().flat_map(|document| match document.get("items") {
        Some(items) => items.items(),
        None => std::slice::from_ref(document),
    })
}

fn is(documents: &[Tree]) -> bool {
    objects(documents).next().is_some_and(is_hyper_node)
}

fn read(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let mut statements: Vec<Statement> = Vec::new();
    for object in objects(documents) {
        if !is_hyper_node(object) {
            let found = object.get("kind").map_or_else(|| object.kind(), Tree::kind);
            return Err(object.error(source, Fault::expected("a HyperNode", found)));
        }
        let missing =
            |name: &str| object.error(source, Fault::Missing(format!("\"{name}\" is missing")));
        let about = object.get("metadata").ok_or_else(|| missing("metadata"))?;
        let spec = object.get("spec").ok_or_else(|| missing("spec"))?;
        let (mut nodes, mut switches) = (Vec::new(), Vec::new());
        for member in spec.list_of(source, "members")? {
            let name = member.get("selector").and_then(|selector| selector.get("exactMatch"));
            let Some(name) = name else {
                let expected = "a member with selector.exactMatch.name; names that match a \
                                pattern are only known to the cluster";
                return Err(member.error(source, Fault::wanted(expected)));
            };
            let name = name.need_text(source, "name")?.to_string();
            match member.need_text(source, "type")? {
                "Node" => nodes.push(name),
                "HyperNode" => switches.push(name),
                other => {
                    let found = format!("\"{other}\"");
                    return Err(member.error(source, Fault::expected("Node or HyperNode", found)));
                }
            }
        }
        let (line, what, sizes) = (object.line, What::Switch, Vec::new());
        let name = about.need_text(source, "name")?.to_string();
        statements.push(Statement { line, what, name, nodes, switches, sizes });
    }
    let known: HashSet<&str> = statements.iter().map(|one| &one.name[..]).collect();
    for one in &statements {
        if let Some(name) = one.switches.iter().find(|name| !known.contains(&name[..])) {
            let fault = Fault::Missing(format!("HyperNode {name} is a member, but is missing"));
            return Err(source.error_in_line(one.line, fault));
        }
    }
    let mut warnings = Warnings::new();
    let network = network_of_switches(source, &statements, &mut warnings)?;
    match network.hosts.is_empty() {
        true => Err(source.error(Fault::expected("HyperNodes with nodes", "none"))),
        false => Ok((MachineFile::Network(network), warnings)),
    }
}
