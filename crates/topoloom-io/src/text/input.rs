//! An input: a file, a pipe or a folder, opened once.
//!
//! A pipe gives its bytes only once. Opening it a second time, for example to guess its format,
//! would take bytes from the next reader. So readers take an [`Input`], and all guesses use its
//! content.
//!
//! Files packed with gzip or zstd are unpacked here, so every reader sees the unpacked content.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use topoloom_core::List;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::foreign_kind;
use crate::text::input_limit;
use crate::text::packing::Packing;

/// The bytes that are enough to recognise a file.
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
    /// A file, which stays open: reading it again gives the same bytes even if another file gets
    /// its name meanwhile.
    File {
        file: Mutex<File>,
        beginning: Vec<u8>,
    },
    /// All bytes of a pipe or a device, unpacked.
    Stream(List<u8>),
    /// The unpacked bytes of a file.
    Unpacked(List<u8>),
    /// The bytes of a file that somebody else has read.
    Told(List<u8>),
}

/// Opens the input at a path: [`Input::open`], or a function that keeps opened inputs.
pub type Opener<'a> = dyn Fn(&Path) -> Result<Arc<Input>, ReadError> + 'a;

/// Opens the input at a path for one reader.
pub fn open(path: &Path) -> Result<Arc<Input>, ReadError> {
    Input::open(path).map(Arc::new)
}

impl Input {
    /// Opens the input at `path`. A pipe is read to its end.
    pub fn open(path: &Path) -> Result<Input, ReadError> {
        let content = Content::of(path).map_err(|error| ReadError::cannot_read(path, &error))?;
        let input = Input { path: path.to_path_buf(), name: path.display().to_string(), content };
        check_kind(path, input.beginning())?;
        Ok(input)
    }

    /// An input in memory, which is not packed.
    pub fn of_bytes(name: &str, content: impl Into<List<u8>>) -> Input {
        let content = Content::Unpacked(content.into());
        Input { path: PathBuf::from(name), name: name.to_string(), content }
    }

    /// A file that is not packed, and that has been read already.
    pub fn of_file(path: &Path, content: impl Into<List<u8>>) -> Input {
        let content = Content::Told(content.into());
        Input { path: path.to_path_buf(), name: path.display().to_string(), content }
    }

    /// Whether it is a file that is not packed.
    pub fn is_plain_file(&self) -> bool {
        matches!(self.content, Content::File { .. } | Content::Told(_))
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

    /// The first bytes, enough to recognise it; none for a folder.
    pub fn beginning(&self) -> &[u8] {
        match &self.content {
            Content::Folder => &[],
            Content::File { beginning, .. } => beginning,
            Content::Stream(bytes) | Content::Unpacked(bytes) | Content::Told(bytes) => {
                &bytes[..bytes.len().min(BEGINNING)]
            }
        }
    }

    /// All bytes.
    pub fn bytes(&self) -> Result<List<u8>, ReadError> {
        let read = match &self.content {
            Content::Stream(bytes) | Content::Unpacked(bytes) | Content::Told(bytes) => {
                return Ok(bytes.clone());
            }
            Content::Folder => Err(io::ErrorKind::IsADirectory.into()),
            Content::File { file, .. } => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.rewind().and_then(|()| input_limit::read_whole(&file))
            }
        };
        read.map(List::from).map_err(|error| ReadError::cannot_read(&self.path, &error))
    }

    /// Where it is, for readers of `kind`, which consists of several files in one place. There are
    /// no files beside a pipe, and files beside a packed file are assumed to be packed too.
    pub(crate) fn path_among_others(&self, kind: &str) -> Result<&Path, ReadError> {
        let fault = match self.content {
            Content::Stream(_) => Fault::WrongInput(format!(
                "{kind} is several files, and this is a pipe: expected the name of one of the \
                 files or of their folder"
            )),
            Content::Unpacked(_) => Fault::WrongInput(format!(
                "{kind} is several files, and this one is compressed: expected files that are \
                 not; decompress all of them first"
            )),
            Content::Folder | Content::File { .. } | Content::Told(_) => return Ok(&self.path),
        };
        Err(ReadError::new(self.name.clone(), fault))
    }
}

impl Content {
    fn of(path: &Path) -> io::Result<Content> {
        if fs::metadata(path)?.is_dir() {
            return Ok(Content::Folder);
        }
        let file = File::open(path)?;
        let is_file = file.metadata()?.is_file();
        let beginning = beginning_of(&file)?;
        Ok(match Packing::of(&beginning) {
            None if is_file => Content::File { file: Mutex::new(file), beginning },
            Some(_) if is_file => Content::Unpacked(rest_of(&file, &beginning)?.into()),
            _ => Content::Stream(rest_of(&file, &beginning)?.into()),
        })
    }
}

fn beginning_of(file: &File) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    file.take(BEGINNING as u64).read_to_end(&mut beginning)?;
    Ok(beginning)
}

/// All bytes of a file whose `beginning` has been read, unpacked if they are packed.
fn rest_of(file: &File, beginning: &[u8]) -> io::Result<Vec<u8>> {
    let whole = beginning.chain(file);
    match Packing::of(beginning) {
        Some(packing) => packing.unpack(BufReader::new(whole)),
        None => {
            let size = file.metadata().map_or(0, |about| about.len());
            input_limit::read_up_to(whole, size, input_limit::limit()?)
        }
    }
}

/// All bytes of the file at `path`, for files that are read once and whole.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, ReadError> {
    let read = || {
        let file = File::open(path)?;
        let beginning = beginning_of(&file)?;
        rest_of(&file, &beginning)
    };
    let bytes = read().map_err(|error| ReadError::cannot_read(path, &error))?;
    check_kind(path, &bytes)?;
    Ok(bytes)
}

/// Refuses files of kinds that nothing here reads, with advice.
fn check_kind(path: &Path, beginning: &[u8]) -> Result<(), ReadError> {
    let wrong = |advice: &str| {
        ReadError::new(path.display().to_string(), Fault::WrongInput(advice.to_string()))
    };
    foreign_kind::advice(beginning).map_or(Ok(()), |advice| Err(wrong(advice)))
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
        assert_eq!(*input.bytes().unwrap(), *b"first");
        assert_eq!(*input.bytes().unwrap(), *b"first");
    }

    #[test]
    fn folders_have_no_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let input = Input::open(folder.path()).unwrap();
        assert!(input.is_folder() && input.beginning().is_empty());
        assert!(input.bytes().unwrap_err().message().starts_with("cannot read"));
    }

    /// `first` as gzip packs it, without compressing it.
    const PACKED: &[u8] = &[
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1, 5, 0, 250, 255, b'f', b'i', b'r', b's', b't',
        0x57, 0xee, 0x71, 0x92, 5, 0, 0, 0,
    ];

    #[test]
    fn packed_files_have_the_bytes_that_were_packed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gz");
        fs::write(&path, PACKED).unwrap();
        let input = Input::open(&path).unwrap();
        assert_eq!(input.beginning(), b"first");
        assert_eq!(*input.bytes().unwrap(), *b"first");
        assert_eq!(read_whole(&path).unwrap(), b"first");
        let error = input.path_among_others("a run").unwrap_err().to_string();
        assert!(error.contains("a run is several files, and this one is compressed"), "{error}");
    }

    #[test]
    fn a_packed_file_that_is_cut_off_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gz");
        fs::write(&path, &PACKED[..PACKED.len() - 9]).unwrap();
        let error = Input::open(&path).unwrap_err().to_string();
        let expected = "a.gz: cannot read: the gzip data are damaged or cut off: ";
        assert!(error.contains(expected), "{error}");
    }
}
