//! Where a file that is written goes.

use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::text::error::WriteError;
use crate::text::fault::Fault;
use crate::text::rank_files::folder_of;
use crate::text::temporary::Temporary;

/// The longest chain of links.
const MOST_LINKS: usize = 40;

/// The name of standard output. Bytes go to where it points now. If it is a file, it is not opened by
/// this name: that would write over its start.
pub const STANDARD_OUTPUT: &str = "/dev/stdout";

/// What is at a path before it is written.
#[derive(Debug)]
pub(crate) enum Target {
    /// Standard output of this process.
    StandardOutput,
    /// A device or a pipe: it is written directly.
    Stream,
    /// A file, which may or may not exist.
    File {
        /// The path behind all links.
        path: PathBuf,
        /// What is there now.
        old: Option<Metadata>,
    },
}

impl Target {
    /// What `path` leads to. A link to nothing leads to where the file would be.
    pub fn of(path: &Path) -> io::Result<Target> {
        if path == Path::new(STANDARD_OUTPUT) {
            return Ok(Target::StandardOutput);
        }
        let mut path = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            match fs::symlink_metadata(&path) {
                Ok(about) if about.is_symlink() => {
                    // The system's own links, such as /dev/stderr, name things without a path.
                    if fs::metadata(&path).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
                        return Ok(Target::Stream);
                    }
                    let next = fs::read_link(&path)?;
                    path = folder_of(&path).join(next);
                }
                Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
                Ok(about) if about.is_file() => return Ok(Target::File { path, old: Some(about) }),
                Ok(_) => return Ok(Target::Stream),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return match path.file_name() {
                        Some(_) => Ok(Target::File { path, old: None }),
                        None => Err(io::ErrorKind::InvalidFilename.into()),
                    };
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many levels of symbolic links"))
    }
}

/// Whether this process writes nothing.
static WRITES_NOTHING: AtomicBool = AtomicBool::new(false);

/// From now on, no writer of this process writes anything. This is for processes that do the same
/// work as another one, which writes the files.
pub fn write_nothing() {
    WRITES_NOTHING.store(true, Ordering::Relaxed);
}

/// Whether the writers of this process write nothing.
pub fn writes_nothing() -> bool {
    WRITES_NOTHING.load(Ordering::Relaxed)
}

/// Whether a file can be written at `path`, checked before its content is computed. Leaves nothing
/// behind.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), WriteError> {
    let path = path.as_ref();
    if writes_nothing() {
        return Ok(());
    }
    if path.is_dir() {
        return Err(WriteError::new(
            path,
            Fault::WrongInput("is a folder, expected a file name".into()),
        ));
    }
    let cannot_write = |error| WriteError::cannot_write(path, &error);
    match Target::of(path).map_err(cannot_write)? {
        Target::StandardOutput => Ok(()),
        // Opening a pipe would wait for its reader.
        Target::Stream if !is_device(path) => Ok(()),
        Target::Stream => OpenOptions::new().write(true).open(path).map(drop).map_err(cannot_write),
        Target::File { path: target, .. } => {
            let folder = folder_of(&target);
            if !folder.is_dir() {
                let folder = folder.display();
                return Err(WriteError::new(
                    path,
                    Fault::Missing(format!("there is no folder {folder}")),
                ));
            }
            Temporary::new(folder).map(drop).map_err(cannot_write)
        }
    }
}

#[cfg(unix)]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = fs::metadata(path).map(|about| about.file_type());
    kind.is_ok_and(|kind| kind.is_char_device() || kind.is_block_device())
}

#[cfg(not(unix))]
fn is_device(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::atomic_write::atomic_write;

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_stays_and_its_target_is_written() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        let (link, file) = (folder.path().join("link"), folder.path().join("in/file"));
        std::os::unix::fs::symlink("in/file", &link).unwrap();
        check_writable(&link).unwrap();
        assert!(!file.exists());
        atomic_write(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        atomic_write(&link, |out| out.write_all(b"newer")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"newer");
        let lost = folder.path().join("lost");
        std::os::unix::fs::symlink("no/file", &lost).unwrap();
        let error = check_writable(&lost).unwrap_err().to_string();
        assert!(error.contains("there is no folder"), "{error}");
        assert!(atomic_write(&lost, |out| out.write_all(b"")).is_err());
        let around = folder.path().join("around");
        std::os::unix::fs::symlink("around", &around).unwrap();
        let error = check_writable(&around).unwrap_err().to_string();
        assert!(error.contains("too many levels of symbolic links"), "{error}");
    }

    #[test]
    fn names_of_255_bytes_are_written_and_longer_ones_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let longest = folder.path().join("x".repeat(255));
        check_writable(&longest).unwrap();
        atomic_write(&longest, |out| out.write_all(b"long")).unwrap();
        assert_eq!(fs::read(&longest).unwrap(), b"long");
        let error = check_writable(folder.path().join("x".repeat(256))).unwrap_err();
        assert!(error.message().starts_with("cannot write"), "{error}");
    }

    #[test]
    fn a_check_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        check_writable(folder.path().join("a")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let error = check_writable(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("is a folder, expected a file name"), "{error}");
        let error = check_writable(folder.path().join("no/a")).unwrap_err().to_string();
        assert!(error.contains("there is no folder"), "{error}");
    }
}
