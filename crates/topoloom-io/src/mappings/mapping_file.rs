//! Mappings as files: which node and slot each rank gets.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use topoloom_core::cluster::Seating;
use topoloom_core::topology::Place;
use topoloom_core::words::counted;

use super::qaplib_solution;
use crate::text::atomic_write::atomic_write;
use crate::text::cpu_list::{self, CpuLists};
use crate::text::error::{ReadError, WriteError};
use crate::text::fault::Fault;
use crate::text::input::read_whole;
use crate::text::json::{json_error, labelled};
use crate::text::number::{self, shown};
use crate::text::packing::inner_name;
use crate::text::source::Source;

const FORMAT: &str = "topoloom-mapping";
const VERSION: u64 = 1;

/// What a mapping file says. Nothing is checked against a machine yet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MappingFile {
    /// The machine's specification; the text form has none.
    pub machine: Option<String>,
    /// The traffic that it was made for, as it was named.
    pub traffic: Option<String>,
    /// The node of each rank.
    pub node_of_rank: Vec<u32>,
    /// The slot of each rank, counted across the whole machine; the text form has none.
    pub slot_of_rank: Option<Vec<u32>>,
    /// The strategy that found it.
    pub strategy: Option<String>,
    /// What the strategy minimised.
    pub objective: Option<String>,
    /// The seed of the strategy.
    pub seed: Option<u64>,
    /// What the placement costs, if the format says it: solutions of QAPLIB do.
    pub cost: Option<f64>,
    /// By how much slots may be loaded beyond the average, if several ranks share a slot.
    pub imbalance: Option<f64>,
    /// Where the ranks sit, for machines whose hosts are known.
    pub seating: Option<Seating>,
}

impl MappingFile {
    /// The number of ranks.
    pub fn ranks(&self) -> usize {
        self.node_of_rank.len()
    }
}

#[derive(Deserialize)]
struct Document {
    machine: Option<String>,
    traffic: Option<String>,
    ranks: Option<u32>,
    node_of_rank: Vec<u32>,
    slot_of_rank: Option<Vec<u32>>,
    strategy: Option<String>,
    objective: Option<String>,
    seed: Option<u64>,
    imbalance: Option<f64>,
    hosts: Option<Vec<String>>,
    slots_of_host: Option<Vec<u32>>,
    host_of_rank: Option<Vec<u32>>,
    core_of_rank: Option<Vec<Option<u32>>>,
    cores_of_rank: Option<Vec<String>>,
    cpus_of_rank: Option<Vec<String>>,
    gpu_of_rank: Option<Vec<u32>>,
}

/// Reads the mapping file at `path`: JSON, one node number per line, or a solution of QAPLIB.
pub fn read_mapping(path: impl AsRef<Path>) -> Result<MappingFile, ReadError> {
    let path = path.as_ref();
    let bytes = read_whole(path)?;
    parse_mapping(&path.display().to_string(), &bytes)
}

/// Reads the content `bytes` of a mapping file called `name`.
pub fn parse_mapping(name: &str, bytes: &[u8]) -> Result<MappingFile, ReadError> {
    let source = Source::new(name, bytes);
    match source.bytes().trim_ascii_start().first() {
        None => Err(source.error(Fault::Empty("the file is empty".into()))),
        Some(b'{') => parse_json(&source),
        Some(_)
            if is_solution_name(Path::new(inner_name(name)))
                || qaplib_solution::is_solution(source.bytes()) =>
        {
            let solution = qaplib_solution::read(&source)?;
            let cost = Some(solution.cost);
            Ok(MappingFile { node_of_rank: solution.node_of_rank, cost, ..MappingFile::default() })
        }
        Some(_) => parse_text(&source),
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn parse_json(source: &Source<'_>) -> Result<MappingFile, ReadError> {
    labelled(source, FORMAT, "mapping", &[VERSION])?;
    let document: Document =
        serde_json::from_slice(source.bytes()).map_err(|error| json_error(source, &error))?;
    check(&document).map_err(|fault| source.error(fault))?;
    let seating = seating(&document).map_err(|fault| source.error(fault))?;
    Ok(MappingFile {
        seating,
        machine: document.machine,
        traffic: document.traffic,
        node_of_rank: document.node_of_rank,
        slot_of_rank: document.slot_of_rank,
        strategy: document.strategy,
        objective: document.objective,
        seed: document.seed,
        cost: None,
        imbalance: document.imbalance,
    })
}

fn check(document: &Document) -> Result<(), Fault> {
    let ranks = document.ranks.map_or(document.node_of_rank.len(), |ranks| ranks as usize);
    if ranks == 0 {
        return Err(Fault::expected("at least 1 rank", "0"));
    }
    let lists = [
        ("node_of_rank", Some(&document.node_of_rank)),
        ("slot_of_rank", document.slot_of_rank.as_ref()),
    ];
    for (name, list) in lists {
        if let Some(found) = list.map(Vec::len).filter(|&found| found != ranks) {
            return Err(Fault::expected(
                format!("{ranks} in \"{name}\"", ranks = counted(ranks, "number")),
                found,
            ));
        }
    }
    match document.imbalance {
        Some(imbalance) if imbalance < 0.0 => {
            Err(Fault::expected("an imbalance that is not negative", imbalance))
        }
        _ => Ok(()),
    }
}

/// Where the ranks sit; if any of the fields is present, all must be.
fn seating(document: &Document) -> Result<Option<Seating>, Fault> {
    let Some(hosts) = &document.hosts else { return Ok(None) };
    let ranks = document.node_of_rank.len();
    let missing =
        |name: &str| Fault::Missing(format!("the file has \"hosts\", but \"{name}\" is missing"));
    let long = |name: &str, found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(Fault::expected(
            format!("{expected} in \"{name}\"", expected = counted(expected, "entry")),
            found,
        )),
    };
    let slots_of_host = document.slots_of_host.as_ref().ok_or_else(|| missing("slots_of_host"))?;
    long("slots_of_host", slots_of_host.len(), hosts.len())?;
    let host_of = document.host_of_rank.as_ref().ok_or_else(|| missing("host_of_rank"))?;
    long("host_of_rank", host_of.len(), ranks)?;
    let core_of = document.core_of_rank.as_ref().ok_or_else(|| missing("core_of_rank"))?;
    long("core_of_rank", core_of.len(), ranks)?;
    let cpus_of = document.cpus_of_rank.as_ref().ok_or_else(|| missing("cpus_of_rank"))?;
    long("cpus_of_rank", cpus_of.len(), ranks)?;
    if let Some(cores_of) = &document.cores_of_rank {
        long("cores_of_rank", cores_of.len(), ranks)?;
    }
    if let Some(gpu_of) = &document.gpu_of_rank {
        long("gpu_of_rank", gpu_of.len(), ranks)?;
    }
    let mut seats = Vec::with_capacity(ranks);
    let mut lists = CpuLists::taking(size_of::<u32>());
    for rank in 0..ranks {
        let host = host_of[rank];
        if host as usize >= hosts.len() {
            return Err(Fault::OutOfRange(format!(
                "rank {rank} is on host {host}, but there are {}",
                hosts.len()
            )));
        }
        let mut list =
            |text: &str| lists.parse(text).map_err(|error| error.within(format!("rank {rank}")));
        let cpus = list(&cpus_of[rank])?;
        let core = core_of[rank];
        let cores = match (&document.cores_of_rank, core) {
            (Some(cores_of), _) => list(&cores_of[rank])?,
            // The file does not say: one CPU is treated as a core.
            (None, Some(core)) if cpus.len() <= 1 => vec![core],
            _ => Vec::new(),
        };
        let gpu = document.gpu_of_rank.as_ref().map(|gpu_of| gpu_of[rank]);
        seats.push(Place { host, core, cores, cpus, gpu });
    }
    if document.cores_of_rank.is_none() {
        forget_cores_with_several_ranks(&mut seats);
    }
    Ok(Some(Seating { hosts: hosts.clone(), slots_of_host: slots_of_host.clone(), seats }))
}

/// Ranks on different CPUs of one core have threads of it, not the whole core.
fn forget_cores_with_several_ranks(seats: &mut [Place]) {
    let mut first_on: HashMap<(u32, Option<u32>), Vec<u32>> = HashMap::new();
    let differs = seats.iter().any(|seat| {
        let on = first_on.entry((seat.host, seat.core)).or_insert_with(|| seat.cpus.clone());
        *on != seat.cpus
    });
    if differs {
        seats.iter_mut().for_each(|seat| seat.cores.clear());
    }
}

fn parse_text(source: &Source<'_>) -> Result<MappingFile, ReadError> {
    let mut mapping = MappingFile::default();
    for (line_number, line) in source.lines() {
        let line = line.trim_ascii();
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        let node = number::count(line).ok().and_then(|node| u32::try_from(node).ok());
        let node = node.ok_or_else(|| {
            let fault = Fault::expected("a node number", shown(line));
            source.error_in_line(line_number, fault)
        })?;
        mapping.node_of_rank.push(node);
    }
    if mapping.node_of_rank.is_empty() {
        return Err(source.error(Fault::Empty("the file has only comments".into())));
    }
    Ok(mapping)
}

/// Writes the mapping file at `path`, whole or not at all: one node number per line if it ends in
/// `.txt`, a solution of QAPLIB if it ends in `.sln` and the cost is known, JSON otherwise.
pub fn write_mapping(path: impl AsRef<Path>, mapping: &MappingFile) -> Result<(), WriteError> {
    let path = path.as_ref();
    atomic_write(path, mapping_content(path, mapping))
}

/// What the mapping file at `path` holds.
pub fn mapping_content(
    path: &Path,
    mapping: &MappingFile,
) -> impl FnOnce(&mut dyn Write) -> io::Result<()> {
    let text = has_ending(path, "txt");
    let cost = mapping.cost.filter(|_| is_solution_name(path));
    move |writer| match cost {
        Some(cost) => qaplib_solution::write(&mapping.node_of_rank, cost, writer),
        None if text => write_text(mapping, writer),
        None => write_json(mapping, writer),
    }
}

/// Whether a mapping at `path` is written as a solution of QAPLIB, which needs its cost.
pub fn is_solution_name(path: impl AsRef<Path>) -> bool {
    has_ending(path.as_ref(), qaplib_solution::ENDING)
}

/// A mapping as the text of its JSON file.
pub fn mapping_json(mapping: &MappingFile) -> String {
    let mut bytes = Vec::new();
    write_json(mapping, &mut bytes).expect("memory takes what is written to it");
    String::from_utf8(bytes).expect("JSON is text")
}

fn write_text(mapping: &MappingFile, writer: &mut dyn Write) -> io::Result<()> {
    mapping.node_of_rank.iter().try_for_each(|node| writeln!(writer, "{node}"))
}

/// One field per line, which keeps a mapping of many ranks to a few lines.
fn write_json(mapping: &MappingFile, writer: &mut dyn Write) -> io::Result<()> {
    write!(writer, "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION}")?;
    write_field(writer, "machine", mapping.machine.as_ref())?;
    write_field(writer, "traffic", mapping.traffic.as_ref())?;
    write_field(writer, "ranks", Some(&mapping.ranks()))?;
    write_field(writer, "node_of_rank", Some(&mapping.node_of_rank))?;
    write_field(writer, "slot_of_rank", mapping.slot_of_rank.as_ref())?;
    write_field(writer, "strategy", mapping.strategy.as_ref())?;
    write_field(writer, "objective", mapping.objective.as_ref())?;
    write_field(writer, "seed", mapping.seed.as_ref())?;
    write_field(writer, "imbalance", mapping.imbalance.as_ref())?;
    if let Some(seating) = &mapping.seating {
        let seats = &seating.seats;
        let hosts: Vec<u32> = seats.iter().map(|seat| seat.host).collect();
        let core: Vec<Option<u32>> = seats.iter().map(|seat| seat.core).collect();
        let cores: Vec<String> = seats.iter().map(|seat| cpu_list::write(&seat.cores)).collect();
        let cpus: Vec<String> = seats.iter().map(|seat| cpu_list::write(&seat.cpus)).collect();
        let gpus: Option<Vec<u32>> = seating.seats.iter().map(|seat| seat.gpu).collect();
        write_field(writer, "hosts", Some(&seating.hosts))?;
        write_field(writer, "slots_of_host", Some(&seating.slots_of_host))?;
        write_field(writer, "host_of_rank", Some(&hosts))?;
        write_field(writer, "core_of_rank", Some(&core))?;
        write_field(writer, "cores_of_rank", Some(&cores))?;
        write_field(writer, "cpus_of_rank", Some(&cpus))?;
        write_field(writer, "gpu_of_rank", gpus.as_ref())?;
    }
    writeln!(writer, "\n}}")
}

fn write_field<T: Serialize>(
    writer: &mut dyn Write,
    name: &str,
    value: Option<&T>,
) -> io::Result<()> {
    let Some(value) = value else { return Ok(()) };
    write!(writer, ",\n  \"{name}\": ")?;
    serde_json::to_writer(writer, value).map_err(io::Error::from)
}
