//! Networks as Slurm knows them: `topology.conf`, what `scontrol show topology` prints, and
//! `topology.yaml`.
//!
//! `docs/machines.md` says which parts of it are used.

mod blocks;
mod statement;
mod switches;
mod torus;
mod yaml;

use topoloom_core::cluster::Network;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
pub(super) use statement::{Statement, What};
pub(super) use switches::network as network_of_switches;
pub(super) use yaml::{is_topology_yaml, read_topology_yaml};

/// More names than any cluster has, over all lines; a typing error must not use up all memory.
pub(super) const MOST_NAMES: usize = 1 << 21;

/// Whether the first line of content has a key of Slurm's topology.
pub(super) fn is_slurm_topology(bytes: &[u8]) -> bool {
    const KEYS: [&[u8]; 4] = [b"SwitchName=", b"BlockName=", b"BlockSizes=", b"AggregatedBlock="];
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let starts = |word: &[u8], start: &[u8]| {
        word.get(..start.len()).is_some_and(|word| word.eq_ignore_ascii_case(start))
    };
    first.is_some_and(|line| {
        let mut words = line.split(u8::is_ascii_whitespace);
        words.any(|word| KEYS.iter().any(|start| starts(word, start)))
    })
}

/// Reads the content `bytes` of a Slurm file called `name`.
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
                let fault =
                    Fault::TooLarge(format!("more than {MOST_NAMES} names of nodes and switches"));
                return Err(source.error_in_line(line, fault));
            }
            statements.push(statement);
        }
    }
    let of_blocks = |statement: &&Statement| statement.what != What::Switch;
    let network = match (statements.iter().find(of_blocks), statements.first()) {
        (_, None) => {
            return Err(
                source.error(Fault::expected("lines with SwitchName= or BlockName=", "none"))
            );
        }
        (Some(block), _) => match statements.iter().find(|other| other.what == What::Switch) {
            Some(switch) => {
                let line = block.line.max(switch.line);
                return Err(source.error_in_line(
                    line,
                    Fault::Contradiction("switches and blocks in one file".into()),
                ));
            }
            None => blocks::network(&source, &statements, &mut warnings)?,
        },
        (None, _) => switches::network(&source, &statements, &mut warnings)?,
    };
    if network.hosts.is_empty() {
        return Err(source.error(Fault::expected("switches or blocks with Nodes=", "none")));
    }
    Ok((network, warnings))
}

/// The lines without comments, each with the number of its first line. A line that ends with a
/// backslash is joined with the next one.
fn joined_lines(source: &Source<'_>) -> Result<Vec<(usize, String)>, ReadError> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in source.lines() {
        let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
        let text = std::str::from_utf8(line[..end].trim_ascii_end())
            .map_err(|_| source.error_in_line(number, Fault::wanted("UTF-8 text")))?;
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
