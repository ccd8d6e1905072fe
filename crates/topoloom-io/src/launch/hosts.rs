//! The hosts of an allocation as the user names them: a list, or a file with one host a line.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::error::ReadError;
use crate::host_list::{self, ListedHost};
use crate::source::Source;

/// More than any cluster has; a wrong digit must not ask for all memory.
const MOST_HOSTS: usize = 1 << 20;

/// The hosts that `text` names: a file of that name, else a list such as `n[01-16]:4,login`.
pub fn read_hosts(text: &str) -> Result<Vec<ListedHost>, ReadError> {
    let path = Path::new(text);
    // A list has no slash, and a name without any is a file only if there is one.
    if path.is_file() || text.contains('/') {
        let bytes = fs::read(path).map_err(|error| ReadError::cannot_read(path, &error))?;
        return parse_host_file(text, &bytes);
    }
    let wrong = |message| ReadError { file: "--hosts".to_string(), line: None, message };
    host_list::parse(text).map_err(wrong)
}

/// The hosts of a file called `name`: `n01`, `n01:4` or `n01 slots=4` a line, comments after `#`.
/// Lines that name a host again add to its slots; where there are such lines without a number, each
/// line without one is a slot, as in the files of batch systems.
pub fn parse_host_file(name: &str, bytes: &[u8]) -> Result<Vec<ListedHost>, ReadError> {
    let source = Source::new(name, bytes);
    let mut hosts: Vec<ListedHost> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let (mut total, mut a_line_a_slot) = (0, false);
    for (line_number, line) in source.lines() {
        let listed = hosts_of_line(&String::from_utf8_lossy(line))
            .map_err(|message| source.error_in_line(line_number, message))?;
        total += listed.len();
        if total > MOST_HOSTS {
            let message = format!("more than {MOST_HOSTS} hosts");
            return Err(source.error_in_line(line_number, message));
        }
        for host in listed {
            let Some(&first) = seen.get(&host.name) else {
                seen.insert(host.name.clone(), hosts.len());
                hosts.push(host);
                continue;
            };
            let slots = |host: &ListedHost| host.slots.unwrap_or(1);
            a_line_a_slot |= host.slots.is_none();
            hosts[first].slots = Some(slots(&hosts[first]).saturating_add(slots(&host)));
        }
    }
    if a_line_a_slot {
        hosts.iter_mut().for_each(|host| host.slots = host.slots.or(Some(1)));
    }
    match hosts.is_empty() {
        true => Err(source.error("expected hosts, one a line, found none")),
        false => Ok(hosts),
    }
}

fn hosts_of_line(line: &str) -> Result<Vec<ListedHost>, String> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let Some(list) = words.next() else { return Ok(Vec::new()) };
    let mut listed = host_list::parse(list)?;
    for word in words {
        let slots = word.strip_prefix("slots=").and_then(|number| number.parse::<u32>().ok());
        match slots.filter(|&slots| slots > 0) {
            Some(slots) => listed.iter_mut().for_each(|host| host.slots = Some(slots)),
            // Open MPI's files say more of a host, which is no matter here.
            None if word.starts_with("max_slots=") || word.starts_with("max-slots=") => {}
            None => return Err(format!("expected slots=4 or the like, found \"{word}\"")),
        }
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_file_takes_slots_in_each_of_their_forms_and_adds_up_lines() {
        let read = |text: &str| -> Vec<(String, Option<u32>)> {
            let hosts = parse_host_file("hosts", text.as_bytes()).unwrap();
            hosts.into_iter().map(|host| (host.name, host.slots)).collect()
        };
        let n = |name: &str, slots| (name.to_string(), slots);
        let text = "# two racks\nn01:4\nn02 slots=2 max_slots=8 # slow\nn01:1\n\nn[04-05]\n";
        let expected = [n("n01", Some(5)), n("n02", Some(2)), n("n04", None), n("n05", None)];
        assert_eq!(read(text), expected);
        // A line a slot.
        assert_eq!(read("a\na\nb\na\n"), [n("a", Some(3)), n("b", Some(1))]);
    }

    #[test]
    fn what_is_no_host_is_named_with_its_line() {
        let refusal =
            |text: &str| parse_host_file("hosts", text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            refusal("n1\nn2 cores=4\n"),
            "hosts:2: expected slots=4 or the like, found \"cores=4\""
        );
        assert_eq!(refusal("n1\nn[2\n"), "hosts:2: \"[\" without \"]\" in \"n[2\"");
        assert_eq!(refusal("# none\n"), "hosts: expected hosts, one a line, found none");
        let missing = read_hosts("no/such/file").unwrap_err().to_string();
        assert!(missing.starts_with("no/such/file: cannot read"), "{missing}");
        assert_eq!(read_hosts("n[1-2]").unwrap().len(), 2);
    }
}
