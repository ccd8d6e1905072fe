//! Files with one host per line, as MPI launchers and batch systems use them.

use std::collections::HashMap;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::host_list::{self, ListedHost};
use crate::text::number::shown;
use crate::text::source::Source;

/// More than any cluster has, over all lines. A typing error must not use up all memory.
const MOST_LINES: usize = 1 << 20;

/// What may follow the hosts of a line.
const DETAILS: [&str; 5] = ["max_slots", "max-slots", "ifname", "binding", "user"];

/// How often a host was listed.
#[derive(Default)]
struct Mentions {
    /// The sum of the lines with a number of slots.
    slots: u32,
    /// How many lines had such a number.
    numbered: u32,
    /// How many had none.
    plain: u32,
}

/// The hosts of a file called `name`: one `n01`, `n01:4` or `n01 slots=4` per line, with comments
/// after `#`.
pub fn parse_host_file(name: &str, bytes: &[u8]) -> Result<Vec<ListedHost>, ReadError> {
    parse(&Source::new(name, bytes))
}

/// The hosts of a file, in the order of their first lines.
pub(super) fn parse(source: &Source<'_>) -> Result<Vec<ListedHost>, ReadError> {
    let mut names: Vec<String> = Vec::new();
    let mut number_of: HashMap<String, usize> = HashMap::new();
    let mut mentions: Vec<Mentions> = Vec::new();
    let mut total = 0;
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let listed = hosts_of_line(line).map_err(error)?;
        total += listed.len();
        if total > MOST_LINES {
            return Err(error(Fault::TooLarge(format!("more than {MOST_LINES} hosts"))));
        }
        for host in listed {
            let at = *number_of.entry(host.name.clone()).or_insert_with(|| {
                names.push(host.name);
                mentions.push(Mentions::default());
                names.len() - 1
            });
            let mention = &mut mentions[at];
            match host.slots {
                Some(slots) => {
                    mention.slots = mention.slots.saturating_add(slots);
                    mention.numbered += 1;
                }
                None => mention.plain += 1,
            }
        }
    }
    if names.is_empty() {
        return Err(source.error(Fault::expected("hosts, one per line", "none")));
    }
    // If any host has several plain lines, each plain line is one slot, as in PBS's files.
    let a_line_a_slot = mentions.iter().any(|mention| mention.plain > 1);
    let host = |(name, mention): (String, Mentions)| {
        let counts = a_line_a_slot || mention.numbered > 0;
        let slots = mention.slots.saturating_add(mention.plain);
        ListedHost { name, slots: counts.then_some(slots) }
    };
    Ok(names.into_iter().zip(mentions).map(host).collect())
}

/// The hosts of a line, such as `n[01-16]:4` or `n01 slots=4 max_slots=8`.
fn hosts_of_line(line: &[u8]) -> Result<Vec<ListedHost>, Fault> {
    let end = line.iter().position(|&byte| byte == b'#').unwrap_or(line.len());
    let line = line[..end].trim_ascii();
    let text = std::str::from_utf8(line).map_err(|_| Fault::wanted("UTF-8 text"))?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    // Open MPI allows blanks around the sign.
    let text = text.split('=').map(str::trim).collect::<Vec<&str>>().join("=");
    // Prose is not a list of hosts: several on a line are numbered or the same, as in LSB_HOSTS.
    let words: Vec<&str> = text.split_whitespace().filter(|word| !word.contains('=')).collect();
    let is_numbered = |word: &&str| word.contains(|letter: char| letter.is_ascii_digit());
    let are_alike = words.windows(2).all(|pair| pair[0] == pair[1]);
    if !are_alike && !words.iter().all(is_numbered) {
        return Err(Fault::expected("one host per line", shown(text.as_bytes())));
    }
    let mut slots = None;
    let mut hosts = Vec::new();
    for word in text.split_whitespace() {
        match word.split_once('=') {
            Some(("slots" | "count" | "cpu", number)) => {
                let number = number.parse::<u32>().ok().filter(|&number| number > 0);
                let wrong = || Fault::expected("slots such as slots=4", format!("\"{word}\""));
                if slots.replace(number.ok_or_else(wrong)?).is_some() {
                    return Err(Fault::Repeated("slots are given twice".into()));
                }
            }
            Some((detail, _)) if DETAILS.contains(&detail) => {}
            Some((detail, _)) => {
                return Err(Fault::unknown(
                    format!("{} after a host", shown(detail.as_bytes())),
                    format!("slots, {}", DETAILS.join(", ")),
                ));
            }
            None => {
                if hosts.len() > MOST_LINES {
                    return Err(Fault::TooLarge(format!("more than {MOST_LINES} hosts")));
                }
                hosts.extend(host_list::parse(word)?);
            }
        }
    }
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    // A number alone is a value of a table, and four are an address.
    let is_more_than_a_number = |name: &str| {
        name.contains(|letter: char| letter.is_ascii_alphabetic()) || name.split('.').count() == 4
    };
    let is_host = |name: &str| name.chars().all(fits) && is_more_than_a_number(name);
    if let Some(host) = hosts.iter().find(|host| !is_host(&host.name)) {
        return Err(Fault::expected("the name of a host", shown(host.name.as_bytes())));
    }
    match (slots, hosts.iter().any(|host| host.slots.is_some())) {
        (_, _) if hosts.is_empty() => Err(Fault::expected("the name of a host", "none")),
        (Some(_), true) => Err(Fault::Repeated("slots are given twice".into())),
        (Some(slots), false) => {
            hosts.iter_mut().for_each(|host| host.slots = Some(slots));
            Ok(hosts)
        }
        (None, _) => Ok(hosts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        let hosts = parse_host_file("hosts", text.as_bytes()).map_err(|error| error.to_string())?;
        Ok(hosts.into_iter().map(|host| host.name).collect())
    }

    #[test]
    fn several_hosts_may_share_a_line_if_they_are_numbered_or_the_same() {
        assert_eq!(names("n1 n2\n").unwrap(), ["n1", "n2"]);
        assert_eq!(names("login login\n").unwrap(), ["login"]);
        assert_eq!(names("login slots=4 max_slots=8\n10.0.0.7\n").unwrap(), ["login", "10.0.0.7"]);
    }

    #[test]
    fn prose_and_tables_are_not_lists_of_hosts() {
        let prose = names("hello world this is text\n").unwrap_err();
        assert_eq!(
            prose,
            "hosts:1: expected one host per line, found \"hello world this is text\""
        );
        let table = names("src,dst,weight\n0,1,5\n").unwrap_err();
        assert_eq!(table, "hosts:2: expected the name of a host, found \"0\"");
    }
}
