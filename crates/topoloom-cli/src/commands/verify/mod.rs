//! `topoloom verify`: does every rank sit where a mapping put it?

pub mod expected;
pub mod judge;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use serde::Serialize;
use topoloom::io::{MappingFile, Probe, cpu_list};

use crate::arguments::LaunchArguments;
use crate::files::{read_hosts, read_mapping};
use crate::jobs::launcher::capture::indented;
use crate::jobs::preload::Scratch;
use crate::jobs::probe::{Probed, probe};
use crate::output::numbers::{noun, plural};
use crate::output::table::text_table;
use crate::output::{print, print_json, warn};
use clap::Args;
use expected::{Seat, seats};
use judge::{Finding, judge};

#[derive(Debug, Args)]
pub struct VerifyArguments {
    /// The mapping file
    #[arg(long, value_name = "FILE")]
    pub mapping: PathBuf,
    /// The hosts in the order of the machine's nodes, such as n[01-16], if the mapping names none
    #[arg(long, value_name = "LIST")]
    pub hosts: Option<String>,
    /// Folder that ranks report to; every host must reach it [default: the current folder]
    #[arg(long, value_name = "FOLDER")]
    pub scratch: Option<PathBuf>,
    #[command(flatten)]
    pub launch: LaunchArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// The command that starts the job, after `--`, such as: mpirun -n 64 --rankfile ranks ./app
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// If there are more ranks than this, only those in wrong seats are shown.
const MOST_SHOWN: usize = 32;

/// Exit code 0: every rank is right; 1: some are not.
pub fn run(arguments: &VerifyArguments) -> anyhow::Result<u8> {
    let report = verify(arguments)?;
    match arguments.json {
        true => print_json(&report.record()),
        false => print(&report.text()),
    }
    Ok(u8::from(!report.is_right()))
}

/// The result of a verification.
pub struct Verdict {
    /// Whether every rank sits where it should, and there are no other ranks.
    pub is_right: bool,
    /// The same in a sentence.
    pub sentence: String,
    /// The same for each rank, with the output of the launcher.
    pub report: String,
}

/// Whether the ranks of a command sit where a mapping put them.
pub fn verdict(
    file: &MappingFile,
    command: &[OsString],
    scratch: &Scratch,
    limit: Duration,
) -> anyhow::Result<Verdict> {
    let seats = seats(file, None)?;
    let probed = probe(command, scratch, limit)?;
    refuse_several_jobs(&probed.probe)?;
    let report = Report { findings: judge(&seats, &probed.probe), ranks: seats.len() };
    let said = match indented(&probed.output) {
        said if said.is_empty() => String::new(),
        said => format!("\nthe launcher said:\n{said}"),
    };
    Ok(Verdict {
        is_right: report.is_right(),
        sentence: report.sentence(),
        report: report.text() + &said,
    })
}

fn verify(arguments: &VerifyArguments) -> anyhow::Result<Report> {
    let file = read_mapping(&arguments.mapping)?;
    let hosts = arguments.hosts.as_deref().map(read_hosts).transpose()?;
    let seats = seats(&file, hosts.as_deref())?;
    let parent = arguments.scratch.as_deref().unwrap_or(Path::new("."));
    let scratch = Scratch::new(parent, "verify")?;
    let limit = arguments.launch.launch_timeout;
    let Probed { probe, output, failed, .. } = probe(&arguments.command, &scratch, limit)?;
    refuse_several_jobs(&probe)?;
    let report = Report { findings: judge(&seats, &probe), ranks: seats.len() };
    if failed || !report.is_complete() {
        let said = indented(&output);
        if !said.is_empty() {
            warn(&format!("the launcher said:\n{said}"));
        }
    }
    Ok(report)
}

/// Two processes with the same rank belong to different jobs.
pub fn refuse_several_jobs(probe: &Probe) -> anyhow::Result<()> {
    match probe.ranks.windows(2).find(|pair| pair[0].rank == pair[1].rank) {
        None => Ok(()),
        Some([first, second]) => bail!(
            "rank {} appears twice, as process {} on {} and process {} on {}: the command must \
             start only one job",
            first.rank,
            first.process,
            first.host,
            second.process,
            second.host
        ),
        Some(_) => unreachable!("windows of two"),
    }
}

/// The findings about all ranks, those of the mapping first.
struct Report {
    findings: Vec<Finding>,
    /// How many ranks the mapping has.
    ranks: usize,
}

#[derive(Serialize)]
struct Record<'a> {
    ranks: usize,
    right: usize,
    wrong: Vec<WrongRecord<'a>>,
    complete: bool,
}

#[derive(Serialize)]
struct WrongRecord<'a> {
    rank: u32,
    expected: Option<PlaceRecord<'a>>,
    found: Option<PlaceRecord<'a>>,
    reason: &'a str,
}

#[derive(Serialize)]
struct PlaceRecord<'a> {
    host: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    core: Option<u32>,
    cpus: Option<String>,
}

impl Report {
    fn right(&self) -> usize {
        self.findings.iter().filter(|finding| finding.wrong.is_none()).count()
    }

    fn is_right(&self) -> bool {
        self.findings.iter().all(|finding| finding.wrong.is_none())
    }

    /// Whether exactly the ranks of the mapping were there.
    fn is_complete(&self) -> bool {
        self.findings.iter().all(|finding| finding.expected.is_some() && finding.found.is_some())
    }

    fn record(&self) -> Record<'_> {
        let wrong = self.findings.iter().filter_map(|finding| {
            Some(WrongRecord {
                rank: finding.rank,
                expected: finding.expected.as_ref().map(|seat| PlaceRecord {
                    host: &seat.host,
                    core: seat.core,
                    cpus: seat.cpus.as_deref().map(cpu_list::write),
                }),
                found: finding.found.as_ref().map(|found| PlaceRecord {
                    host: &found.host,
                    core: None,
                    cpus: Some(cpu_list::write(&found.cpus)),
                }),
                reason: finding.wrong.as_deref()?,
            })
        });
        Record {
            ranks: self.ranks,
            right: self.right(),
            wrong: wrong.collect(),
            complete: self.is_complete(),
        }
    }

    fn sentence(&self) -> String {
        let (right, ranks) = (self.right(), plural(self.ranks, "rank"));
        match self.ranks {
            1 => format!("{right} of {ranks} sits where the mapping put it"),
            _ => format!("{right} of {ranks} sit where the mapping put them"),
        }
    }

    fn text(&self) -> String {
        let all = self.findings.len() <= MOST_SHOWN;
        let shown = self.findings.iter().filter(|finding| all || finding.wrong.is_some());
        let rows: Vec<Vec<String>> = shown.map(row).collect();
        let mut text = String::new();
        if !rows.is_empty() {
            text += &text_table(&["rank", "expected", "found", ""], &rows);
            text.push('\n');
        }
        text += &self.sentence();
        text.push('\n');
        match self.findings.len() - self.ranks {
            0 => text,
            1 => text + "1 more rank is not in the mapping\n",
            more => text + &format!("{more} more ranks are not in the mapping\n"),
        }
    }
}

fn row(finding: &Finding) -> Vec<String> {
    let nothing = || "-".to_string();
    let found = finding.found.as_ref().map(|found| {
        let list = cpu_list::write(&found.cpus);
        format!("{} {} {list}", found.host, noun(found.cpus.len(), "CPU"))
    });
    vec![
        finding.rank.to_string(),
        finding.expected.as_ref().map_or_else(nothing, shown_seat),
        found.unwrap_or_else(nothing),
        finding.wrong.clone().unwrap_or_else(|| "right".to_string()),
    ]
}

fn shown_seat(seat: &Seat) -> String {
    let core = seat.core.map_or(String::new(), |core| format!(" core {core}"));
    let cpus = seat.cpus.as_ref().map_or(String::new(), |cpus| {
        let comma = if core.is_empty() { "" } else { "," };
        format!("{comma} {} {}", noun(cpus.len(), "CPU"), cpu_list::write(cpus))
    });
    format!("{}{core}{cpus}", seat.host)
}
