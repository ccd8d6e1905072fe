//! The order of adapters for which OpenSM's `ftree` makes shifts free of conflicts:
//! `opensm-ftree-ca-order.dump`, with lines such as `0x0004<TAB>n001 mlx5_0`.

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::host_list::ListedHost;
use crate::text::number::shown;
use crate::text::source::Source;

fn is_address(word: &str) -> bool {
    word.strip_prefix("0x").is_some_and(|digits| u32::from_str_radix(digits, 16).is_ok())
}

/// The host of a line, if it has this form.
fn host_of(line: &[u8]) -> Option<&str> {
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    words.next().filter(|word| is_address(word))?;
    words.next().filter(|host| !host.contains([',', ':', '[', ']', '=']))
}

/// Whether the content of a file is such an order.
pub fn is_adapter_order(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    lines.find(|line| !line.is_empty()).is_some_and(|line| host_of(line).is_some())
}

/// The hosts in this order, each where its first adapter is.
pub fn parse_adapter_order(name: &str, bytes: &[u8]) -> Result<Vec<ListedHost>, ReadError> {
    let source = Source::new(name, bytes);
    let mut known = std::collections::HashSet::new();
    let mut hosts = Vec::new();
    for (number, line) in source.lines() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let expected = "an address and an adapter such as 0x0004 n001 mlx5_0";
        let wrong = || source.error_in_line(number, Fault::expected(expected, shown(line)));
        let name = host_of(line).ok_or_else(wrong)?.to_string();
        if known.insert(name.clone()) {
            hosts.push(ListedHost { name, slots: None });
        }
    }
    Ok(hosts)
}
