//! Reports of a probe: where each rank of a job is, and what its node looks like.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use topoloom_core::cluster::{Hardware, Object, ObjectKind};
use topoloom_recorder::layout::probe::{
    COMMAND, CPUS, FIRST_LINE, HOST, NODE_ENDING, PROCESS, RANK, RANK_ENDING, STARTER, VARIABLE,
};

use crate::machines::{KeptFiles, detect};
use crate::text::cpu_list;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;

/// What one process reported about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedRank {
    /// The rank that the launcher gave it.
    pub rank: u32,
    /// The name of its host, as that host knows it.
    pub host: String,
    /// The CPUs that it may run on, in ascending order.
    pub cpus: Vec<u32>,
    /// The environment variable that gave its rank.
    pub variable: String,
    /// The number of the process.
    pub process: u32,
    /// What it runs; empty if it did not say.
    pub command: Vec<String>,
    /// The name of the program that started it and its siblings; empty if it did not say.
    pub starter: String,
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    /// The ranks in ascending order. A rank occurs several times if several jobs were started.
    pub ranks: Vec<ProbedRank>,
    /// The system files that describe each host, one per line: the path, a tab and the content,
    /// with line breaks as `\n` and backslashes as `\\`.
    pub nodes: BTreeMap<String, String>,
}

impl Probe {
    /// What is inside a host; none if its files do not say.
    pub fn hardware_of(&self, host: &str) -> Option<Hardware> {
        let files = KeptFiles::parse(self.nodes.get(host)?).ok()?;
        detect(&files).ok()
    }

    /// The CPUs of each core of a host in the order of the hardware; none if its files do not say.
    pub fn cores_of(&self, host: &str) -> Option<Vec<Vec<u32>>> {
        let mut cores = Vec::new();
        add_cores(&self.hardware_of(host)?.node, &mut cores);
        (!cores.is_empty()).then_some(cores)
    }
}

fn add_cores(part: &Object, cores: &mut Vec<Vec<u32>>) {
    match part.kind {
        ObjectKind::Core => cores.push(part.cpus()),
        _ => part.children.iter().for_each(|inside| add_cores(inside, cores)),
    }
}

/// Reads what the ranks of a probe have left in a folder.
pub fn read_probe(folder: impl AsRef<Path>) -> Result<Probe, ReadError> {
    let folder = folder.as_ref();
    let unreadable = |error| ReadError::cannot_read(folder, &error);
    let mut probe = Probe::default();
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut files = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    files.sort();
    for file in files {
        let ending = file.extension().and_then(|ending| ending.to_str());
        let read = || fs::read(&file).map_err(|error| ReadError::cannot_read(&file, &error));
        if ending == Some(RANK_ENDING) {
            probe.ranks.push(parse_report(&file.display().to_string(), &read()?)?);
        } else if let Some((host, text)) = read_node(&file)? {
            probe.nodes.insert(host, text);
        }
    }
    probe.ranks.sort_by_key(|rank| (rank.rank, rank.process));
    Ok(probe)
}

/// The name of a host and its own description, if this file holds one.
pub(crate) fn read_node(file: &Path) -> Result<Option<(String, String)>, ReadError> {
    if file.extension().is_none_or(|ending| ending != NODE_ENDING) {
        return Ok(None);
    }
    let bytes = fs::read(file).map_err(|error| ReadError::cannot_read(file, &error))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = text.lines().find_map(|line| line.strip_prefix("/proc/sys/kernel/hostname\t"));
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = name.map_or(&*stem, |name| name.trim_end_matches("\\n")).to_string();
    Ok(Some((name, text)))
}

/// Reads the report `bytes` of a rank, a file called `name`.
fn parse_report(name: &str, bytes: &[u8]) -> Result<ProbedRank, ReadError> {
    let source = Source::new(name, bytes);
    let mut lines = source.lines();
    if lines.next().is_none_or(|(_, line)| line.trim_ascii_end() != FIRST_LINE.as_bytes()) {
        return Err(source
            .error(Fault::WrongInput(format!("not a report: expected \"{FIRST_LINE}\" first"))));
    }
    let mut fields: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (number, line) in lines {
        let text = std::str::from_utf8(line)
            .map_err(|_| source.error_in_line(number, Fault::expected("text", shown(line))))?;
        let (word, value) = text.trim_end().split_once(' ').unwrap_or((text.trim_end(), ""));
        fields.insert(word, (number, value));
    }
    let field = |word: &str| {
        fields
            .get(word)
            .copied()
            .ok_or_else(|| source.error(Fault::Missing(format!("\"{word}\" is missing"))))
    };
    let number = |word: &str| {
        let (line, value) = field(word)?;
        value.parse::<u32>().map_err(|_| {
            let found = shown(value.as_bytes());
            source.error_in_line(line, Fault::expected("a whole number", found))
        })
    };
    let (line, cpus) = field(CPUS)?;
    Ok(ProbedRank {
        rank: number(RANK)?,
        host: field(HOST)?.1.to_string(),
        cpus: cpu_list::parse(cpus).map_err(|error| source.error_in_line(line, error))?,
        variable: field(VARIABLE)?.1.to_string(),
        process: number(PROCESS)?,
        command: fields.get(COMMAND).map_or_else(Vec::new, |(_, words)| {
            words.split(' ').filter(|word| !word.is_empty()).map(decoded).collect()
        }),
        starter: fields.get(STARTER).map_or_else(String::new, |(_, name)| decoded(name)),
    })
}

/// Decodes a word that has %XX for invisible characters.
fn decoded(word: &str) -> String {
    if word == "%" {
        return String::new();
    }
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits
            .filter(|_| *first == b'%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_where_a_rank_is() {
        let text =
            b"topoloom-probe 1\nrank 3\nhost n01\ncpus 0-1,8\nvariable PMI_RANK\nprocess 77\n";
        let rank = parse_report("3.rank", text).unwrap();
        assert_eq!((rank.rank, &rank.host[..], &rank.cpus[..]), (3, "n01", &[0, 1, 8][..]));
        let wrong = |text: &[u8]| parse_report("3.rank", text).unwrap_err().to_string();
        assert_eq!(wrong(b""), "3.rank: not a report: expected \"topoloom-probe 1\" first");
        assert_eq!(
            wrong(b"topoloom-probe 1\nrank x\nhost a\ncpus 0\n"),
            "3.rank:2: expected a whole number, found \"x\""
        );
        assert_eq!(wrong(b"topoloom-probe 1\nrank 0\n"), "3.rank: \"cpus\" is missing");
    }

    #[test]
    fn cores_come_by_their_first_cpus_and_with_all_their_threads() {
        // CPUs 0 and 2 are threads of one core of package 1; CPUs 1 and 3 of one of package 0.
        let mut text = "/sys/devices/system/cpu/online\t0-3\\n\n".to_string();
        for (cpu, package) in [(0, 1), (1, 0), (2, 1), (3, 0)] {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            let (first, second) = (cpu % 2, cpu % 2 + 2);
            text +=
                &format!("{folder}/physical_package_id\t{package}\\n\n{folder}/core_id\t0\\n\n");
            text += &format!("{folder}/core_cpus_list\t{first},{second}\\n\n");
        }
        let mut probe = Probe::default();
        probe.nodes.insert("a".to_string(), text.clone());
        assert_eq!(probe.cores_of("a").unwrap(), [[0, 2], [1, 3]]);
        assert_eq!(probe.cores_of("b"), None);
        text += "/proc/self/status\tCpus_allowed_list:\t0-2\\n\n";
        probe.nodes.insert("a".to_string(), text);
        assert_eq!(probe.cores_of("a").unwrap(), [vec![0, 2], vec![1]]);
    }
}
