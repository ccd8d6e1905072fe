//! Machines from files that describe them, in any format.

use std::path::Path;
use std::sync::Arc;

use topoloom_core::cluster::{Description, Parts, SeatRules};
use topoloom_core::topology::Cluster;
use topoloom_core::{Machine, Spec, SpecError, TOPOLOGIES};

use super::error::MachineError;
use crate::machines::description_file::{is_machine_file, parse_machine_description};
use crate::machines::{MachineFile, looks_like_machine_file, parse_machine_file};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::input::Opener;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traffic::recording::{is_recording, parse_recording_without_events};

/// Whether this describes a machine: one of our own files, a recording, or what another program says
/// about nodes or a network.
pub fn describes_machine(bytes: &[u8]) -> bool {
    is_machine_file(bytes) || is_recording(bytes) || looks_like_machine_file(bytes)
}

/// The machine that one file called `name` describes, and what had to be assumed.
pub fn parse_description(name: &str, bytes: &[u8]) -> Result<(Description, Warnings), ReadError> {
    if is_machine_file(bytes) {
        return Ok((parse_machine_description(name, bytes)?, Warnings::default()));
    }
    if is_recording(bytes) {
        let recording = parse_recording_without_events(name, bytes)?;
        let (description, said) =
            recording.machine().map_err(|fault| Source::new(name, bytes).error(fault))?;
        let mut warnings = Warnings::default();
        warnings.extend(said);
        return Ok((description, warnings));
    }
    let (file, mut warnings) = parse_machine_file(name, bytes)?;
    let mut parts = Parts::default();
    let source = Source::new(name, bytes);
    match file {
        MachineFile::Hardware(mut hardware) => {
            hardware.host.get_or_insert_with(|| host_of_file(name));
            parts.hardware.push((hardware, Vec::new()));
        }
        MachineFile::Network(network) => parts.network = Some(network),
        MachineFile::Hosts(hosts) => {
            parts.hosts = hosts.into_iter().map(|host| (host.name, host.slots)).collect();
        }
        MachineFile::Domains(domains) => parts.domains = domains,
        MachineFile::Whole(whole) => parts = *whole,
        MachineFile::Tables(_) => {
            let expected = "a network; forwarding tables are joined with one by machine import";
            return Err(source.error(Fault::expected(expected, "forwarding tables alone")));
        }
        MachineFile::Names(_) => {
            let expected = "a network; names of its devices are joined with one by machine import";
            return Err(source.error(Fault::expected(expected, "a map of GUIDs to names alone")));
        }
        MachineFile::Target(target) => {
            return Err(source.error(target.without_hosts()));
        }
    }
    let (description, assumed) =
        parts.join().map_err(|error| source.error(Fault::refused(error)))?;
    warnings.extend(assumed.map(|assumed| assumed.to_string()));
    Ok((description, warnings))
}

/// The name of a node whose file does not name its host: the file's name up to its first dot.
pub fn host_of_file(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    let host = stem.split(['.', ',', '[', ']', ':', ' ']).next().unwrap_or_default();
    if host.is_empty() { "node".to_string() } else { host.to_string() }
}

/// The machine of a specification `cluster:FILE`.
pub(crate) fn read_cluster(
    spec: &Spec,
    open: &Opener<'_>,
) -> Result<(Machine, Warnings), MachineError> {
    TOPOLOGIES.find(spec)?;
    let input = open(Path::new(Cluster::file(spec)?))?;
    let (mut description, warnings) = parse_description(input.name(), &input.bytes()?)?;
    let wrong = |fault: Fault| Source::new(input.name(), &[]).error(fault);
    let any = match spec.get::<String>("seats", "same or any")?.as_deref() {
        None | Some("same") => false,
        Some("any") => true,
        Some(other) => {
            return Err(
                SpecError::new(format!("seats: expected same or any, found \"{other}\"")).into()
            );
        }
    };
    let cpus_per_rank: Option<u32> = spec.get("cpus-per-rank", "a number of cores")?;
    if any || cpus_per_rank.is_some() {
        description.seats = Vec::new();
    }
    if cpus_per_rank.is_some_and(|cpus| cpus > 1) {
        let rules = SeatRules { cpus_per_rank, ..SeatRules::default() };
        let seats = rules.all_seats(&description).map_err(|error| wrong(Fault::refused(error)))?;
        description.seats = seats;
    }
    let cluster = Cluster::new(description).map_err(|error| wrong(Fault::refused(error)))?;
    Ok((Machine::with_topology(&spec.to_string(), Arc::new(cluster))?, warnings))
}
