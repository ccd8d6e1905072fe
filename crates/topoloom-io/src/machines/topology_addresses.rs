//! Where Slurm says that tasks run: `SLURM_TOPOLOGY_ADDR`, one node per line.
//!
//! An address has the names of switches from the outermost to the node's own, then the node, joined
//! by dots.

use topoloom_core::cluster::Network;

use super::paths::Paths;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

const VARIABLE: &str = "SLURM_TOPOLOGY_ADDR";

/// Whether the content of a file is such a list: lines with a node and its address, with the name of
/// the variable, or with addresses alone.
///
/// Addresses alone differ at their ends and not at their beginnings. Full names of hosts are the
/// other way round.
pub fn is_topology_addresses(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut plain: Vec<&str> = Vec::new();
    for (_, line) in source.lines() {
        let Ok(line) = std::str::from_utf8(line) else { return false };
        match entry(line) {
            Entry::Nothing => {}
            Entry::Node { .. } if plain.is_empty() => return true,
            Entry::Address(address) => {
                if line.contains(VARIABLE) {
                    return true;
                }
                plain.push(address);
            }
            _ => return false,
        }
    }
    let ends: Vec<(&str, &str)> = plain
        .iter()
        .filter_map(|address| Some((address.split_once('.')?.0, address.rsplit_once('.')?.1)))
        .collect();
    let distinct = |of: fn(&(&str, &str)) -> String| {
        let mut names: Vec<String> = ends.iter().map(of).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    };
    let is_number = |(_, last): &(&str, &str)| last.parse::<u32>().is_ok();
    ends.len() > 1
        && ends.len() == plain.len()
        && !ends.iter().any(is_number)
        && distinct(|(_, last)| last.to_string()) == ends.len()
        && distinct(|(first, _)| first.to_string()) < ends.len()
}

/// Reads such a list: the content `bytes` of a file called `name`.
///
/// ```
/// let text = b"n1 core.leaf1.n1\nn2 core.leaf1.n2\nn3 core.leaf2.n3\n";
/// let (network, _) = topoloom_io::machines::parse_topology_addresses("where", text).unwrap();
/// assert_eq!((network.groups.len(), network.hosts.len()), (3, 3));
/// ```
pub fn parse_topology_addresses(
    name: &str,
    bytes: &[u8],
) -> Result<(Network, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut paths = Paths::default();
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        let (switches, node) = match entry(text) {
            Entry::Nothing => continue,
            Entry::Node { node, switches } => (switches, node),
            Entry::Address(address) => address.rsplit_once('.').unwrap_or(("", address)),
            Entry::Other => {
                let expected = "a node and its address, such as n01 core.leaf1.n01";
                return Err(error(Fault::expected(expected, shown(text.trim().as_bytes()))));
            }
        };
        // Tasks of one node have one address.
        let switches = names(switches);
        let switches: Vec<&str> = switches.iter().map(String::as_str).collect();
        paths.add(node, &switches, None).map_err(error)?;
    }
    let mut warnings = Warnings::new();
    let network = paths.network(&mut warnings);
    match network.hosts.is_empty() {
        true => Err(source.error(Fault::expected("addresses such as core.leaf1.n01", "none"))),
        false => Ok((network, warnings)),
    }
}

/// What a line says.
enum Entry<'a> {
    Nothing,
    Node {
        node: &'a str,
        switches: &'a str,
    },
    Address(&'a str),
    /// Something else.
    Other,
}

fn entry(line: &str) -> Entry<'_> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') || line.contains("SLURM_TOPOLOGY_ADDR_PATTERN") {
        return Entry::Nothing;
    }
    let (before, address) = match line.rsplit_once(char::is_whitespace) {
        Some((before, address)) => (before.trim().trim_end_matches(':'), address),
        None => ("", line),
    };
    let address =
        address.strip_prefix(VARIABLE).and_then(|rest| rest.strip_prefix('=')).unwrap_or(address);
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-[],".contains(letter);
    if !address.contains('.') || !address.chars().all(fits) || address.split('.').any(str::is_empty)
    {
        return Entry::Other;
    }
    // Launchers may put the number of the task before the line.
    let before = match before.split_once(char::is_whitespace) {
        Some((task, node)) if task.trim_end_matches(':').parse::<u32>().is_ok() => node.trim(),
        _ => before,
    };
    if before.is_empty() || before.parse::<u32>().is_ok() {
        return Entry::Address(address);
    }
    let short = before.split('.').next().unwrap_or(before);
    let of = |node: &str| address.strip_suffix(node).and_then(|rest| rest.strip_suffix('.'));
    match of(before).or_else(|| of(short)) {
        Some(switches) => Entry::Node { node: before, switches },
        None => Entry::Other,
    }
}

/// The names of switches. Some tools call them `switch.2.1`, with dots inside the name.
fn names(address: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let words: Vec<&str> = address.split('.').filter(|word| !word.is_empty()).collect();
    let mut rest = &words[..];
    while let Some((first, after)) = rest.split_first() {
        match rest {
            ["switch", tier, number, after @ ..]
                if tier.parse::<u32>().is_ok() && number.parse::<u32>().is_ok() =>
            {
                names.push(format!("switch.{tier}.{number}"));
                rest = after;
            }
            _ => {
                names.push(first.to_string());
                rest = after;
            }
        }
    }
    names
}
