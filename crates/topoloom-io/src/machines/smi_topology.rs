//! Nodes as `nvidia-smi topo -m` prints them: a table of GPUs and adapters.
//!
//! `docs/machines.md` says which parts of it are used.

use std::collections::HashMap;

use topoloom_core::cluster::{Hardware, NodeAdapter};

use super::gpu_node::{Gpu, GpuNode, Near, warn_of_unlinked};
use crate::text::cpu_list::CpuLists;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// More devices than any node has.
const MOST_DEVICES: usize = 1024;

/// The columns after those of devices.
const ABOUT: [&str; 3] = ["CPU Affinity", "NUMA Affinity", "GPU NUMA ID"];

/// Whether the content of a file is such a table. Its first line has the devices, and begins with
/// an escape sequence that underlines it.
pub fn is_smi_topology(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let first = source.lines().map(|(_, line)| plain(line)).find(|line| !line.trim().is_empty());
    first.is_some_and(|line| {
        let columns = columns(&line);
        columns.first().is_some_and(|name| gpu_number(name).is_some())
            && (columns.len() > 1 && line.starts_with(char::is_whitespace))
    })
}

/// Reads such a table: the content `bytes` of a file called `name`.
///
/// ```
/// let text = b"\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n\
///              GPU0\t X \tNV18\t0-1\t0\nGPU1\tNV18\t X \t2-3\t1\n";
/// let (hardware, _) = topoloom_io::machines::parse_smi_topology("topo.txt", text).unwrap();
/// assert_eq!(hardware.node.children.len(), 2);
/// ```
pub fn parse_smi_topology(name: &str, bytes: &[u8]) -> Result<(Hardware, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut warnings = Warnings::new();
    let table = Table::read(&source)?;
    let mut parts: Vec<Near> = Vec::new();
    let mut part_of: HashMap<u32, usize> = HashMap::new();
    for row in &table.rows {
        let same =
            |part: &Near| part.numa == row.numa && (row.numa.is_some() || part.cpus == row.cpus);
        let number = parts.iter().position(same).unwrap_or(parts.len());
        if number == parts.len() {
            parts.push(Near { numa: row.numa, ..Near::default() });
        }
        let part = &mut parts[number];
        part.cpus.extend(&row.cpus);
        part.cpus.sort_unstable();
        part.cpus.dedup();
        part.gpus.push(Gpu { number: row.gpu, name: None });
        part_of.insert(row.gpu, number);
    }
    let node = GpuNode::new(parts, &mut warnings).map_err(|fault| source.error(fault))?;
    let is_linked = |row: &Row| row.cells.iter().any(|cell| matches!(cell, Cell::NvLink));
    let linked = table.rows.iter().map(|row| (row.gpu, is_linked(row)));
    warn_of_unlinked("NVLink", linked, &mut warnings);
    let adapters = table.adapters.iter().map(|(column, name)| {
        let closest = table.rows.iter().map(|row| row.cells[*column]).min();
        let near = |row: &&Row| Some(row.cells[*column]) == closest;
        // The cells only say "somewhere else" of GPUs beyond another NUMA node.
        let known = closest.is_some_and(|cell| cell < Cell::System);
        let on_bridge = closest.is_some_and(|cell| cell <= Cell::Bridges);
        let gpus = table.rows.iter().filter(near).map(|row| row.gpu);
        let first = table.rows.iter().find(near).filter(|_| known);
        NodeAdapter {
            name: name.clone(),
            guid: None,
            cpus: first.map(|row| node.cpus[part_of[&row.gpu]].clone()).unwrap_or_default(),
            gpus: gpus.filter(|_| on_bridge).filter_map(|gpu| node.position(gpu)).collect(),
            megabits_per_second: None,
        }
    });
    let adapters = adapters.collect();
    Ok((Hardware { host: None, node: node.node, adapters }, warnings))
}

/// How two devices are joined, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Itself,
    NvLink,
    /// One PCI bridge.
    Bridge,
    /// Several PCI bridges.
    Bridges,
    /// A host bridge.
    HostBridge,
    /// Within a NUMA node.
    Node,
    /// Between NUMA nodes, or not known.
    System,
}

impl Cell {
    fn of(text: &str) -> Option<Cell> {
        let nvlinks = |text: &str| text.strip_prefix("NV").map(str::parse::<u32>);
        Some(match text {
            "X" => Cell::Itself,
            "PIX" => Cell::Bridge,
            "PXB" | "PSB" => Cell::Bridges,
            "PHB" => Cell::HostBridge,
            "NODE" => Cell::Node,
            "SYS" | "SOC" | "N/A" => Cell::System,
            text if matches!(nvlinks(text), Some(Ok(_))) => Cell::NvLink,
            _ => return None,
        })
    }
}

/// The row of a GPU.
struct Row {
    gpu: u32,
    cells: Vec<Cell>,
    cpus: Vec<u32>,
    numa: Option<u32>,
}

struct Table {
    rows: Vec<Row>,
    /// The columns of adapters, with their names.
    adapters: Vec<(usize, String)>,
}

impl Table {
    fn read(source: &Source<'_>) -> Result<Table, ReadError> {
        let mut lines = source.lines().map(|(number, line)| (number, plain(line)));
        let header = lines.find(|(_, line)| !line.trim().is_empty());
        let (number, header) = header.unwrap_or_default();
        let names = columns(&header);
        let devices = names.iter().take_while(|name| !ABOUT.contains(name)).count();
        if devices == 0 || devices > MOST_DEVICES {
            let expected = "a line with GPU0, GPU1, ..., as nvidia-smi topo -m prints it";
            let fault = Fault::expected(expected, shown(header.trim().as_bytes()));
            return Err(source.error_in_line(number.max(1), fault));
        }
        let has_numa = names.contains(&"NUMA Affinity");
        let mut lists = CpuLists::taking(size_of::<u32>());
        let (mut rows, mut legend) = (Vec::<Row>::new(), HashMap::new());
        for (number, line) in lines {
            let error = |fault: Fault| source.error_in_line(number, fault);
            let cells: Vec<&str> = fields(&line);
            let Some(gpu) = cells.first().and_then(|name| gpu_number(name)) else {
                if let Some((column, name)) = line.trim().split_once(':') {
                    legend.insert(column.trim().to_string(), name.trim().to_string());
                }
                continue;
            };
            if rows.iter().any(|row| row.gpu == gpu) {
                return Err(error(Fault::Repeated(format!("GPU{gpu} has two rows"))));
            }
            let found = cells.len() - 1;
            if found < devices {
                let expected = format!("{devices} columns of GPUs and adapters");
                return Err(error(Fault::expected(expected, found)));
            }
            let cell = |text: &&str| {
                Cell::of(text).ok_or_else(|| {
                    let expected = "X, NV18, PIX, PXB, PHB, NODE or SYS";
                    error(Fault::expected(expected, shown(text.as_bytes())))
                })
            };
            let about = |column: usize| {
                let text = cells.get(1 + devices + column).copied().unwrap_or_default();
                if text == "N/A" { "" } else { text }
            };
            let numa = if has_numa { numa(about(1)).map_err(error)? } else { None };
            rows.push(Row {
                gpu,
                cells: cells[1..=devices].iter().map(cell).collect::<Result<_, _>>()?,
                cpus: lists.parse(about(0)).map_err(error)?,
                numa,
            });
        }
        if rows.is_empty() {
            return Err(source.error(Fault::expected("rows of GPUs", "none")));
        }
        let adapter = |(column, name): (usize, &&str)| {
            let name = legend.get(*name).map_or(*name, String::as_str);
            (column, name.to_string())
        };
        let columns = names[..devices].iter().enumerate();
        let adapters =
            columns.filter(|(_, name)| gpu_number(name).is_none()).map(adapter).collect();
        Ok(Table { rows, adapters })
    }
}

/// The first NUMA node of a list. Memory of a GPU may be further ones, such as `0,2-17`.
fn numa(text: &str) -> Result<Option<u32>, Fault> {
    let first = text.split([',', '-']).next().unwrap_or_default().trim();
    if first.is_empty() {
        return Ok(None);
    }
    let number = first.parse::<u32>().ok();
    let wrong = || Fault::expected("a NUMA node such as 0", shown(text.as_bytes()));
    number.map(Some).ok_or_else(|| wrong().within("NUMA Affinity"))
}

/// The number of `GPU0`.
fn gpu_number(name: &str) -> Option<u32> {
    name.strip_prefix("GPU")?.parse().ok()
}

/// The names of columns.
fn columns(header: &str) -> Vec<&str> {
    fields(header).into_iter().filter(|name| !name.is_empty()).collect()
}

/// The fields of a line, between tabs or, where tabs were lost, between several blanks.
fn fields(line: &str) -> Vec<&str> {
    match line.contains('\t') {
        true => line.split('\t').map(str::trim).collect(),
        false => line.split("  ").map(str::trim).filter(|field| !field.is_empty()).collect(),
    }
}

/// A line as text without escape sequences such as `ESC [ 4 m`.
fn plain(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => {
                // The sequence ends with a letter.
                letters.by_ref().find(char::is_ascii_alphabetic);
            }
            letter => plain.push(letter),
        }
    }
    plain
}
