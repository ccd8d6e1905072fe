//! Platform files of any kind, told apart by their content.

use std::path::Path;

use topoloom_arrange::Platform;

use super::examples::{self, EXAMPLE_PREFIX};
use super::read_platform::ReadPlatform;
use super::simgrid::{self, write_simgrid_platform};
use super::speed_source::{self, SpeedReader};
use super::toml_read::parse_toml_platform;
use super::toml_write::write_toml_platform;
use crate::text::atomic_write::atomic_write;
use crate::text::error::{ReadError, WriteError};
use crate::text::fault::Fault;
use crate::text::input::{Opener, open};
use crate::text::source::Source;
use crate::text::warnings::Warnings;

/// Whether this describes a platform: XML of SimGrid, or TOML with clusters.
pub fn describes_platform(bytes: &[u8]) -> bool {
    look(bytes) != Look::Nothing
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    SimGrid,
    Toml,
    Nothing,
}

fn look(bytes: &[u8]) -> Look {
    /// How far into XML its root may be, comments before it included.
    const FIRST_BYTES: usize = 4096;
    let source = Source::new("", bytes);
    let text = source.bytes().trim_ascii_start();
    if text.starts_with(b"<") {
        let start = &text[..text.len().min(FIRST_BYTES)];
        let root = b"<platform";
        let found = start.windows(root.len()).any(|window| window == root);
        return if found { Look::SimGrid } else { Look::Nothing };
    }
    let cluster = |line: &[u8]| {
        let inside = line.trim_ascii().strip_prefix(b"[[");
        inside.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"cluster"))
    };
    match source.lines().any(|(_, line)| cluster(line)) {
        true => Look::Toml,
        false => Look::Nothing,
    }
}

/// The platform that the content `bytes` of a file called `name` describes, and what had to be
/// assumed. No other file is read: references to speed files are rejected.
///
/// ```
/// let text = "[[cluster]]\nname = \"a\"\nnodes = 2\n[bandwidth]\nunit = \"MB/s\"\nmatrix = [[900]]\n";
/// let (platform, _) = topoloom_io::platforms::parse_platform("a.toml", text.as_bytes()).unwrap();
/// assert_eq!(platform.num_processors(), 2);
/// ```
pub fn parse_platform(name: &str, bytes: &[u8]) -> Result<(Platform, Warnings), ReadError> {
    let read = parse(name, bytes, &speed_source::refuse)?;
    Ok((read.platform, read.warnings))
}

fn parse(name: &str, bytes: &[u8], speeds: &SpeedReader<'_>) -> Result<ReadPlatform, ReadError> {
    let source = Source::new(name, bytes);
    match look(bytes) {
        Look::SimGrid => simgrid::parse(&source),
        Look::Toml => {
            let platform = parse_toml_platform(name, bytes, speeds)?;
            Ok(ReadPlatform {
                platform,
                star: None,
                shares_links: false,
                has_some_fat_pipes: false,
                warnings: Warnings::new(),
            })
        }
        Look::Nothing if source.bytes().trim_ascii().is_empty() => {
            Err(source.error(Fault::Empty("the file is empty".into())))
        }
        Look::Nothing => Err(source.error(
            Fault::wanted("a platform: XML of SimGrid, which starts with <platform>, or TOML with [[cluster]] in it"),
        )),
    }
}

/// The platform of a file, or of `example:NAME`, with what had to be assumed.
pub fn read_platform(path: impl AsRef<Path>) -> Result<(Platform, Warnings), ReadError> {
    let path = path.as_ref();
    read_platform_with(path, &open)
}

/// Like [`read_platform`]; files come from `open`.
pub fn read_platform_with(
    path: &Path,
    open: &Opener<'_>,
) -> Result<(Platform, Warnings), ReadError> {
    let read = read(path, open)?;
    Ok((read.platform, read.warnings))
}

pub(super) fn read(path: &Path, open: &Opener<'_>) -> Result<ReadPlatform, ReadError> {
    let name = path.display().to_string();
    if let Some(example) = name.strip_prefix(EXAMPLE_PREFIX) {
        let text =
            examples::find(example).map_err(|fault| Source::new(&name, &[]).error(fault))?.text;
        return parse(&name, text.as_bytes(), &speed_source::refuse);
    }
    let bytes = open(path)?.bytes()?;
    parse(&name, &bytes, &|path, interpolation| {
        speed_source::read_speed_file(path, interpolation, open)
    })
}

/// Writes a platform in the format of the file's extension, `.toml` or `.xml` (of SimGrid), whole
/// or not at all. The warnings say what could not be written.
pub fn write_platform(path: impl AsRef<Path>, platform: &Platform) -> Result<Warnings, WriteError> {
    let path = path.as_ref();
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let written = match ending.as_deref() {
        Some("toml") => write_toml_platform(platform),
        Some("xml") => write_simgrid_platform(platform),
        _ => {
            return Err(WriteError::new(
                path,
                Fault::unknown("ending for a platform", ".toml, .xml (SimGrid)"),
            ));
        }
    };
    let (text, warnings) = written.map_err(|fault| WriteError::new(path, fault))?;
    atomic_write(path, |out| out.write_all(text.as_bytes()))?;
    Ok(warnings)
}
