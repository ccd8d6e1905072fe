//! Reports of a probe: where each rank of a job is, and what its node looks like.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use topoloom_recorder::layout::probe::{
    COMMAND, CPUS, FIRST_LINE, HOST, NODE_ENDING, PROCESS, RANK, RANK_ENDING, VARIABLE,
};

use crate::cpu_list;
use crate::error::ReadError;
use crate::number::shown;
use crate::source::Source;

/// What one process said of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedRank {
    /// The rank that the launcher gave it.
    pub rank: u32,
    /// The name of its host, as that host knows it.
    pub host: String,
    /// The CPUs that it may run on, rising.
    pub cpus: Vec<u32>,
    /// The environment variable that told its rank.
    pub variable: String,
    /// The number of the process.
    pub process: u32,
    /// What it runs; nothing where it did not say.
    pub command: Vec<String>,
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Probe {
    /// The ranks, rising. A rank is there several times if several jobs were started.
    pub ranks: Vec<ProbedRank>,
    /// The files of the system that describe each host: a line for each, the path, a tab and the
    /// content, with line breaks as `\n` and backslashes as `\\`.
    pub nodes: BTreeMap<String, String>,
}

impl Probe {
    /// The CPUs of each core of a host in the order of the hardware: by package, then by core.
    /// None where the host does not tell.
    pub fn cores_of(&self, host: &str) -> Option<Vec<Vec<u32>>> {
        let mut packages: BTreeMap<u32, u32> = BTreeMap::new();
        let mut cores: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        let mut dies: BTreeMap<u32, u32> = BTreeMap::new();
        let mut usable = None;
        for line in self.nodes.get(host)?.lines() {
            let (path, content) = line.split_once('\t')?;
            let content = content.trim_end_matches("\\n").trim();
            if path == "/proc/self/status" {
                let list = content.strip_prefix("Cpus_allowed_list:");
                usable = list.and_then(|list| cpu_list::parse(list).ok());
                continue;
            }
            let Some((cpu, file)) = topology_file(path) else { continue };
            let number = content.parse::<u32>().ok();
            match file {
                "physical_package_id" => packages.extend(number.map(|number| (cpu, number))),
                "die_id" => dies.extend(number.map(|number| (cpu, number))),
                // The first CPU of a core stands for it where numbers of cores come again.
                "core_id" => cores.entry(cpu).or_default().0 = number.unwrap_or(0),
                "core_cpus_list" | "thread_siblings_list" => {
                    let first =
                        cpu_list::parse(content).ok().and_then(|cpus| cpus.first().copied());
                    cores.entry(cpu).or_default().1 = first.unwrap_or(cpu);
                }
                _ => {}
            }
        }
        let mut found: BTreeMap<(u32, u32, u32, u32), Vec<u32>> = BTreeMap::new();
        for (&cpu, &(core, first)) in &cores {
            if usable.as_ref().is_none_or(|usable| usable.contains(&cpu)) {
                let package = packages.get(&cpu).copied().unwrap_or(0);
                let die = dies.get(&cpu).copied().unwrap_or(0);
                found.entry((package, die, core, first)).or_default().push(cpu);
            }
        }
        (!found.is_empty()).then(|| found.into_values().collect())
    }
}

/// The CPU and the name of a file such as `/sys/devices/system/cpu/cpu3/topology/core_id`.
fn topology_file(path: &str) -> Option<(u32, &str)> {
    let rest = path.strip_prefix("/sys/devices/system/cpu/cpu")?;
    let (cpu, file) = rest.split_once("/topology/")?;
    Some((cpu.parse().ok()?, file))
}

/// Reads what the ranks of a probe have left in a folder.
pub fn read_probe(folder: &Path) -> Result<Probe, ReadError> {
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
        } else if ending == Some(NODE_ENDING) {
            let text = String::from_utf8_lossy(&read()?).into_owned();
            let name =
                text.lines().find_map(|line| line.strip_prefix("/proc/sys/kernel/hostname\t"));
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let name = name.map_or(&*stem, |name| name.trim_end_matches("\\n")).to_string();
            probe.nodes.insert(name, text);
        }
    }
    probe.ranks.sort_by_key(|rank| (rank.rank, rank.process));
    Ok(probe)
}

/// Reads the report `bytes` of a rank, a file called `name`.
fn parse_report(name: &str, bytes: &[u8]) -> Result<ProbedRank, ReadError> {
    let source = Source::new(name, bytes);
    let mut lines = source.lines();
    if lines.next().is_none_or(|(_, line)| line.trim_ascii_end() != FIRST_LINE.as_bytes()) {
        return Err(source.error(format!("not a report: expected \"{FIRST_LINE}\" first")));
    }
    let mut fields: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (number, line) in lines {
        let text = std::str::from_utf8(line).map_err(|_| {
            source.error_in_line(number, format!("expected text, found {}", shown(line)))
        })?;
        let (word, value) = text.trim_end().split_once(' ').unwrap_or((text.trim_end(), ""));
        fields.insert(word, (number, value));
    }
    let field = |word: &str| {
        fields.get(word).copied().ok_or_else(|| source.error(format!("\"{word}\" is missing")))
    };
    let number = |word: &str| {
        let (line, value) = field(word)?;
        value.parse::<u32>().map_err(|_| {
            let found = shown(value.as_bytes());
            source.error_in_line(line, format!("expected a whole number, found {found}"))
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
    })
}

/// A word with %XX for the letters that are not visible.
fn decoded(word: &str) -> String {
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
    fn cores_come_by_package_and_with_all_their_threads() {
        // CPUs 0 and 2 are threads of one core of package 1; CPUs 1 and 3 of one of package 0.
        let mut text = String::new();
        for (cpu, package) in [(0, 1), (1, 0), (2, 1), (3, 0)] {
            let folder = format!("/sys/devices/system/cpu/cpu{cpu}/topology");
            let (first, second) = (cpu % 2, cpu % 2 + 2);
            text +=
                &format!("{folder}/physical_package_id\t{package}\\n\n{folder}/core_id\t0\\n\n");
            text += &format!("{folder}/core_cpus_list\t{first},{second}\\n\n");
        }
        let mut probe = Probe::default();
        probe.nodes.insert("a".to_string(), text.clone());
        assert_eq!(probe.cores_of("a").unwrap(), [[1, 3], [0, 2]]);
        assert_eq!(probe.cores_of("b"), None);
        text += "/proc/self/status\tCpus_allowed_list:\t0-2\\n\n";
        probe.nodes.insert("a".to_string(), text);
        assert_eq!(probe.cores_of("a").unwrap(), [vec![1], vec![0, 2]]);
    }
}
