//! What one line of Slurm's topology says.

use std::collections::BTreeMap;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::host_list;
use crate::text::number::shown;
use crate::text::source::Source;

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machines) enum What {
    Switch,
    Block,
    /// How many nodes make a block, and how many make each larger one.
    BlockSizes,
}

/// What a line says.
pub(in crate::machines) struct Statement {
    pub line: usize,
    pub what: What,
    /// The switch or the block.
    pub name: String,
    pub nodes: Vec<String>,
    pub switches: Vec<String>,
    pub sizes: Vec<u64>,
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
    /// What a line says; nothing if it is empty or repeats what follows from other lines.
    pub fn parse(
        source: &Source<'_>,
        line: usize,
        text: &str,
    ) -> Result<Option<Statement>, ReadError> {
        let error = |fault: Fault| source.error_in_line(line, fault);
        let mut values: BTreeMap<String, &str> = BTreeMap::new();
        for word in text.split_whitespace() {
            let Some((key, value)) = word.split_once('=') else {
                return Err(error(Fault::expected("KEY=VALUE", shown(word.as_bytes()))));
            };
            let lower = key.to_ascii_lowercase();
            if !KEYS.contains(&lower.as_str()) {
                return Err(error(Fault::unknown(
                    format!("key {}", shown(key.as_bytes())),
                    "SwitchName, Switches, Nodes, LinkSpeed, Level, BlockName, BlockSizes",
                )));
            }
            let value = if value == "(null)" { "" } else { value };
            if values.insert(lower, value).is_some() {
                return Err(error(Fault::Repeated(format!("{key} is given twice"))));
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
                let fault =
                    Fault::wanted("one of SwitchName=, BlockName= and BlockSizes= in a line");
                return Err(error(fault));
            }
        };
        if what != What::BlockSizes && name.is_empty() {
            return Err(error(Fault::expected("a name", "none")));
        }
        if what != What::Switch && value("switches").is_some() {
            return Err(error(Fault::Malformed("Switches= belongs to a switch".into())));
        }
        let names = |key: &str| {
            let wrong = |fault: Fault| error(fault.within(key));
            host_list::parse_names(value(&key.to_ascii_lowercase()).unwrap_or_default())
                .map_err(wrong)
        };
        let sizes = value("blocksizes").filter(|sizes| !sizes.is_empty());
        let size = |text: &str| {
            let size = text.trim().parse::<u64>().ok().filter(|&size| size > 0);
            size.ok_or_else(|| {
                let found = shown(text.as_bytes());
                error(Fault::expected("numbers such as 8,16,32", found).within("BlockSizes"))
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
