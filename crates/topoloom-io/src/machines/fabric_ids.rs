//! NVLink domains of hosts: what `nvidia-smi --query-gpu=fabric.clusterUuid,fabric.cliqueId` prints,
//! gathered from several hosts.
//!
//! `pdsh` and `clush` put the host before each line. GPUs with the same UUID and clique reach each
//! other over NVLink.

use std::collections::HashMap;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::host_list::LONGEST_NAME;
use crate::text::number::shown;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Names of the columns that matter, in lower case.
const UUID: &str = "fabric.clusteruuid";
const CLIQUE: &str = "fabric.cliqueid";

/// Whether the content of a file is such a list.
pub fn is_fabric_ids(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let Some(Ok(first)) = first.map(std::str::from_utf8) else { return false };
    is_heading(first) || Columns::default().entry(first).is_some()
}

/// Hosts with their NVLink domains, from the content `bytes` of a file called `name`.
///
/// ```
/// let text = b"n1: 9f0c1e5a-0000-4000-8000-000000000001, 7\n";
/// let (domains, _) = topoloom_io::machines::parse_fabric_ids("fabric.csv", text).unwrap();
/// assert_eq!(domains[0].1, "9f0c1e5a-0000-4000-8000-000000000001.7");
/// ```
pub fn parse_fabric_ids(
    name: &str,
    bytes: &[u8],
) -> Result<(Vec<(String, String)>, Warnings), ReadError> {
    let source = Source::new(name, bytes);
    let mut columns = Columns::default();
    let mut domains: Vec<(String, String)> = Vec::new();
    let mut place_of: HashMap<String, usize> = HashMap::new();
    let (mut without, mut nameless) = (0, None);
    for (number, line) in source.lines() {
        let error = |fault: Fault| source.error_in_line(number, fault);
        let text = std::str::from_utf8(line).map_err(|_| error(Fault::wanted("UTF-8 text")))?;
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if is_heading(text) {
            columns = Columns::of(text).map_err(error)?;
            continue;
        }
        let wrong = || {
            let expected = "a host, a UUID and a clique, such as \
                            n01: 9f0c1e5a-0000-4000-8000-000000000001, 1";
            Fault::expected(expected, shown(text.as_bytes()))
        };
        let (host, domain) = columns.entry(text).ok_or_else(|| error(wrong()))?;
        if domain.is_empty() {
            without += 1;
            continue;
        }
        if host.is_empty() {
            nameless.get_or_insert(number);
            continue;
        }
        match place_of.get(host).map(|&place| &domains[place].1) {
            Some(known) if *known != domain => {
                let fault = Fault::Contradiction(format!(
                    "GPUs of host {host} are in the NVLink domains {known} and {domain}"
                ));
                return Err(error(fault));
            }
            Some(_) => {}
            None => {
                place_of.insert(host.to_string(), domains.len());
                domains.push((host.to_string(), domain));
            }
        }
    }
    if let Some(number) = nameless {
        let fault = Fault::Missing(
            "the host is missing: gather the lines with pdsh or clush, which put it before each"
                .into(),
        );
        return Err(source.error_in_line(number, fault));
    }
    if domains.is_empty() {
        let fault = match without {
            0 => Fault::expected("hosts with fabric UUIDs and cliques", "none"),
            _ => Fault::Missing(
                "no NVLink domain: every GPU answers N/A, so NVLink ends inside each host, and \
                 this file is not needed"
                    .into(),
            ),
        };
        return Err(source.error(fault));
    }
    let mut warnings = Warnings::new();
    if domains.iter().all(|(host, _)| host.bytes().all(|letter| letter.is_ascii_digit())) {
        warnings.push(
            "all hosts are numbers: srun -l writes numbers of tasks, not hosts; use pdsh or clush, \
             or let each task print $SLURMD_NODENAME first"
                .to_string(),
        );
    }
    Ok((domains, warnings))
}

/// Whether a line names columns.
fn is_heading(line: &str) -> bool {
    line.to_ascii_lowercase().contains(UUID)
}

/// Where UUID and clique are in a line.
struct Columns {
    uuid: usize,
    clique: usize,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns { uuid: 0, clique: 1 }
    }
}

impl Columns {
    fn of(heading: &str) -> Result<Columns, Fault> {
        let heading = heading.to_ascii_lowercase();
        let names: Vec<&str> = heading.split(',').map(str::trim).collect();
        // A host may be before the first name.
        let find = |name: &str| {
            let at = names.iter().position(|column| column.ends_with(name));
            at.ok_or_else(|| Fault::expected(format!("a column {name}"), "none"))
        };
        Ok(Columns { uuid: find(UUID)?, clique: find(CLIQUE)? })
    }

    /// The host of a line, if it names one, and its domain: an empty one if it has none. Nothing if
    /// the line is something else.
    fn entry<'a>(&self, line: &'a str) -> Option<(&'a str, String)> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let (first, rest) = fields.split_first()?;
        let (host, first) = split_host(first);
        let field = |at: usize| if at == 0 { Some(first) } else { rest.get(at - 1).copied() };
        let (uuid, clique) = (field(self.uuid)?, field(self.clique)?);
        if uuid == "N/A" || uuid == "[N/A]" || uuid == "[Not Supported]" {
            return Some((host, String::new()));
        }
        let is_hex = |part: &&str| part.bytes().all(|letter| letter.is_ascii_hexdigit());
        let lengths: Vec<usize> = uuid.split('-').filter(is_hex).map(str::len).collect();
        let is_clique = clique.parse::<u32>().is_ok();
        let is_host = host.len() <= LONGEST_NAME
            && host.chars().all(|letter| letter.is_ascii_alphanumeric() || "._-".contains(letter));
        if lengths != [8, 4, 4, 4, 12] || !is_clique || !is_host {
            return None;
        }
        // The driver writes zeros before it has joined a domain.
        let is_zero = uuid.bytes().all(|letter| letter == b'0' || letter == b'-');
        let domain = if is_zero { String::new() } else { format!("{uuid}.{clique}") };
        Some((host, domain))
    }
}

/// The host before the first field, if there is one: `n01: UUID` or `n01 UUID`.
fn split_host(field: &str) -> (&str, &str) {
    match field.rsplit_once(char::is_whitespace) {
        Some((before, field)) => {
            // The number of a task may be before the host.
            let host = before.split_whitespace().next_back().unwrap_or_default();
            (host.trim_end_matches(':'), field)
        }
        None => ("", field),
    }
}
