//! Files about machines of any kind, told apart by their content.

use std::path::Path;

use topoloom_core::cluster::{Hardware, Network, SwitchTables};

use super::adapter_order::{is_adapter_order, parse_adapter_order};
use super::aries_links::{is_aries_links, parse_aries_links};
use super::device_names::{DeviceNames, is_device_names, parse_device_names};
use super::forwarding_tables::{is_forwarding_tables, parse_forwarding_tables};
use super::scotch_target::{ScotchTarget, is_scotch_target, parse_scotch_target};
use super::slingshot_cables::{is_slingshot_cables, parse_slingshot_cables};
use super::subnet_list::{is_subnet_list, parse_subnet_list};
use super::{host_file, parse_hwloc, parse_ibnetdiscover_named, parse_slurm_topology};
use crate::text::error::ReadError;
use crate::text::host_list::ListedHost;
use crate::text::input::read_whole;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// What a file says about a machine.
#[derive(Debug, Clone, PartialEq)]
pub enum MachineFile {
    /// What is inside a node.
    Hardware(Hardware),
    /// How nodes are connected.
    Network(Network),
    /// How its switches forward.
    Tables(SwitchTables),
    /// What the adapters and switches of a network are called.
    Names(DeviceNames),
    /// Which nodes may be used.
    Hosts(Vec<ListedHost>),
    /// A whole machine without names.
    Target(ScotchTarget),
}

/// Reads the file at `path`, whatever it says about a machine.
pub fn read_machine_file(path: impl AsRef<Path>) -> Result<(MachineFile, Warnings), ReadError> {
    let path = path.as_ref();
    let bytes = read_whole(path)?;
    parse_machine_file(&path.display().to_string(), &bytes)
}

/// Reads the content `bytes` of a file called `name`: hwloc's XML, a Slurm topology, the output of
/// `ibnetdiscover`, a list of cables of OpenSM, of Slingshot's fabric manager or of routers of a Cray XC,
/// a map of GUIDs to names, forwarding tables, a target of Scotch, or hosts, one per line.
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
    let network = |(network, warnings)| (MachineFile::Network(network), warnings);
    match Look::of(bytes) {
        Look::Hwloc | Look::OtherXml => {
            Ok((MachineFile::Hardware(parse_hwloc(name, bytes)?), Warnings::new()))
        }
        Look::Slurm => parse_slurm_topology(name, bytes).map(network),
        Look::Ibnetdiscover => parse_ibnetdiscover_named(name, bytes, names).map(network),
        Look::SubnetList => parse_subnet_list(name, bytes, names).map(network),
        Look::Slingshot => parse_slingshot_cables(name, bytes).map(network),
        Look::Aries => parse_aries_links(name, bytes).map(network),
        Look::Order => Ok((MachineFile::Hosts(parse_adapter_order(name, bytes)?), Warnings::new())),
        Look::Names => Ok((MachineFile::Names(parse_device_names(name, bytes)?), Warnings::new())),
        Look::Tables => {
            Ok((MachineFile::Tables(parse_forwarding_tables(name, bytes)?), Warnings::new()))
        }
        Look::Target => {
            Ok((MachineFile::Target(parse_scotch_target(name, bytes)?), Warnings::new()))
        }
        Look::Nothing => {
            let hosts = host_file::parse(&Source::new(name, bytes))?;
            Ok((MachineFile::Hosts(hosts), Warnings::new()))
        }
    }
}

/// Whether the content of a file describes a cluster: hwloc's XML, a Slurm topology, output of `ibnetdiscover`,
/// or a list of cables of OpenSM.
/// Host files cannot be recognised by their content.
pub fn looks_like_machine_file(bytes: &[u8]) -> bool {
    use Look::{Aries, Hwloc, Ibnetdiscover, Slingshot, Slurm, SubnetList};
    matches!(Look::of(bytes), Hwloc | Slurm | Ibnetdiscover | SubnetList | Slingshot | Aries)
}

enum Look {
    Hwloc,
    OtherXml,
    Slurm,
    Ibnetdiscover,
    SubnetList,
    Slingshot,
    Aries,
    Order,
    Names,
    Tables,
    Target,
    Nothing,
}

impl Look {
    fn of(bytes: &[u8]) -> Look {
        /// How far into XML its root may be, comments before it included.
        const FIRST_BYTES: usize = 4096;
        let source = Source::new("", bytes);
        let text = source.bytes().trim_ascii_start();
        if text.starts_with(b"<") {
            let start = &text[..text.len().min(FIRST_BYTES)];
            let root = b"<topology";
            return match start.windows(root.len()).any(|window| window == root) {
                true => Look::Hwloc,
                false => Look::OtherXml,
            };
        }
        if is_scotch_target(bytes) {
            return Look::Target;
        }
        if is_forwarding_tables(bytes) {
            return Look::Tables;
        }
        if is_subnet_list(bytes) {
            return Look::SubnetList;
        }
        if is_slingshot_cables(bytes) {
            return Look::Slingshot;
        }
        if is_aries_links(bytes) {
            return Look::Aries;
        }
        if is_device_names(bytes) {
            return Look::Names;
        }
        if is_adapter_order(bytes) {
            return Look::Order;
        }
        let lines = source.lines().map(|(_, line)| line.trim_ascii());
        let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        let Some(first) = lines.next() else { return Look::Nothing };
        let starts = |word: &[u8], start: &&[u8]| {
            word.get(..start.len()).is_some_and(|word| word.eq_ignore_ascii_case(start))
        };
        const SLURM: [&[u8]; 4] =
            [b"SwitchName=", b"BlockName=", b"BlockSizes=", b"AggregatedBlock="];
        let mut words = first.split(u8::is_ascii_whitespace);
        if words.any(|word| SLURM.iter().any(|start| starts(word, start))) {
            return Look::Slurm;
        }
        const DETAILS: [&[u8]; 6] =
            [b"vendid=", b"devid=", b"sysimgguid=", b"switchguid=", b"caguid=", b"rtguid="];
        let detail = DETAILS.iter().any(|start| first.starts_with(start));
        let device = [&b"Switch"[..], b"Ca", b"Rt"].iter().any(|word| {
            first.strip_prefix(*word).is_some_and(|rest| {
                rest.first().is_some_and(u8::is_ascii_whitespace) && rest.contains(&b'"')
            })
        });
        if detail || device { Look::Ibnetdiscover } else { Look::Nothing }
    }
}
