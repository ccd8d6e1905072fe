//! The files that commands write: looked at before the work begins, and kept elsewhere if they
//! cannot be written after it.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use topoloom::io::{WriteError, check_writable};

/// Refuses, before any work, what could not be written after it, or would replace what is read.
pub fn check<'a>(path: &Path, inputs: impl IntoIterator<Item = &'a str>) -> anyhow::Result<()> {
    check_writable(path)?;
    if inputs.into_iter().any(|input| is_read(path, input)) {
        bail!("{}: is what is read, and would be overwritten", path.display());
    }
    Ok(())
}

/// The same of several outputs, which must be different files.
pub fn check_all<'a>(
    paths: &[&PathBuf],
    inputs: impl IntoIterator<Item = &'a str> + Clone,
) -> anyhow::Result<()> {
    for (number, path) in paths.iter().enumerate() {
        check(path, inputs.clone())?;
        let same =
            |other: &&&PathBuf| std::path::absolute(other).ok() == std::path::absolute(path).ok();
        if paths[..number].iter().any(|other| same(&other)) {
            bail!("{}: is given for two outputs", path.display());
        }
    }
    Ok(())
}

/// Whether an argument names the file at `path`, by itself or in a specification, such as
/// graph:net.txt,slots=4.
fn is_read(path: &Path, input: &str) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    // A terminal or a pipe may be read and written.
    if !path.is_file() {
        return false;
    }
    let same = |name: &str| Path::new(name).canonicalize().is_ok_and(|other| other == path);
    let in_spec = input.split_once(':').and_then(|(_, rest)| rest.split(',').next());
    same(input) || in_spec.is_some_and(same)
}

/// Writes `what` to `path` with `write`. Where that fails, what took long to find is written to the
/// folder for temporary files, and the error says where it is.
pub fn write_or_rescue(
    path: &Path,
    what: &str,
    write: impl Fn(&Path) -> Result<(), WriteError>,
) -> anyhow::Result<()> {
    let Err(error) = write(path) else { return Ok(()) };
    match rescue(path, &write) {
        Ok(place) => bail!("{error}; {what} is in {}", place.display()),
        Err(again) => Err(anyhow!("{error}; {what} cannot be kept elsewhere either: {again}")),
    }
}

fn rescue(path: &Path, write: impl Fn(&Path) -> Result<(), WriteError>) -> anyhow::Result<PathBuf> {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let folder = tempfile::Builder::new().prefix("topoloom-").tempdir()?;
    let place = folder.path().join(name);
    write(&place)?;
    // It has to outlive the program.
    let _ = folder.keep();
    Ok(place)
}
