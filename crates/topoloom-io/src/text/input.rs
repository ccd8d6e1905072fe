//! What is read from outside: a file, a pipe or a folder, opened once.
//!
//! A pipe gives its bytes once. Whoever opens it a second time, to guess its format say, takes away
//! what the next reader needs. So readers take an [`Input`], and all guess from what it holds.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::text::error::ReadError;
use crate::text::input_limit;

/// As much of a file as shows what it is.
const BEGINNING: usize = 4096;

/// Something that was opened to be read.
#[derive(Debug)]
pub struct Input {
    path: PathBuf,
    name: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Folder,
    /// A file, which stays open: reading it again gives the same bytes even if its name is given to
    /// another one meanwhile.
    File {
        file: Mutex<File>,
        beginning: Vec<u8>,
    },
    /// All that came out of a pipe or a device.
    Stream(Arc<Vec<u8>>),
}

/// Opens what is at a path: [`Input::open`], or something that keeps what it has opened.
pub type Opener<'a> = dyn Fn(&Path) -> Result<Arc<Input>, ReadError> + 'a;

/// Opens what is at a path for one reader.
pub fn open(path: &Path) -> Result<Arc<Input>, ReadError> {
    Input::open(path).map(Arc::new)
}

impl Input {
    /// Opens what is at `path`. A pipe is read to its end.
    pub fn open(path: &Path) -> Result<Input, ReadError> {
        let content = Content::of(path).map_err(|error| ReadError::cannot_read(path, &error))?;
        Ok(Input { path: path.to_path_buf(), name: path.display().to_string(), content })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name as errors show it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        matches!(self.content, Content::Folder)
    }

    /// The first bytes, enough to see what it is; none of a folder.
    pub fn beginning(&self) -> &[u8] {
        match &self.content {
            Content::Folder => &[],
            Content::File { beginning, .. } => beginning,
            Content::Stream(bytes) => &bytes[..bytes.len().min(BEGINNING)],
        }
    }

    /// All bytes.
    pub fn bytes(&self) -> Result<Arc<Vec<u8>>, ReadError> {
        let read = match &self.content {
            Content::Stream(bytes) => return Ok(bytes.clone()),
            Content::Folder => Err(io::ErrorKind::IsADirectory.into()),
            Content::File { file, .. } => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.rewind().and_then(|()| input_limit::read_whole(&file))
            }
        };
        read.map(Arc::new).map_err(|error| ReadError::cannot_read(&self.path, &error))
    }

    /// Where it is, for readers of `kind`, which is several files that lie together: nothing lies
    /// beside a pipe.
    pub(crate) fn path_among_others(&self, kind: &str) -> Result<&Path, ReadError> {
        match self.content {
            Content::Stream(_) => {
                let message = format!(
                    "{kind} is several files, and this is a pipe: expected the name of one of the \
                     files or of their folder"
                );
                Err(ReadError { file: self.name.clone(), line: None, message })
            }
            _ => Ok(&self.path),
        }
    }
}

impl Content {
    fn of(path: &Path) -> io::Result<Content> {
        if fs::metadata(path)?.is_dir() {
            return Ok(Content::Folder);
        }
        let mut file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Ok(Content::Stream(Arc::new(input_limit::read_whole(&file)?)));
        }
        let mut beginning = Vec::new();
        (&mut file).take(BEGINNING as u64).read_to_end(&mut beginning)?;
        Ok(Content::File { file: Mutex::new(file), beginning })
    }
}

/// All bytes of the file at `path`, for files that are read once and whole.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, ReadError> {
    let read = || input_limit::read_whole(&File::open(path)?);
    read().map_err(|error| ReadError::cannot_read(path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_one_that_was_opened_whatever_takes_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "first").unwrap();
        fs::write(&other, "other").unwrap();
        let input = Input::open(&path).unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(input.beginning(), b"first");
        assert_eq!(*input.bytes().unwrap(), b"first");
        assert_eq!(*input.bytes().unwrap(), b"first");
    }

    #[test]
    fn folders_have_no_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let input = Input::open(folder.path()).unwrap();
        assert!(input.is_folder() && input.beginning().is_empty());
        assert!(input.bytes().unwrap_err().message.starts_with("cannot read"));
    }
}
