//! Writes files whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::text::error::WriteError;
use crate::text::rank_files::folder_of;
use crate::text::target::{Target, writes_nothing};
use crate::text::temporary::{self, Link, Temporary};

/// Writes the file at `path` with `content`. Other processes see the old file or the whole new one,
/// because the bytes go to a temporary file beside it, which is then renamed. Links are followed,
/// even to a file that does not exist yet. Anything that is not a regular file, such as
/// `/dev/stdout`, is written directly.
pub fn atomic_write<T>(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> Result<T, WriteError> {
    let mut files = FilesTogether::new();
    let result = files.add(path, content)?;
    files.commit()?;
    Ok(result)
}

/// Files that belong together: all get their names, or none does.
///
/// ```
/// # fn main() -> Result<(), topoloom_io::WriteError> {
/// # let folder = std::env::temp_dir();
/// let mut files = topoloom_io::FilesTogether::new();
/// files.add(&folder.join("topoloom-doc-a"), |out| out.write_all(b"one"))?;
/// files.add(&folder.join("topoloom-doc-b"), |out| out.write_all(b"two"))?;
/// files.commit()?; // Until here the old files are there.
/// # std::fs::remove_file(folder.join("topoloom-doc-a")).unwrap();
/// # std::fs::remove_file(folder.join("topoloom-doc-b")).unwrap();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
#[must_use = "files that are not committed are not written"]
pub struct FilesTogether {
    staged: Vec<Staged>,
}

/// A file that is whole but does not have its name yet.
#[derive(Debug)]
struct Staged {
    /// As the user named it.
    path: PathBuf,
    /// The path behind links.
    target: PathBuf,
    is_new: bool,
    temporary: Temporary,
}

impl FilesTogether {
    /// No files yet.
    pub fn new() -> FilesTogether {
        FilesTogether::default()
    }

    /// Writes the content of one file, which gets its name with the others. Anything that is not a
    /// regular file is written at once.
    pub fn add<T>(
        &mut self,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> Result<T, WriteError> {
        if writes_nothing() {
            return content(&mut io::sink())
                .map_err(|error| WriteError::cannot_write(path, &error));
        }
        self.stage(path, content).map_err(|error| WriteError::cannot_write(path, &error))
    }

    fn stage<T>(
        &mut self,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        let (target, old) = match Target::of(path)? {
            Target::StandardOutput => return fill(&mut Tap(io::stdout().lock()), content),
            Target::Stream => {
                return fill(&mut OpenOptions::new().write(true).open(path)?, content);
            }
            Target::File { path, old } => (path, old),
        };
        let mut temporary = Temporary::new(folder_of(&target))?;
        let is_new = old.is_none();
        if let Some(old) = old {
            temporary.file.set_permissions(old.permissions())?;
        }
        let result = fill(&mut temporary.file, content)?;
        // Without this a crash soon after could leave an empty file under the new name.
        temporary.file.sync_all()?;
        self.staged.push(Staged { path: path.to_path_buf(), target, is_new, temporary });
        Ok(result)
    }

    /// Gives every file its name. If this fails for one file, the previous files are restored.
    pub fn commit(self) -> Result<(), WriteError> {
        let mut undo: Vec<Undo<'_>> = Vec::new();
        let several = self.staged.len() > 1;
        for file in &self.staged {
            let old = (several && !file.is_new).then(|| {
                // A file system without hard links cannot restore anything.
                Temporary::link(&file.target, folder_of(&file.target)).ok()
            });
            let old = old.flatten();
            undo.push(Undo { target: &file.target, is_new: file.is_new, old });
        }
        // A signal waits until all have their names.
        let signals_wait = temporary::live();
        for (number, file) in self.staged.iter().enumerate() {
            if let Err(error) = fs::rename(&file.temporary.path, &file.target) {
                undo[..number].iter().for_each(Undo::put_back);
                return Err(WriteError::cannot_write(&file.path, &error));
            }
        }
        drop(signals_wait);
        Ok(())
    }
}

/// The previous file of a name.
struct Undo<'a> {
    target: &'a Path,
    is_new: bool,
    old: Option<Link>,
}

impl Undo<'_> {
    fn put_back(&self) {
        // The user needs to see the first error.
        let _ = match &self.old {
            Some(old) => fs::rename(&old.path, self.target),
            None if self.is_new => fs::remove_file(self.target),
            None => Ok(()),
        };
    }
}

/// A stream whose reader may stop early. What is written after that is lost, which is not an error.
struct Tap<W>(W);

impl<W: Write> Write for Tap<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            other => other,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

fn fill<T>(
    file: &mut impl Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<T> {
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    let result = content(&mut writer)?;
    writer.flush()?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> =
            files.map(|file| file.file_name().display().to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn where_the_second_file_fails_both_old_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "old a").unwrap();
        fs::write(path("b"), "old b").unwrap();
        let mut files = FilesTogether::new();
        files.add(&path("a"), |out| out.write_all(b"new a")).unwrap();
        files.add(&path("b"), |_| Err::<(), _>(io::ErrorKind::StorageFull.into())).unwrap_err();
        drop(files);
        assert_eq!(fs::read(path("a")).unwrap(), b"old a");
        assert_eq!(fs::read(path("b")).unwrap(), b"old b");
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn where_the_second_cannot_have_its_name_the_first_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "old a").unwrap();
        let mut files = FilesTogether::new();
        files.add(&path("a"), |out| out.write_all(b"new a")).unwrap();
        files.add(&path("new"), |out| out.write_all(b"new")).unwrap();
        files.add(&path("b"), |out| out.write_all(b"new b")).unwrap();
        // A folder that appears meanwhile cannot be replaced by a file.
        fs::create_dir(path("b")).unwrap();
        let error = files.commit().unwrap_err();
        assert!(error.file.ends_with('b'), "{error}");
        assert_eq!(fs::read(path("a")).unwrap(), b"old a");
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn files_that_belong_together_replace_old_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a"), "old a").unwrap();
        let mut files = FilesTogether::new();
        files.add(&path("a"), |out| out.write_all(b"new a")).unwrap();
        files.add(&path("b"), |out| out.write_all(b"new b")).unwrap();
        assert_eq!(fs::read(path("a")).unwrap(), b"old a");
        files.commit().unwrap();
        assert_eq!(fs::read(path("a")).unwrap(), b"new a");
        assert_eq!(names(folder.path()), ["a", "b"]);
    }
}
