//! The launch format of the user's launcher.

use anyhow::{Context, bail};
use topoloom::io::Probe;
use topoloom::io::launch::{self, HostNames, LaunchEntry};

use super::arguments::TuneArguments;
use crate::jobs::launcher::kind::Kind;

/// A launch format by its name, if jobs can be tuned with it.
pub fn usable_format(name: &str) -> anyhow::Result<&'static LaunchEntry> {
    let format = launch::find(name)?;
    match format.build.hosts {
        HostNames::Known => Ok(format),
        HostNames::KnownOrNumbered => {
            bail!("--format {name} is for simulated jobs, so a job cannot be tuned for it")
        }
        HostNames::Unused => {
            bail!("--format {name} does not name hosts, so a job cannot be tuned for it")
        }
    }
}

/// The format that the launcher reads, or the given one if the launcher can read it. A launcher is
/// recognised by its file. If that is a script, the ranks report which launcher started them.
pub fn launch_format(
    arguments: &TuneArguments,
    probe: &Probe,
) -> anyhow::Result<&'static LaunchEntry> {
    let launcher = &arguments.command[0];
    let by_ranks = || Kind::of_starter(&probe.ranks.first()?.starter);
    let usual = Kind::of_program(launcher).or_else(by_ranks).map(Kind::format);
    let name = arguments.format.as_deref().or(usual).with_context(|| {
        format!(
            "{}: cannot tell which launcher this is, neither from the file nor from the ranks; \
             give --format",
            launcher.display()
        )
    })?;
    let format = usable_format(name)?;
    // `openmpi4-rankfile` and `openmpi-seq` are for one family of launchers.
    let family = |name: &str| {
        let first = name.split('-').next().unwrap_or_default();
        first.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_string()
    };
    match usual.map(family) {
        Some(known) if known != family(name) => {
            bail!("--format {name}: {} takes {}", launcher.display(), usual.unwrap_or_default())
        }
        _ => Ok(format),
    }
}
