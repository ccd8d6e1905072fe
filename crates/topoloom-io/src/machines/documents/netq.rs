//! Networks as NetQ knows them: its graph of devices and cables, and its list of compute nodes with
//! their NVLink domains.

use std::collections::HashMap;

use super::format::DocumentFormat;
use crate::machines::device_names::DeviceNames;
use crate::machines::machine_file::{MachineFile, MachineFileAnswer};
use crate::machines::subnet::{DeviceKind, Subnet};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::tree::Tree;
use crate::text::warnings::Warnings;

pub const GRAPH: DocumentFormat = DocumentFormat { is: is_graph, read: read_graph };

pub const COMPUTE_NODES: DocumentFormat =
    DocumentFormat { is: is_compute_nodes, read: read_compute_nodes };

fn is_graph(documents: &[Tree]) -> bool {
    let is_tier = |tier: &Tree| tier.get("compounded_nodes").is_some();
    let [list] = documents else { return false };
    let first = list.items().first().and_then(|first| first.get("nodes"));
    first.is_some_and(|nodes| nodes.items().iter().any(is_tier))
}

fn read_graph(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let names = DeviceNames::default();
    let mut subnet = Subnet::new(&names);
    let mut number_of: HashMap<&str, usize> = HashMap::new();
    for graph in documents[0].items() {
        for tier in graph.list_of(source, "nodes")? {
            for device in tier.list_of(source, "compounded_nodes")? {
                let id = device.need_text(source, "id")?;
                let name = device.need_text(source, "name")?;
                // A dot keeps ids apart from GUIDs.
                let number = match device.text_of("device_type") {
                    Some("switch") => subnet.device(DeviceKind::Switch, &format!("S-.{id}"), name),
                    _ => subnet.device(DeviceKind::Adapter, &format!("H-.{id}"), name),
                };
                number_of.insert(id, number);
            }
        }
    }
    // Ports have names; their numbers are those of their first appearance.
    let mut ports: HashMap<(usize, &str), u32> = HashMap::new();
    let mut used: HashMap<usize, u32> = HashMap::new();
    for graph in documents[0].items() {
        for link in graph.list_of(source, "links")? {
            for cable in link.list_of(source, "compounded_links")? {
                let ends = cable.list_of(source, "interfaces")?;
                let [a, b] = ends else {
                    let fault = Fault::expected("two interfaces of a cable", ends.len());
                    return Err(cable.error(source, fault));
                };
                let mut port = |end| -> Result<(usize, u32), ReadError> {
                    let end: &Tree = end;
                    let node = end.need_text(source, "node")?;
                    let device = *number_of.get(node).ok_or_else(|| {
                        let node = shown(node.as_bytes());
                        end.error(source, Fault::Missing(format!("there is no device {node}")))
                    })?;
                    let interface = end.need_text(source, "interface")?;
                    let number = *ports.entry((device, interface)).or_insert_with(|| {
                        let used = used.entry(device).or_default();
                        *used += 1;
                        *used
                    });
                    Ok((device, number))
                };
                let (a, b) = (port(a)?, port(b)?);
                subnet.join(a, b, None);
            }
        }
    }
    let (network, warnings) = subnet.network();
    match network.hosts.is_empty() {
        true => Err(source.error(Fault::expected("devices that are not switches", "none"))),
        false => Ok((MachineFile::Network(network), warnings)),
    }
}

fn is_compute_nodes(documents: &[Tree]) -> bool {
    let is_node = |node: &Tree| node.get("DomainUUID").is_some() && node.get("Name").is_some();
    matches!(documents, [list] if list.items().first().is_some_and(is_node))
}

fn read_compute_nodes(source: &Source<'_>, documents: &[Tree]) -> MachineFileAnswer {
    let mut domains: Vec<(String, String)> = Vec::new();
    for node in documents[0].items() {
        let name = node.need_text(source, "Name")?.to_string();
        domains.push((name, node.need_text(source, "DomainUUID")?.to_string()));
    }
    Ok((MachineFile::Domains(domains), Warnings::new()))
}
