//! Machines by specification, with the files that the specifications name.

use std::path::Path;
use std::sync::Arc;

use topoloom_core::topology::{Cluster, Graph, PLATFORM};
use topoloom_core::{Machine, Spec, TOPOLOGIES};

use super::described::read_cluster;
use super::error::MachineError;
use super::hosted::{network_of, read_hosted};
use super::link_list::parse_network;
use crate::platforms::machine::read_platform_machine;
use crate::text::input::{Opener, open};
use crate::text::warnings::Warnings;

/// The machine that a specification describes, from a file if it names one: `graph:FILE`,
/// `cluster:FILE`, `platform:FILE`, `torus:4x4x4,node=FILE`.
pub fn read_machine(text: &str) -> Result<Machine, MachineError> {
    Ok(read_machine_with_warnings(text)?.0)
}

/// Like [`read_machine`], with what had to be assumed.
pub fn read_machine_with_warnings(text: &str) -> Result<(Machine, Warnings), MachineError> {
    read_machine_with(text, &open)
}

/// Like [`read_machine_with_warnings`]; files come from `open`.
pub fn read_machine_with(
    text: &str,
    open: &Opener<'_>,
) -> Result<(Machine, Warnings), MachineError> {
    machine_of_spec(&Spec::parse(text)?, open)
}

/// The machine of a parsed specification; files come from `open`.
pub(crate) fn machine_of_spec(
    spec: &Spec,
    open: &Opener<'_>,
) -> Result<(Machine, Warnings), MachineError> {
    if let Some(node) = spec.get::<String>(Machine::NODE, "a file")? {
        let (network, mut warnings) = machine_of_spec(&network_of(spec)?, open)?;
        let (machine, more) = read_hosted(spec, &node, &network, open)?;
        warnings.extend(more);
        return Ok((machine, warnings));
    }
    if spec.name == Cluster::NAME {
        return read_cluster(spec, open);
    }
    if spec.name == PLATFORM {
        return read_platform_machine(spec, open);
    }
    if spec.name != Graph::NAME {
        return Ok((Machine::parse(&spec.to_string())?, Warnings::default()));
    }
    // Check this before a large file is read for nothing.
    TOPOLOGIES.find(spec)?;
    let input = open(Path::new(Graph::file(spec)?))?;
    let graph = parse_network(input.name(), &input.bytes()?)?;
    Ok((Machine::with_topology(&spec.to_string(), Arc::new(graph))?, Warnings::default()))
}
