//! A file as memory that several processes of a node have in common.
//!
//! A window of MPI would do the same, but its memory ends with MPI, every process could write to
//! it, and Open MPI 4 fails to make windows on some machines. A file needs nothing of MPI.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that exists until all processes have mapped it. It is removed when this is dropped.
pub struct SharedFile {
    path: PathBuf,
}

impl SharedFile {
    /// Writes a new file that no other process knows. In memory if possible; containers often have
    /// little room there, and then it is a file for temporary use.
    pub fn write(bytes: &[u8]) -> io::Result<SharedFile> {
        SharedFile::write_to(Path::new("/dev/shm"), bytes)
            .or_else(|_| SharedFile::write_to(&std::env::temp_dir(), bytes))
    }

    fn write_to(folder: &Path, bytes: &[u8]) -> io::Result<SharedFile> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let path = folder.join(random_name());
        let mut file = options.open(&path)?;
        let shared = SharedFile { path };
        // Nothing is mapped before all is written: memory that cannot be had is an error here, and
        // not a signal later.
        file.write_all(bytes)?;
        Ok(shared)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for SharedFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The content of such a file, as long as the process lives. It can only be read.
pub fn mapped(path: &Path, length: usize) -> io::Result<&'static [u8]> {
    let file = File::open(path)?;
    if file.metadata()?.len() != length as u64 {
        return Err(io::Error::other("the file has another length"));
    }
    if length == 0 {
        return Ok(&[]);
    }
    map(&file, length)
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
use crate::linux::map;

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn map(_file: &File, _length: usize) -> io::Result<&'static [u8]> {
    Err(io::ErrorKind::Unsupported.into())
}

/// 128 random bits from the system, as the standard library takes them for its tables.
fn random_name() -> String {
    let number = || RandomState::new().hash_one(std::process::id());
    format!("topoloom-{:016x}{:016x}", number(), number())
}

#[cfg(all(test, target_os = "linux", target_pointer_width = "64"))]
mod tests {
    use super::*;

    #[test]
    fn memory_stays_after_the_file_has_gone() {
        let bytes: Vec<u8> = (0..10_000_u32).map(|number| number as u8).collect();
        let file = SharedFile::write(&bytes).unwrap();
        let path = file.path().to_path_buf();
        let first = mapped(&path, bytes.len()).unwrap();
        let second = mapped(&path, bytes.len()).unwrap();
        assert!(mapped(&path, 9_999).is_err());
        drop(file);
        assert!(!path.exists());
        assert!(first == bytes && second == bytes && first.as_ptr() != second.as_ptr());
        assert_eq!(first.as_ptr() as usize % 64, 0);
    }

    #[test]
    fn an_empty_file_is_an_empty_slice() {
        let file = SharedFile::write(&[]).unwrap();
        assert!(mapped(file.path(), 0).unwrap().is_empty());
        // Nothing can be below a file, whatever folders a machine has.
        assert!(mapped(&file.path().join("below"), 0).is_err());
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_names_differ() {
        let file = SharedFile::write(&[1]).unwrap();
        assert!(SharedFile::write_to(file.path(), &[1]).is_err());
        assert_ne!(random_name(), random_name());
    }
}
