//! Files for launchers in a report.

use std::path::Path;

use topoloom::core::Mapping;
use topoloom::io::launch::{self, LAUNCH_FORMATS, Launch, LaunchError};
use topoloom::io::{MappingFile, mapping_json};
use topoloom::show::report;

use super::told::Told;
use crate::output::numbers::plural;

/// The most bytes of all launch files of a report together: a page must stay small enough to send.
const MOST_BYTES: usize = 1 << 20;

/// The placement itself may have this many.
const MOST_MAPPING_BYTES: usize = 2 << 20;

/// Refuses hosts that are not enough, before any search.
pub fn check(told: &Told<'_>, mapping: &Mapping) -> anyhow::Result<()> {
    let Some(hosts) = &told.hosts.hosts else { return Ok(()) };
    let file = MappingFile::of(told.problem, mapping);
    for format in LAUNCH_FORMATS.entries {
        if let Err(reason @ LaunchError::Hosts(_)) = Launch::new(&file, Some(hosts), format) {
            return Err(reason.into());
        }
    }
    Ok(())
}

/// Adds the placement and every launch file that can be made from it, and says what is missing for
/// the others.
pub fn add(
    told: &Told<'_>,
    mapping: &MappingFile,
    files: &mut Vec<report::File>,
    launches: &mut Vec<report::Launch>,
    note: &mut Option<String>,
) -> anyhow::Result<()> {
    let json = mapping_json(mapping);
    if json.len() > MOST_MAPPING_BYTES {
        let ranks = plural(mapping.ranks(), "rank");
        *note = Some(format!(
            "The placement of {ranks} is too large for this page: the commands above write it."
        ));
        return Ok(());
    }
    files.push(report::File {
        name: report::MAPPING.to_string(),
        media_type: "application/json",
        content: json,
    });
    let hosts = told.hosts;
    let mut bytes = 0;
    let (mut without_hosts, mut too_large) = (Vec::new(), Vec::new());
    for format in LAUNCH_FORMATS.entries {
        let prepared = Launch::new(mapping, hosts.hosts.as_deref(), format).and_then(|launch| {
            launch::prepare(format, &launch, Some(Path::new(format.example)), &hosts.program)
        });
        let prepared = match prepared {
            Ok(prepared) => prepared,
            // Something that was requested must not be missing.
            Err(reason @ LaunchError::Hosts(_)) if hosts.hosts.is_some() => {
                return Err(reason.into());
            }
            Err(LaunchError::NoHosts { .. }) => {
                without_hosts.push(format.name);
                continue;
            }
            // Not possible for this machine or this placement.
            Err(_) => continue,
        };
        let size: usize = prepared.files.iter().map(|file| file.content.len()).sum();
        if bytes + size > MOST_BYTES {
            too_large.push(format.name);
            continue;
        }
        bytes += size;
        let first = files.len();
        files.extend(prepared.files.into_iter().map(|file| report::File {
            name: file.path.to_string_lossy().into_owned(),
            media_type: "text/plain",
            content: file.content,
        }));
        launches.push(report::Launch {
            format: format.name.to_string(),
            summary: format.summary.to_string(),
            files: (first..files.len()).collect(),
            command: prepared.command,
        });
    }
    *note = remarks(told, &without_hosts, &too_large);
    Ok(())
}

fn remarks(told: &Told<'_>, without_hosts: &[&str], too_large: &[&str]) -> Option<String> {
    let mut words = Vec::new();
    if !without_hosts.is_empty() {
        words.push(format!(
            "Launch files name hosts, and {} has none. topoloom apply --mapping {} --format NAME \
             --hosts LIST writes one of {}. topoloom report --hosts LIST puts all of them here.",
            told.problem.machine().spec(),
            report::MAPPING,
            without_hosts.join(", ")
        ));
    }
    if !too_large.is_empty() {
        words.push(format!(
            "Too large for this page: {}; topoloom apply --mapping {} --format NAME writes them.",
            too_large.join(", "),
            report::MAPPING
        ));
    }
    (!words.is_empty()).then(|| words.join(" "))
}
