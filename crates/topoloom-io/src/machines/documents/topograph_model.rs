//! Models of clusters as Topograph reads them for its tests: switches, and blocks of nodes.

use std::collections::{HashMap, HashSet};

use topoloom_core::cluster::Parts;

use super::format::DocumentFormat;
use crate::machines::machine_file::{MachineFile, MachineFileAnswer};
use crate::machines::slurm::{MOST_NAMES, Statement, What, network_of_switches};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::host_list;
use crate::text::source::Source;
use crate::text::tree::Tree;
use crate::text::warnings::Warnings;

pub const ENTRY: DocumentFormat = DocumentFormat { is, read };

/// The end of the annotation with the NVLink domain. Its beginning differs.
const DOMAIN: &str = "/domain";

/// Where the annotation begins.
const ACCELERATOR: &str = "accelerator.";

fn is(documents: &[Tree]) -> bool {
    let is_block = |block: &Tree| block.get("nodes").is_some();
    let [model] = documents else { return false };
    model.get("blocks").is_some_and(|blocks| blocks.items().first().is_some_and(is_block))
}

fn read(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let mut warnings = Warnings::new();
    let mut statements: Vec<Statement> = Vec::new();
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    let mut domains = Vec::new();
    let mut names = 0;
    for model in documents {
        let switches = model.get("switches").map_or(&[][..], Tree::fields);
        for (name, switch) in switches {
            let children = switch.list_of(source, "switches")?;
            let children = children.iter().map(|child| name_of(source, child));
            let children = children.collect::<Result<Vec<String>, _>>()?;
            place_of.insert(name, statements.len());
            statements.push(statement(switch.line, name, Vec::new(), children));
        }
        let blocks = model.list_of(source, "blocks")?;
        for block in blocks {
            let nodes = nodes_of(source, block)?;
            names += nodes.len();
            if names > MOST_NAMES {
                let fault = Fault::TooLarge(format!("more than {MOST_NAMES} nodes"));
                return Err(block.error(source, fault));
            }
            let annotations = block.get("annotations").map_or(&[][..], Tree::fields);
            let is_domain = |(name, _): &&(String, Tree)| {
                name.starts_with(ACCELERATOR) && name.ends_with(DOMAIN)
            };
            let domain = annotations.iter().find(is_domain).and_then(|(_, value)| value.text());
            if let Some(domain) = domain {
                domains.extend(nodes.iter().map(|node| (node.clone(), domain.to_string())));
            }
            let switch = block.need_text(source, "switch")?;
            match place_of.get(switch) {
                Some(&at) => statements[at].nodes.extend(nodes),
                None => {
                    place_of.insert(switch, statements.len());
                    statements.push(statement(block.line, switch, nodes, Vec::new()));
                }
            }
        }
    }
    // Switches that others name need no entry.
    let known: HashSet<String> = statements.iter().map(|one| one.name.clone()).collect();
    let named = statements.iter().flat_map(|one| one.switches.iter().map(|name| (one.line, name)));
    let mut added = HashSet::new();
    let missing: Vec<Statement> = named
        .filter(|(_, name)| !known.contains(*name) && added.insert(name.to_string()))
        .map(|(line, name)| statement(line, name, Vec::new(), Vec::new()))
        .collect();
    statements.extend(missing);
    let network = network_of_switches(source, &statements, &mut warnings)?;
    if network.hosts.is_empty() {
        return Err(source.error(Fault::expected("blocks with nodes", "none")));
    }
    let parts = Parts { network: Some(network), domains, ..Parts::default() };
    Ok((MachineFile::Whole(Box::new(parts)), warnings))
}

fn statement(line: usize, name: &str, nodes: Vec<String>, switches: Vec<String>) -> Statement {
    let (what, name, sizes) = (What::Switch, name.to_string(), Vec::new());
    Statement { line, what, name, nodes, switches, sizes }
}

fn name_of(source: &Source<'_>, name: &Tree) -> Result<String, ReadError> {
    let text = name.text().filter(|text| !text.is_empty());
    let wrong = || name.error(source, Fault::expected("the name of a switch", name.kind()));
    text.map(ToString::to_string).ok_or_else(wrong)
}

/// The nodes of a block: a list of names with brackets.
fn nodes_of(source: &Source<'_>, block: &Tree) -> Result<Vec<String>, ReadError> {
    let mut nodes = Vec::new();
    for node in block.list_of(source, "nodes")? {
        let wrong = |fault: Fault| node.error(source, fault.within("nodes"));
        let Some(text) = node.text() else {
            return Err(wrong(Fault::expected("names such as n[01-16]", node.kind())));
        };
        host_list::parse_names_into(&mut nodes, text).map_err(wrong)?;
    }
    Ok(nodes)
}
