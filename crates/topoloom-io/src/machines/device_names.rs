//! Maps of GUIDs to names, which sites keep because many devices do not tell theirs.
//!
//! `docs/machines.md` shows both forms.

use std::collections::HashMap;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;

/// Names of adapters and switches by their GUIDs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceNames {
    by_guid: HashMap<u64, String>,
}

impl DeviceNames {
    /// The name of a device.
    pub fn get(&self, guid: u64) -> Option<&str> {
        self.by_guid.get(&guid).map(String::as_str)
    }

    /// How many devices have a name.
    pub fn len(&self) -> usize {
        self.by_guid.len()
    }

    /// Whether no device has a name.
    pub fn is_empty(&self) -> bool {
        self.by_guid.is_empty()
    }

    /// Adds the names of another map. Its names count more.
    pub fn extend(&mut self, other: DeviceNames) {
        self.by_guid.extend(other.by_guid);
    }
}

/// Whether the content of a file is a map of GUIDs to names.
pub fn is_device_names(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first.and_then(|line| std::str::from_utf8(line).ok()).is_some_and(|line| entry(line).is_some())
}

/// Reads a map of GUIDs to names: the content `bytes` of a file called `name`.
///
/// ```
/// let text = b"H-003048c74e4a0000 n1\n0x0002c902004827b0 \"leaf 1\"\n";
/// let names = topoloom_io::machines::parse_device_names("names.map", text).unwrap();
/// assert_eq!(names.get(0x0002_c902_0048_27b0), Some("leaf 1"));
/// ```
pub fn parse_device_names(name: &str, bytes: &[u8]) -> Result<DeviceNames, ReadError> {
    let source = Source::new(name, bytes);
    let mut names = DeviceNames::default();
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let Some((guid, name)) = entry(text) else {
            let expected = "a GUID and a name, such as H-0002c90300000001 n1 or \
                            0x0002c90300000001 \"n1 mlx5_0\"";
            return Err(error(Fault::expected(expected, shown(text.as_bytes()))));
        };
        if names.by_guid.insert(guid, name.to_string()).is_some() {
            return Err(error(Fault::Repeated(format!("GUID {guid:016x} appears twice"))));
        }
    }
    match names.is_empty() {
        true => Err(source.error(Fault::expected("GUIDs and names", "none"))),
        false => Ok(names),
    }
}

/// The GUID and the name of a line.
fn entry(line: &str) -> Option<(u64, &str)> {
    /// Shorter numbers are something else, such as addresses in forwarding tables.
    const DIGITS: std::ops::RangeInclusive<usize> = 8..=16;
    const STARTS: [&str; 4] = ["0x", "H-", "S-", "R-"];
    let (guid, name) = line.split_once(char::is_whitespace)?;
    let digits = STARTS.iter().find_map(|start| guid.strip_prefix(start))?;
    let is_guid = DIGITS.contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let guid = is_guid.then(|| u64::from_str_radix(digits, 16).ok())??;
    // What follows the closing quote is a comment.
    let name = match name.trim().strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        None => name,
    };
    let name = name.trim();
    (!name.is_empty()).then_some((guid, name))
}
