//! What a launch format is, and what its files are made of.

use topoloom_core::cluster::Seating;
use topoloom_core::{Entry, Machine};

use super::error::LaunchError;
use super::seating::{self, seating_of};
use crate::machines::specification::read_machine;
use crate::mappings::mapping_file::MappingFile;
use crate::text::host_list::ListedHost;

/// What a launcher's files are made of.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The number of ranks.
    pub ranks: usize,
    /// The host and the CPUs of each rank; none for formats that name no hosts.
    pub seating: Option<Seating>,
    /// The machine of the mapping and the slot of each rank on it, for formats that need them.
    pub slots: Option<(Machine, Vec<u32>)>,
    /// The ranks of each host, in their order.
    ranks_of_host: Vec<Vec<u32>>,
}

/// Where a format has the names of hosts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostNames {
    /// From the mapping or from a list of hosts. Without either there is no launch file.
    Known,
    /// The same. If there are none, node `v` of the machine is called `nv`, as in machines that are
    /// written for simulators.
    KnownOrNumbered,
    /// The format names no hosts: the machine's coordinates are enough.
    Unused,
}

/// One format of launch files.
#[derive(Debug, Clone, Copy)]
pub struct LaunchFormat {
    /// Where the names of hosts come from.
    pub hosts: HostNames,
    /// Whether ranks are bound to cores, by the file or by the command.
    pub binds: bool,
    /// Makes the content of its files.
    pub write: fn(&Launch) -> Result<LaunchFiles, LaunchError>,
    /// The command that starts the job.
    pub command: fn(&Launch, &LaunchNames<'_>) -> Result<String, LaunchError>,
}

/// What goes into the files of a launch.
#[derive(Debug, Clone, Default)]
pub struct LaunchFiles {
    /// The file of the format.
    pub main: String,
    /// One list of CPUs per line and one line per rank, if the launcher has no other way.
    pub bind: Option<String>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// The names that a command contains.
#[derive(Debug, Clone, Copy)]
pub struct LaunchNames<'a> {
    /// The file of the format.
    pub main: &'a str,
    /// The file of CPUs, if it was written.
    pub bind: Option<&'a str>,
    /// What to run.
    pub program: &'a str,
}

/// An entry of the list of launch formats.
pub type LaunchEntry = Entry<LaunchFormat>;

impl Launch {
    /// What a format needs to know about a mapping and the hosts of an allocation.
    pub fn new(
        mapping: &MappingFile,
        hosts: Option<&[ListedHost]>,
        format: &LaunchEntry,
    ) -> Result<Launch, LaunchError> {
        match format.build.hosts {
            HostNames::Known => return Ok(Launch::of_seating(seating_of(mapping, hosts)?)),
            HostNames::KnownOrNumbered => {
                return Ok(Launch::of_seating(match (&mapping.seating, hosts) {
                    (None, None) => seating::on_own_hosts(mapping)?,
                    _ => seating_of(mapping, hosts)?,
                }));
            }
            HostNames::Unused => {}
        }
        let spec = mapping.machine.as_ref().ok_or_else(|| {
            LaunchError::Mapping("the mapping does not say what machine it is for".to_string())
        })?;
        let machine = read_machine(spec)?;
        let slots = seating::slots_on(&machine, mapping)?;
        let slots = Some((machine, slots));
        Ok(Launch { ranks: mapping.ranks(), seating: None, slots, ranks_of_host: Vec::new() })
    }

    /// A launch of ranks whose hosts are known.
    pub fn of_seating(seating: Seating) -> Launch {
        let mut ranks_of_host = vec![Vec::new(); seating.hosts.len()];
        for (rank, seat) in (0..).zip(&seating.seats) {
            ranks_of_host[seat.host as usize].push(rank);
        }
        Launch { ranks: seating.seats.len(), seating: Some(seating), slots: None, ranks_of_host }
    }

    pub(super) fn seating(&self) -> Result<&Seating, LaunchError> {
        self.seating.as_ref().ok_or(LaunchError::NoHosts { machine: None })
    }

    /// The hosts that have ranks: name, slots, and ranks in their order.
    pub(super) fn used_hosts(&self) -> Result<Vec<UsedHost<'_>>, LaunchError> {
        let seating = self.seating()?;
        let hosts = seating.hosts.iter().zip(&seating.slots_of_host).zip(&self.ranks_of_host);
        let used = hosts.filter(|(_, ranks)| !ranks.is_empty());
        Ok(used.map(|((name, &slots), ranks)| UsedHost { name, slots, ranks }).collect())
    }

    /// The name of the host of each rank.
    pub(super) fn host_names(&self) -> Result<Vec<&str>, LaunchError> {
        let seating = self.seating()?;
        Ok(seating.seats.iter().map(|seat| &seating.hosts[seat.host as usize][..]).collect())
    }
}

/// A host that has ranks.
#[derive(Debug, Clone, Copy)]
pub(super) struct UsedHost<'a> {
    pub name: &'a str,
    pub slots: u32,
    pub ranks: &'a [u32],
}
