//! Every kind of file about machines in JSON or YAML.

use super::format::DocumentFormat;
use super::{
    astra, hyper_nodes, instance_topology, kubernetes_nodes, kubernetes_objects, netq,
    slurm_topology, topograph_graph, topograph_model,
};
use crate::machines::machine_file::MachineFileAnswer;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::tree::Tree;
use crate::text::{json_tree, yaml};

/// The first one that fits is used.
const FORMATS: &[DocumentFormat] = &[
    slurm_topology::ENTRY,
    topograph_model::ENTRY,
    topograph_graph::ENTRY,
    kubernetes_nodes::ENTRY,
    hyper_nodes::ENTRY,
    instance_topology::ENTRY,
    netq::GRAPH,
    netq::COMPUTE_NODES,
    astra::NETWORK,
    astra::SYSTEM,
    kubernetes_objects::ENTRY,
];

/// Whether content begins like JSON or YAML.
pub fn is_document(bytes: &[u8]) -> bool {
    json_tree::is_json(bytes) || yaml::is_yaml(bytes)
}

/// Whether content is a known kind of file in JSON or YAML.
pub fn is_known_document(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let known = |documents: Vec<Tree>| FORMATS.iter().any(|format| (format.is)(&documents));
    is_document(bytes) && documents(&source).is_ok_and(known)
}

/// Reads a file in JSON or YAML: the content `bytes` of a file called `name`.
pub fn parse_document(name: &str, bytes: &[u8]) -> MachineFileAnswer {
    let source = Source::new(name, bytes);
    let documents = documents(&source)?;
    match FORMATS.iter().find(|format| (format.is)(&documents)) {
        Some(format) => (format.read)(&source, &documents),
        None => Err(unknown(&source, &documents)),
    }
}

fn documents(source: &Source<'_>) -> Result<Vec<Tree>, ReadError> {
    match json_tree::is_json(source.bytes()) {
        true => Ok(vec![json_tree::parse(source)?]),
        false => yaml::parse(source),
    }
}

/// The error for content of an unknown kind. It shows the first fields.
fn unknown(source: &Source<'_>, documents: &[Tree]) -> ReadError {
    const SHOWN: usize = 4;
    const EXPECTED: &str = "a description of a cluster, such as nodes of Kubernetes, topology.yaml \
                            of Slurm, or a model of Topograph";
    let Some(first) = documents.first() else {
        return source.error(Fault::expected(EXPECTED, "nothing"));
    };
    let is_list = !first.items().is_empty();
    let inside = if is_list { &first.items()[0] } else { first };
    let names: Vec<String> =
        inside.fields().iter().take(SHOWN).map(|(name, _)| shown(name.as_bytes())).collect();
    let more = if inside.fields().len() > SHOWN { ", ..." } else { "" };
    let found = match (is_list, names.is_empty()) {
        (_, true) => first.kind(),
        (true, false) => format!("a list of things with {}{more}", names.join(", ")),
        (false, false) => format!("{}{more}", names.join(", ")),
    };
    first.error(source, Fault::expected(EXPECTED, found))
}
