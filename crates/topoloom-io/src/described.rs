//! Machines of files that describe them, in whatever words.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use topoloom_core::cluster::{Description, Parts};
use topoloom_core::topology::Cluster;
use topoloom_core::{Machine, Spec, TOPOLOGIES};

use crate::error::ReadError;
use crate::formats::Warnings;
use crate::machine_file::{is_machine_file, parse_machine_description};
use crate::machines::{MachineFile, looks_like_machine_file, parse_machine_file};
use crate::network::MachineError;
use crate::source::Source;

/// Whether this describes a machine: one of our own files, hwloc XML, Slurm's topology.conf, or
/// the output of ibnetdiscover.
pub fn describes_machine(bytes: &[u8]) -> bool {
    is_machine_file(bytes) || looks_like_machine_file(bytes)
}

/// The machine that one file called `name` describes, and what had to be supposed.
pub fn parse_description(name: &str, bytes: &[u8]) -> Result<(Description, Warnings), ReadError> {
    if is_machine_file(bytes) {
        return Ok((parse_machine_description(name, bytes)?, Warnings::default()));
    }
    let (file, mut warnings) = parse_machine_file(name, bytes)?;
    let mut parts = Parts::default();
    match file {
        MachineFile::Hardware(mut hardware) => {
            hardware.host.get_or_insert_with(|| host_of_file(name));
            parts.hardware.push((hardware, Vec::new()));
        }
        MachineFile::Network(network) => parts.network = Some(network),
        MachineFile::Hosts(hosts) => {
            parts.hosts = hosts.into_iter().map(|host| (host.name, host.slots)).collect();
        }
    }
    let source = Source::new(name, bytes);
    let (description, said) = parts.join().map_err(|error| source.error(error.to_string()))?;
    warnings.extend(said);
    Ok((description, warnings))
}

/// What a node is called that does not say whose it is: the file's name up to its first dot.
pub fn host_of_file(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    let host = stem.split(['.', ',', '[', ']', ':', ' ']).next().unwrap_or_default();
    if host.is_empty() { "node".to_string() } else { host.to_string() }
}

/// The machine of a specification `cluster:FILE`.
pub(crate) fn read_cluster(spec: &Spec) -> Result<(Machine, Warnings), MachineError> {
    TOPOLOGIES.find(spec)?;
    let path = Path::new(Cluster::file(spec)?);
    let bytes = fs::read(path).map_err(|error| ReadError::cannot_read(path, &error))?;
    let name = path.display().to_string();
    let (description, warnings) = parse_description(&name, &bytes)?;
    let cluster = Cluster::new(description)
        .map_err(|error| Source::new(&name, &bytes).error(error.to_string()))?;
    Ok((Machine::with_topology(&spec.to_string(), Arc::new(cluster))?, warnings))
}
