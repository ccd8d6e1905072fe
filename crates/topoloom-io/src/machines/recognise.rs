//! Files about machines of any kind, told apart by their content.

use std::path::Path;

use topoloom_core::cluster::{Hardware, Network};

use super::adapter_order::{is_adapter_order, parse_adapter_order};
use super::aries_links::{is_aries_links, parse_aries_links};
use super::device_names::{DeviceNames, is_device_names, parse_device_names};
use super::documents::{is_document, is_known_document, parse_document};
use super::fabric_ids::{is_fabric_ids, parse_fabric_ids};
use super::foreign::{is_foreign, refuse_foreign};
use super::forwarding_tables::{is_forwarding_tables, parse_forwarding_tables};
use super::ibnetdiscover::is_ibnetdiscover;
use super::machine_file::{MachineFile, MachineFileAnswer};
use super::nccl::{is_nccl, parse_nccl};
use super::scotch_target::{is_scotch_target, parse_scotch_target};
use super::simai::{is_simai, parse_simai};
use super::slingshot_cables::{is_slingshot_cables, parse_slingshot_cables};
use super::slurm::is_slurm_topology;
use super::smi_topology::{is_smi_topology, parse_smi_topology};
use super::subnet_list::{is_subnet_list, parse_subnet_list};
use super::topology_addresses::{is_topology_addresses, parse_topology_addresses};
use super::{host_file, parse_hwloc, parse_ibnetdiscover_named, parse_slurm_topology};
use crate::text::error::ReadError;
use crate::text::input::read_whole;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::text::xml::root_name;

/// A kind of file.
struct Kind {
    /// Whether content is of this kind.
    is: fn(&[u8]) -> bool,
    /// Whether such a file describes a cluster by itself. Then it needs no command to join it with others.
    describes: fn(&[u8]) -> bool,
    read: fn(&str, &[u8], &DeviceNames) -> MachineFileAnswer,
}

const ALWAYS: fn(&[u8]) -> bool = |_| true;
const NEVER: fn(&[u8]) -> bool = |_| false;

/// Every kind of file. The first one that fits is used.
const KINDS: &[Kind] = &[
    Kind {
        is: is_nccl,
        describes: ALWAYS,
        read: |name, bytes, _| hardware(parse_nccl(name, bytes)),
    },
    Kind {
        is: is_xml,
        describes: is_hwloc,
        read: |name, bytes, _| hardware(quiet(parse_hwloc(name, bytes))),
    },
    Kind {
        is: is_scotch_target,
        describes: NEVER,
        read: |name, bytes, _| of(MachineFile::Target, quiet(parse_scotch_target(name, bytes))),
    },
    Kind {
        is: is_forwarding_tables,
        describes: NEVER,
        read: |name, bytes, _| of(MachineFile::Tables, quiet(parse_forwarding_tables(name, bytes))),
    },
    Kind {
        is: is_subnet_list,
        describes: ALWAYS,
        read: |name, bytes, names| network(parse_subnet_list(name, bytes, names)),
    },
    Kind {
        is: is_slingshot_cables,
        describes: ALWAYS,
        read: |name, bytes, _| network(parse_slingshot_cables(name, bytes)),
    },
    Kind {
        is: is_aries_links,
        describes: ALWAYS,
        read: |name, bytes, _| network(parse_aries_links(name, bytes)),
    },
    Kind {
        is: is_device_names,
        describes: NEVER,
        read: |name, bytes, _| of(MachineFile::Names, quiet(parse_device_names(name, bytes))),
    },
    Kind {
        is: is_adapter_order,
        describes: NEVER,
        read: |name, bytes, _| of(MachineFile::Hosts, quiet(parse_adapter_order(name, bytes))),
    },
    Kind {
        is: is_smi_topology,
        describes: ALWAYS,
        read: |name, bytes, _| hardware(parse_smi_topology(name, bytes)),
    },
    Kind {
        is: is_fabric_ids,
        describes: ALWAYS,
        read: |name, bytes, _| of(MachineFile::Domains, parse_fabric_ids(name, bytes)),
    },
    Kind {
        is: is_simai,
        describes: ALWAYS,
        read: |name, bytes, _| {
            of(|parts| MachineFile::Whole(Box::new(parts)), parse_simai(name, bytes))
        },
    },
    Kind {
        is: is_slurm_topology,
        describes: ALWAYS,
        read: |name, bytes, _| network(parse_slurm_topology(name, bytes)),
    },
    Kind {
        is: is_ibnetdiscover,
        describes: ALWAYS,
        read: |name, bytes, names| network(parse_ibnetdiscover_named(name, bytes, names)),
    },
    Kind {
        is: is_topology_addresses,
        describes: ALWAYS,
        read: |name, bytes, _| network(parse_topology_addresses(name, bytes)),
    },
    Kind { is: is_foreign, describes: ALWAYS, read: |name, bytes, _| refuse_foreign(name, bytes) },
    Kind {
        is: is_document,
        describes: is_known_document,
        read: |name, bytes, _| parse_document(name, bytes),
    },
    // A list of hosts cannot be recognised by its content.
    Kind {
        is: ALWAYS,
        describes: NEVER,
        read: |name, bytes, _| {
            of(MachineFile::Hosts, quiet(host_file::parse(&Source::new(name, bytes))))
        },
    },
];

fn is_xml(bytes: &[u8]) -> bool {
    Source::new("", bytes).bytes().trim_ascii_start().starts_with(b"<")
}

fn is_hwloc(bytes: &[u8]) -> bool {
    root_name(bytes) == Some(b"topology")
}

fn of<T>(
    make: impl FnOnce(T) -> MachineFile,
    read: Result<(T, Warnings), ReadError>,
) -> MachineFileAnswer {
    read.map(|(content, warnings)| (make(content), warnings))
}

fn quiet<T>(read: Result<T, ReadError>) -> Result<(T, Warnings), ReadError> {
    read.map(|content| (content, Warnings::new()))
}

fn hardware(read: Result<(Hardware, Warnings), ReadError>) -> MachineFileAnswer {
    of(MachineFile::Hardware, read)
}

fn network(read: Result<(Network, Warnings), ReadError>) -> MachineFileAnswer {
    of(MachineFile::Network, read)
}

fn kind_of(bytes: &[u8]) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| (kind.is)(bytes))
}

/// Reads the file at `path`, whatever it says about a machine.
pub fn read_machine_file(path: impl AsRef<Path>) -> Result<(MachineFile, Warnings), ReadError> {
    let path = path.as_ref();
    let bytes = read_whole(path)?;
    parse_machine_file(&path.display().to_string(), &bytes)
}

/// Reads the content `bytes` of a file called `name`, whatever it says about a machine. The section
/// "What can be read" of `docs/machines.md` has the kinds of files. What is nothing else is a list of
/// hosts, one per line.
///
/// ```
/// use topoloom_io::machines::{MachineFile, parse_machine_file};
/// let (file, _) = parse_machine_file("hosts", b"n1 slots=4\nn2 slots=8\n").unwrap();
/// let MachineFile::Hosts(hosts) = file else { panic!() };
/// assert_eq!((hosts[1].name.as_str(), hosts[1].slots), ("n2", Some(8)));
/// ```
pub fn parse_machine_file(name: &str, bytes: &[u8]) -> Result<(MachineFile, Warnings), ReadError> {
    parse_machine_file_named(name, bytes, &DeviceNames::default())
}

/// Like [`parse_machine_file`]; devices of an InfiniBand network that `names` knows are called as it
/// says.
pub fn parse_machine_file_named(
    name: &str,
    bytes: &[u8],
    names: &DeviceNames,
) -> Result<(MachineFile, Warnings), ReadError> {
    let kind = kind_of(bytes).expect("the last kind fits everything");
    (kind.read)(name, bytes, names)
}

/// Whether the content of a file describes a cluster: nodes or a network. Lists of hosts cannot be
/// recognised by their content.
pub fn looks_like_machine_file(bytes: &[u8]) -> bool {
    kind_of(bytes).is_some_and(|kind| (kind.describes)(bytes))
}
