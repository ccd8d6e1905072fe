//! Forwarding tables of InfiniBand switches, in the forms in which OpenSM, `dump_fts`, `ibroute` and
//! `ibdiagnet` write them.
//!
//! `docs/machines.md` shows the forms.

use std::collections::HashMap;

use topoloom_core::cluster::{SwitchTables, Tables};

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;

/// Whether the content of a file is forwarding tables.
pub fn is_forwarding_tables(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.and_then(|line| std::str::from_utf8(line).ok()).is_some_and(|line| switch(line).is_some())
}

/// Reads forwarding tables: the content `bytes` of a file called `name`.
///
/// ```
/// let text = b"Unicast lids [0-4] of switch Lid 3 guid 0xa1 ('leaf'):\n0x0004 001 # 'n1 mlx5_0'\n";
/// let tables = topoloom_io::machines::parse_forwarding_tables("lfts.dump", text).unwrap();
/// assert_eq!(tables.switches[0].1[4], 1);
/// ```
pub fn parse_forwarding_tables(name: &str, bytes: &[u8]) -> Result<SwitchTables, ReadError> {
    let source = Source::new(name, bytes);
    let mut tables = SwitchTables::default();
    let mut number_of: HashMap<u64, usize> = HashMap::new();
    let mut at = None;
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        let text = text.trim();
        if let Some(guid) = switch(text) {
            let next = tables.switches.len();
            if number_of.insert(guid, next).is_some() {
                let twice = format!("the table of switch 0x{guid:x} appears twice");
                return Err(error(Fault::Repeated(twice)));
            }
            tables.switches.push((guid, Vec::new()));
            at = Some(next);
        } else if text.starts_with("0x") {
            let Some(at) = at else {
                return Err(error(Fault::Malformed("an entry before its switch".into())));
            };
            let (address, port) = entry(text).map_err(error)?;
            let table = &mut tables.switches[at].1;
            if table.len() <= usize::from(address) {
                table.resize(usize::from(address) + 1, Tables::NO_PORT);
            }
            table[usize::from(address)] = port.unwrap_or(Tables::NO_PORT);
        } else if !is_heading(text) {
            return Err(error(Fault::expected(
                "a switch or an entry such as 0x0004 001",
                shown(text.as_bytes()),
            )));
        }
    }
    match tables.switches.is_empty() {
        true => Err(source.error(Fault::expected("tables of switches", "none"))),
        false => Ok(tables),
    }
}

/// The GUID in the heading of a switch's table: after ` guid ` or, in `fdbs` files, after `Switch `.
fn switch(line: &str) -> Option<u64> {
    let rest = match line.starts_with("Unicast lids") {
        true => line.split_once(" guid 0x")?.1,
        false => {
            let (start, rest) = line.split_once("Switch 0x")?;
            let is_dump = start.is_empty() || start.ends_with("dump_ucast_routes: ");
            is_dump.then_some(rest)?
        }
    };
    let end = rest.find(|letter: char| !letter.is_ascii_hexdigit()).unwrap_or(rest.len());
    u64::from_str_radix(&rest[..end], 16).ok()
}

/// An address and the port for it; none if it is marked as unreachable.
fn entry(line: &str) -> Result<(u16, Option<u8>), Fault> {
    let wrong =
        || Fault::expected("an address and a port, such as 0x0004 001", shown(line.as_bytes()));
    let mut words = line.split(|letter: char| letter.is_whitespace() || letter == ':');
    let mut words = words.by_ref().filter(|word| !word.is_empty());
    let address = words.next().and_then(|word| word.strip_prefix("0x"));
    let address = address.and_then(|word| u16::from_str_radix(word, 16).ok()).ok_or_else(wrong)?;
    match words.next() {
        Some("UNREACHABLE") => Ok((address, None)),
        Some(port) => Ok((address, Some(port.parse().map_err(|_| wrong())?))),
        None => Err(wrong()),
    }
}

/// Lines that carry nothing: headings, totals, comments.
fn is_heading(line: &str) -> bool {
    const STARTS: [&str; 5] = ["#", "Lid", "LID", "Port", "Multicast"];
    line.is_empty()
        || STARTS.iter().any(|start| line.starts_with(start))
        || line.ends_with("valid lids dumped")
        || line.ends_with("lids dumped")
}
