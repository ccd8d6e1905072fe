//! `topology.yaml` of Slurm 25.05 and later: several topologies with names, one of which is that of
//! the cluster.

use std::collections::HashSet;

use topoloom_core::cluster::Network;

use super::statement::{Statement, What};
use super::{MOST_NAMES, blocks, switches, torus};
use crate::machines::machine_file::{MachineFile, MachineFileAnswer};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::host_list::{self, ListedHost};
use crate::text::source::Source;
use crate::text::tree::Tree;
use crate::text::warnings::Warnings;

const KINDS: &str = "tree, block, flat, ring or torus3d";

/// Whether documents are such a file.
pub fn is_topology_yaml(documents: &[Tree]) -> bool {
    let is_topology = |item: &Tree| item.get("topology").is_some();
    matches!(documents, [list] if list.items().first().is_some_and(is_topology))
}

/// Reads the topology of the cluster from such a file.
pub fn read_topology_yaml(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let all: &[Tree] = documents.first().map_or(&[], Tree::items);
    let mut warnings = Warnings::new();
    let names = all.iter().map(|one| one.need_text(source, "topology"));
    let names = names.collect::<Result<Vec<&str>, _>>()?;
    let is_default = |one: &Tree| one.text_of("cluster_default") == Some("true");
    let chosen = all.iter().position(is_default).unwrap_or_default();
    let (topology, name) = (&all[chosen], names[chosen]);
    if all.len() > 1 {
        let others: Vec<&str> = names
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != chosen)
            .map(|(_, name)| *name)
            .collect();
        let why = match is_default(topology) {
            true => "the default of the cluster",
            false => "the first, because none is the default of the cluster",
        };
        warnings.push(format!(
            "topology {name} is used, {why}; others are left out: {}",
            others.join(", ")
        ));
    }
    let mut reader = Reader { source, names: 0, warnings };
    let file = reader.topology(topology, name, all)?;
    Ok((file, reader.warnings))
}

struct Reader<'a> {
    source: &'a Source<'a>,
    /// How many nodes and switches were named so far.
    names: usize,
    warnings: Warnings,
}

impl Reader<'_> {
    fn topology(
        &mut self,
        topology: &Tree,
        name: &str,
        others: &[Tree],
    ) -> Result<MachineFile, ReadError> {
        let kind = ["tree", "block", "flat", "ring", "torus3d"]
            .into_iter()
            .find_map(|kind| topology.get(kind).map(|inside| (kind, inside)));
        let Some((kind, inside)) = kind else {
            let fault = Fault::expected(format!("a topology of the kind {KINDS}"), "none");
            return Err(topology.error(self.source, fault.within(name)));
        };
        let network = match kind {
            "tree" => self.tree(inside)?,
            "block" => self.blocks(inside)?,
            "ring" => self.rings(inside)?,
            "torus3d" => self.tori(inside)?,
            _ => return self.flat(inside, name, others),
        };
        match network.hosts.is_empty() {
            true => Err(inside.error(self.source, Fault::expected("nodes", "none").within(kind))),
            false => Ok(MachineFile::Network(network)),
        }
    }

    /// A flat topology names no nodes. Those that the other topologies of the file name are nodes of
    /// the cluster.
    fn flat(&mut self, flat: &Tree, name: &str, all: &[Tree]) -> Result<MachineFile, ReadError> {
        let lists = [("tree", "switches"), ("block", "blocks"), ("ring", "rings")];
        let mut known = HashSet::new();
        let mut hosts = Vec::new();
        for (kind, list) in lists.into_iter().chain([("torus3d", "toruses")]) {
            for inside in all.iter().filter_map(|topology| topology.get(kind)) {
                for set in inside.list_of(self.source, list)? {
                    let nodes = self.list(set, "nodes")?;
                    hosts.extend(nodes.into_iter().filter(|node| known.insert(node.clone())));
                }
            }
        }
        if hosts.is_empty() {
            let fault = Fault::Missing(format!(
                "topology {name} is flat: it names no nodes and joins none, so it is not needed"
            ));
            return Err(flat.error(self.source, fault));
        }
        self.warnings.push(format!(
            "topology {name} is flat: the nodes that the others name are all equally far apart"
        ));
        let host = |name| ListedHost { name, slots: None };
        Ok(MachineFile::Hosts(hosts.into_iter().map(host).collect()))
    }

    fn tree(&mut self, tree: &Tree) -> Result<Network, ReadError> {
        let mut statements = Vec::new();
        for switch in tree.list_of(self.source, "switches")? {
            statements.push(Statement {
                line: switch.line,
                what: What::Switch,
                name: switch.need_text(self.source, "switch")?.to_string(),
                nodes: self.list(switch, "nodes")?,
                switches: self.list(switch, "children")?,
                sizes: Vec::new(),
            });
        }
        switches::network(self.source, &statements, &mut self.warnings)
    }

    fn blocks(&mut self, block: &Tree) -> Result<Network, ReadError> {
        let mut statements = self.named(block, "blocks", "block")?;
        if let Some(sizes) = block.get("block_sizes") {
            let size = |size: &Tree| {
                let number = size.text().and_then(|text| text.parse::<u64>().ok());
                number.filter(|&size| size > 0).ok_or_else(|| {
                    let fault = Fault::expected("numbers such as 8", size.kind());
                    size.error(self.source, fault.within("block_sizes"))
                })
            };
            let numbers = block.list_of(self.source, "block_sizes")?.iter().map(size);
            statements.push(Statement {
                line: sizes.line,
                what: What::BlockSizes,
                name: String::new(),
                nodes: Vec::new(),
                switches: Vec::new(),
                sizes: numbers.collect::<Result<_, _>>()?,
            });
        }
        blocks::network(self.source, &statements, &mut self.warnings)
    }

    fn rings(&mut self, ring: &Tree) -> Result<Network, ReadError> {
        let statements = self.named(ring, "rings", "ring")?;
        self.warnings.push(
            "nodes of a ring are treated as equally far apart: their order is not used".to_string(),
        );
        blocks::network(self.source, &statements, &mut self.warnings)
    }

    fn tori(&mut self, tori: &Tree) -> Result<Network, ReadError> {
        let all = tori.list_of(self.source, "toruses")?;
        let statements = self.named(tori, "toruses", "name")?;
        let mut sizes = Vec::new();
        for (torus, statement) in all.iter().zip(&statements) {
            let size = self.dimensions(torus)?;
            let nodes = size.iter().fold(1u64, |nodes, &size| nodes.saturating_mul(size.into()));
            if nodes != statement.nodes.len() as u64 {
                let expected = format!("{nodes} nodes");
                let fault = Fault::expected(expected, statement.nodes.len());
                return Err(torus.error(self.source, fault.within(&statement.name)));
            }
            sizes.push(size);
        }
        match (&statements[..], &sizes[..]) {
            ([one], [size]) => {
                let (network, more) = torus::network(&one.nodes, *size)
                    .map_err(|fault| self.source.error_in_line(one.line, fault))?;
                self.warnings.extend(more);
                Ok(network)
            }
            _ => {
                self.warnings.push(
                    "there are several tori, and nothing says how they are joined: nodes of a \
                     torus are treated as equally far apart"
                        .to_string(),
                );
                blocks::network(self.source, &statements, &mut self.warnings)
            }
        }
    }

    /// `dims: {x: 4, y: 4, z: 2}`.
    fn dimensions(&self, torus: &Tree) -> Result<[u32; 3], ReadError> {
        let dims = torus.get("dims").unwrap_or(torus);
        let size = |name: &str| {
            let size = dims.text_of(name).and_then(|text| text.parse::<u32>().ok());
            size.filter(|&size| size > 0).ok_or_else(|| {
                let expected = "the size of a torus, such as {x: 4, y: 4, z: 2}";
                dims.error(self.source, Fault::wanted(expected).within("dims"))
            })
        };
        Ok([size("x")?, size("y")?, size("z")?])
    }

    /// Sets of nodes with names.
    fn named(
        &mut self,
        around: &Tree,
        list: &str,
        name: &str,
    ) -> Result<Vec<Statement>, ReadError> {
        let mut statements = Vec::new();
        for set in around.list_of(self.source, list)? {
            statements.push(Statement {
                line: set.line,
                what: What::Block,
                name: set.need_text(self.source, name)?.to_string(),
                nodes: self.list(set, "nodes")?,
                switches: Vec::new(),
                sizes: Vec::new(),
            });
        }
        Ok(statements)
    }

    /// The names of a list with brackets.
    fn list(&mut self, around: &Tree, field: &str) -> Result<Vec<String>, ReadError> {
        let Some(value) = around.get(field) else { return Ok(Vec::new()) };
        let error = |fault: Fault| value.error(self.source, fault.within(field));
        let Some(text) = value.text() else {
            return Err(error(Fault::expected("names such as n[01-16]", value.kind())));
        };
        let names = host_list::parse_names(text).map_err(error)?;
        self.names += names.len();
        match self.names > MOST_NAMES {
            true => Err(error(Fault::TooLarge(format!(
                "more than {MOST_NAMES} names of nodes and switches"
            )))),
            false => Ok(names),
        }
    }
}
