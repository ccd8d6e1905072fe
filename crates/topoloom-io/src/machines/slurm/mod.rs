//! Networks as Slurm knows them: `topology.conf`, and what `scontrol show topology` prints.
//!
//! `docs/machines.md` says what is taken of it.

mod blocks;
mod switches;

use std::collections::BTreeMap;

use topoloom_core::cluster::Network;

use crate::text::error::ReadError;
use crate::text::host_list;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// More names than any cluster has, over all lines; a wrong digit must not ask for all memory.
const MOST_NAMES: usize = 1 << 21;

/// Reads the content `bytes` of a file of Slurm called `name`.
///
/// ```
/// let text = b"SwitchName=leaf0 Nodes=n[1-2]\nSwitchName=leaf1 Nodes=n[3-4]\n\
///              SwitchName=spine Switches=leaf[0-1]";
/// let (network, _) = topoloom_io::machines::parse_slurm_topology("topology.conf", text).unwrap();
/// assert_eq!((network.switches, network.hosts.len()), (3, 4));
/// ```
pub fn parse_slurm_topology(name: &str, bytes: &[u8]) -> Result<(Network, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut warnings = Warnings::new();
    let mut statements = Vec::new();
    let mut names = 0;
    for (line, text) in joined_lines(&source)? {
        if let Some(statement) = Statement::parse(&source, line, &text)? {
            names += statement.nodes.len() + statement.switches.len();
            if names > MOST_NAMES {
                let message = format!("more than {MOST_NAMES} names of nodes and switches");
                return Err(source.error_in_line(line, message));
            }
            statements.push(statement);
        }
    }
    let of_blocks = |statement: &&Statement| statement.what != What::Switch;
    let network = match (statements.iter().find(of_blocks), statements.first()) {
        (_, None) => {
            return Err(source.error("expected lines with SwitchName= or BlockName=, found none"));
        }
        (Some(block), _) => match statements.iter().find(|other| other.what == What::Switch) {
            Some(switch) => {
                let line = block.line.max(switch.line);
                return Err(source.error_in_line(line, "switches and blocks in one file"));
            }
            None => blocks::network(&source, &statements, &mut warnings)?,
        },
        (None, _) => switches::network(&source, &statements, &mut warnings)?,
    };
    if network.hosts.is_empty() {
        return Err(source.error("expected switches or blocks with Nodes=, found none"));
    }
    Ok((network, warnings))
}

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Switch,
    Block,
    /// How many nodes make a block, and how many of each larger one.
    BlockSizes,
}

/// What a line says.
struct Statement {
    line: usize,
    what: What,
    /// The switch or the block.
    name: String,
    nodes: Vec<String>,
    switches: Vec<String>,
    sizes: Vec<u64>,
}

/// Keys in lower case, and what they are for.
const KEYS: &[&str] = &[
    "switchname",
    "switches",
    "nodes",
    "linkspeed",
    "level",
    "blockname",
    "blocksizes",
    "blockindex",
    "blocksize",
    "aggregatedblock",
];

impl Statement {
    /// What a line says; nothing if it is empty or says again what follows from others.
    fn parse(source: &Source<'_>, line: usize, text: &str) -> Result<Option<Statement>, ReadError> {
        let error = |message: String| source.error_in_line(line, message);
        let mut values: BTreeMap<String, &str> = BTreeMap::new();
        for word in text.split_whitespace() {
            let Some((key, value)) = word.split_once('=') else {
                return Err(error(format!("expected KEY=VALUE, found {}", shown(word.as_bytes()))));
            };
            let lower = key.to_ascii_lowercase();
            if !KEYS.contains(&lower.as_str()) {
                return Err(error(format!(
                    "unknown key {}; known: SwitchName, Switches, Nodes, LinkSpeed, Level, \
                     BlockName, BlockSizes",
                    shown(key.as_bytes())
                )));
            }
            let value = if value == "(null)" { "" } else { value };
            if values.insert(lower, value).is_some() {
                return Err(error(format!("{key} is given twice")));
            }
        }
        let value = |key: &str| values.get(key).copied();
        let (what, name) = match (value("switchname"), value("blockname"), value("blocksizes")) {
            (Some(name), None, None) => (What::Switch, name),
            (None, Some(name), None) => (What::Block, name),
            (None, None, Some(_)) => (What::BlockSizes, ""),
            // Larger blocks follow from the sizes.
            (None, None, None) if values.is_empty() || value("aggregatedblock").is_some() => {
                return Ok(None);
            }
            _ => {
                let message = "expected one of SwitchName=, BlockName= and BlockSizes= in a line";
                return Err(error(message.to_string()));
            }
        };
        if what != What::BlockSizes && name.is_empty() {
            return Err(error("expected a name, found none".to_string()));
        }
        if what != What::Switch && value("switches").is_some() {
            return Err(error("Switches= belongs to a switch".to_string()));
        }
        let names = |key: &str| {
            let wrong = |message| error(format!("{key}: {message}"));
            host_list::parse_names(value(&key.to_ascii_lowercase()).unwrap_or_default())
                .map_err(wrong)
        };
        let sizes = value("blocksizes").filter(|sizes| !sizes.is_empty());
        let size = |text: &str| {
            let size = text.trim().parse::<u64>().ok().filter(|&size| size > 0);
            size.ok_or_else(|| {
                let found = shown(text.as_bytes());
                error(format!("BlockSizes: expected numbers such as 8,16,32, found {found}"))
            })
        };
        Ok(Some(Statement {
            line,
            what,
            name: name.to_string(),
            nodes: names("Nodes")?,
            switches: names("Switches")?,
            sizes: sizes.map_or(Ok(Vec::new()), |sizes| sizes.split(',').map(size).collect())?,
        }))
    }
}

/// The lines without comments, those that end with a backslash together with the next, each with
/// the number of its first line.
fn joined_lines(source: &Source<'_>) -> Result<Vec<(usize, String)>, ReadError> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in source.lines() {
        let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
        let text = std::str::from_utf8(line[..end].trim_ascii_end())
            .map_err(|_| source.error_in_line(number, "expected UTF-8 text"))?;
        let (text, more) = match text.strip_suffix('\\') {
            Some(text) => (text, true),
            None => (text, false),
        };
        match lines.last_mut().filter(|_| goes_on) {
            Some((_, before)) => before.push_str(text),
            None => lines.push((number, text.to_string())),
        }
        goes_on = more;
    }
    Ok(lines)
}
