//! The files that commands write: checked before the work begins, and written elsewhere if they
//! cannot be written at the end.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use topoloom::io::check_writable;

/// Refuses, before any work, a file that could not be written at the end, or would overwrite an
/// input.
pub fn check<'a>(path: &Path, inputs: impl IntoIterator<Item = &'a str>) -> anyhow::Result<()> {
    check_writable(path)?;
    if inputs.into_iter().any(|input| is_read(path, input)) {
        bail!("{}: would overwrite an input file", path.display());
    }
    Ok(())
}

/// The same for several outputs, which must be different files.
pub fn check_all<'a>(
    paths: &[&PathBuf],
    inputs: impl IntoIterator<Item = &'a str> + Clone,
) -> anyhow::Result<()> {
    for (number, path) in paths.iter().enumerate() {
        check(path, inputs.clone())?;
        let same =
            |other: &&&PathBuf| std::path::absolute(other).ok() == std::path::absolute(path).ok();
        if paths[..number].iter().any(|other| same(&other)) {
            bail!("{}: given for two outputs", path.display());
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

/// Where files are written: under their names, or elsewhere.
pub struct Destination(Option<PathBuf>);

impl Destination {
    /// Where the file called `path` is written.
    pub fn of(&self, path: &Path) -> PathBuf {
        match &self.0 {
            None => path.to_path_buf(),
            Some(folder) => folder.join(path.file_name().unwrap_or(path.as_os_str())),
        }
    }
}

/// Writes `what` with `write`. If that fails, the result, which took long to find, is written to
/// the folder for temporary files, and the error says where it is.
pub fn write_or_rescue<E: Display>(
    what: &str,
    write: impl Fn(&Destination) -> Result<(), E>,
) -> anyhow::Result<()> {
    let Err(error) = write(&Destination(None)) else { return Ok(()) };
    match rescued(write) {
        Ok(folder) => bail!("{error}; {what} is in the folder {}", folder.display()),
        Err(again) => bail!("{error}; {what} cannot be kept elsewhere either: {again}"),
    }
}

fn rescued<E: Display>(write: impl Fn(&Destination) -> Result<(), E>) -> anyhow::Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix("topoloom-").tempdir()?;
    write(&Destination(Some(folder.path().to_path_buf()))).map_err(|error| anyhow!("{error}"))?;
    // The folder must outlive the program.
    Ok(folder.keep())
}
