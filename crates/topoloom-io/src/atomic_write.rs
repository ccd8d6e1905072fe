//! Writes whole files or none.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::WriteError;

/// Writes the file at `path` with `content`, so that others see the old file or the whole new
/// one: the bytes go to a temporary file beside it that then takes its name. Links are followed;
/// what is no regular file, such as `/dev/stdout`, is written directly.
pub fn atomic_write<T>(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> Result<T, WriteError> {
    write_beside(path, content).map_err(|error| WriteError::cannot_write(path, &error))
}

fn write_beside<T>(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<T> {
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fill(&mut OpenOptions::new().write(true).open(path)?, content);
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = name_beside(&target)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let temporary = Temporary { path: temporary };
    let result = fill(&mut file, content)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    // Without this a crash soon after could leave an empty file under the new name.
    file.sync_all()?;
    fs::rename(&temporary.path, &target)?;
    Ok(result)
}

fn fill<T>(
    file: &mut File,
    content: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<T> {
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    let result = content(&mut writer)?;
    writer.flush()?;
    Ok(result)
}

/// A name in the folder of `target` that no other write of this process uses.
fn name_beside(target: &Path) -> io::Result<PathBuf> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{number}.tmp", process::id()));
    Ok(target.with_file_name(hidden))
}

/// A file of ours that goes away unless it was renamed.
struct Temporary {
    path: PathBuf,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename there is nothing to remove, which is fine.
        let _ = fs::remove_file(&self.path);
    }
}
