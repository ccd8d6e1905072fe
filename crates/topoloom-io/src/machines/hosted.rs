//! Hosts with something inside them on a network with a name: `torus:4x4x4,node=FILE`.

use std::path::Path;
use std::sync::Arc;

use topoloom_core::cluster::{Description, NamedNetwork, ObjectKind};
use topoloom_core::topology::{Cluster, LinkProperties, Topology};
use topoloom_core::{Machine, Spec, SpecError, TOPOLOGIES};

use super::described::parse_description;
use super::error::MachineError;
use crate::text::fault::Fault;
use crate::text::input::Opener;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// The specification of the network alone. Refuses options that have no meaning with a node.
pub(crate) fn network_of(spec: &Spec) -> Result<Spec, SpecError> {
    TOPOLOGIES.find(spec)?;
    let name = &spec.name;
    if spec.name == Cluster::NAME {
        let text = format!("{name}: its file says what is inside its hosts; expected no node");
        return Err(SpecError::new(text));
    }
    if spec.options.iter().any(|(key, _)| key == "slots") {
        let text = format!("{name}: the node says how many ranks it can run; expected no slots");
        return Err(SpecError::new(text));
    }
    let is_of_node = |key: &str| key == Machine::NODE || Machine::OF_NODES.contains(&key);
    let mut network = spec.clone();
    network.options.retain(|(key, _)| !is_of_node(key));
    Ok(network)
}

/// The machine of a specification on its network, with the file that says what is inside each node.
pub(crate) fn read_hosted(
    spec: &Spec,
    file: &str,
    network: &Machine,
    open: &Opener<'_>,
) -> Result<(Machine, Warnings), MachineError> {
    let topology = network.shared_topology();
    if !topology.is_wired() {
        let text = format!("{} has no links, so hosts cannot be plugged into it", spec.name);
        return Err(SpecError::new(text).into());
    }
    let input = open(Path::new(file))?;
    let (node, warnings) = parse_description(input.name(), &input.bytes()?)?;
    let wrong = |fault: Fault| Source::new(input.name(), &[]).error(fault);
    if let Some(other) = node.hosts.iter().find(|host| host.kind != node.hosts[0].kind) {
        let found = format!("{} and {}, which differ", node.hosts[0].name, other.name);
        return Err(wrong(Fault::expected("a file with one kind of node", found)).into());
    }
    let place = match spec.get::<String>("place", "core, thread, GPU, ...")? {
        None => node.place,
        Some(text) => {
            text.parse::<ObjectKind>().map_err(|error| SpecError::new(error.to_string()))?
        }
    };
    let adapter = adapter_of(spec, topology.as_ref())?;
    let named = NamedNetwork { adapter, ..NamedNetwork::new(network.spec(), topology) };
    let kind = node.kinds[node.hosts[0].kind as usize].clone();
    let description =
        Description { place, costs: node.costs, ..Description::on_network(named, kind) };
    let cluster = Cluster::new(description).map_err(|error| wrong(Fault::refused(error)))?;
    Ok((Machine::with_topology(&spec.to_string(), Arc::new(cluster))?, warnings))
}

/// The adapter that a specification asks for, if it does.
fn adapter_of(spec: &Spec, topology: &dyn Topology) -> Result<Option<LinkProperties>, SpecError> {
    let asked = |key: &str| spec.options.iter().any(|(known, _)| known == key);
    if !asked("adapter-bandwidth") && !asked("adapter-latency") {
        return Ok(None);
    }
    let usual = LinkProperties {
        bytes_per_second: topology.fastest_link(),
        latency_seconds: 0.0,
        ..LinkProperties::ELECTRICAL
    };
    Ok(Some(usual.overridden(spec, "adapter-")?))
}
