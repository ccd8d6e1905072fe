//! The machine whose levels are measured: from a file, or as detected.

use std::path::Path;

use topoloom::core::cluster::{Description, Parts};
use topoloom::io::machines::{RunningSystem, detect};
use topoloom::io::{Probe, parse_description};

use crate::commands::machine::join;
use crate::files;
use crate::output::warn;

/// The machine that a file describes.
pub fn read(path: &Path) -> anyhow::Result<Description> {
    let name = path.display().to_string();
    let bytes = files::open(path)?.bytes()?;
    let (description, warnings) = parse_description(&name, &bytes)?;
    warnings.iter().for_each(|warning| warn(&warning.to_string()));
    Ok(description)
}

/// The node that this process runs on.
pub fn this_node() -> anyhow::Result<Description> {
    let hardware = detect(&RunningSystem)?;
    joined(Parts { hardware: vec![(hardware, Vec::new())], ..Parts::default() })
}

/// The hosts that a probe has seen.
pub fn of_probe(probe: &Probe) -> anyhow::Result<Description> {
    Ok(join::probed(probe, None)?.description)
}

fn joined(parts: Parts) -> anyhow::Result<Description> {
    let (description, assumed) = parts.join()?;
    assumed.iter().for_each(|assumed| warn(&assumed.to_string()));
    Ok(description)
}
