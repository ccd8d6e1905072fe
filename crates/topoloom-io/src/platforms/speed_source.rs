//! Where the speed of a processor comes from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use topoloom_arrange::{Interpolation, Speed};

use crate::platforms::speed_file::read_speed_function_with;
use crate::text::fault::Fault;
use crate::text::input::Opener;

/// What a platform says about a speed.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeedSource {
    /// The same at every size, in blocks per second.
    Constant(f64),
    /// A file of speeds by size.
    File {
        /// Where it is; relative names start at the folder of the platform's file.
        path: PathBuf,
        /// The curve between its points.
        interpolation: Interpolation,
    },
}

/// Makes a speed from the file that a platform names; the error names the file and says what is
/// wrong with it.
pub type SpeedReader<'a> = dyn Fn(&Path, Interpolation) -> Result<Speed, Fault> + 'a;

impl SpeedSource {
    /// What a file called `platform` means by the name `text`.
    pub(super) fn file(platform: &str, text: &str, interpolation: Interpolation) -> SpeedSource {
        let folder = Path::new(platform).parent().unwrap_or(Path::new(""));
        SpeedSource::File { path: folder.join(text), interpolation }
    }

    /// The speed; files go through `read`.
    pub fn resolve(&self, read: &SpeedReader<'_>) -> Result<Speed, Fault> {
        match self {
            SpeedSource::Constant(speed) => Ok(Speed::Constant(*speed)),
            SpeedSource::File { path, interpolation } => read(path, *interpolation),
        }
    }
}

/// Reads no file: for contents without a folder.
pub(super) fn refuse(path: &Path, _: Interpolation) -> Result<Speed, Fault> {
    let fault = Fault::Unsupported("speed files are not read here".into());
    Err(fault.within(path.display()))
}

/// Reads speeds by size from the file at `path`.
pub(super) fn read_speed_file(
    path: &Path,
    interpolation: Interpolation,
    open: &Opener<'_>,
) -> Result<Speed, Fault> {
    let function = read_speed_function_with(path, interpolation, open);
    Ok(Speed::Function(Arc::new(function?)))
}

/// The speed as one number, if it is the same at every size.
pub(super) fn constant(speed: &Speed) -> Option<f64> {
    match speed {
        Speed::Constant(speed) => Some(*speed),
        Speed::Function(_) => None,
    }
}
