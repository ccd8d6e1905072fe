//! Files that the leader reads for all processes: only the leader needs to see them, and a pipe can
//! be read only once.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::anyhow;
use topoloom::core::List;
use topoloom::core::crew::{Packed, mark};
use topoloom::io::{Files, Input, ReadError};

use super::post::Post;
use crate::leave::leave;
use crate::output;

/// Opens files at the leader, and gives their content to all.
pub struct SharedFiles {
    post: Arc<dyn Post>,
    /// By name: all processes must agree what was opened before.
    opened: Mutex<BTreeMap<PathBuf, Result<Arc<Input>, ReadError>>>,
}

/// What the leader tells about a file.
const CONTENT: u8 = 0;
/// Like the content of a pipe, but other files may be beside it.
const FILE: u8 = 3;
const CANNOT_READ: u8 = 1;
/// A folder stays where it is: every process reads it there.
const FOLDER: u8 = 2;

impl SharedFiles {
    pub fn new(post: Arc<dyn Post>) -> SharedFiles {
        SharedFiles { post, opened: Mutex::default() }
    }

    fn is_leader(&self) -> bool {
        self.post.rank() == 0
    }

    /// Opens a file at the leader and sends its content.
    fn open_and_tell(&self, path: &Path) -> Result<Arc<Input>, ReadError> {
        let input = Input::open(path).map(Arc::new);
        let content = input.as_ref().map(|input| match input.is_folder() {
            true => Ok((FOLDER, Vec::new())),
            false => {
                let kind = if input.is_plain_file() { FILE } else { CONTENT };
                input.bytes().map(|bytes| (kind, bytes.to_vec()))
            }
        });
        let (kind, content) = match content {
            Ok(Ok(told)) => told,
            // The leader prints the reason.
            _ => (CANNOT_READ, Vec::new()),
        };
        self.tell(path, vec![kind]);
        match kind {
            // What this process reads later is what it told the others.
            FILE => Ok(Arc::new(self.told(path, Some(content)))),
            CONTENT => {
                self.post.shared_bytes(Some(content));
                input
            }
            _ => input,
        }
    }

    fn hear_of(&self, path: &Path) -> Result<Arc<Input>, ReadError> {
        match self.hear(path)[..] {
            [CONTENT] => {
                let content = List::Common(self.post.shared_bytes(None));
                Ok(Arc::new(Input::of_bytes(&path.display().to_string(), content)))
            }
            [FILE] => Ok(Arc::new(self.told(path, None))),
            [FOLDER] => Input::open(path).map(Arc::new),
            _ => Err(ReadError::cannot_read(path, &std::io::Error::other("the leader cannot"))),
        }
    }

    /// A file whose content all processes have from the leader.
    fn told(&self, path: &Path, content: Option<Vec<u8>>) -> Input {
        Input::of_file(path, List::Common(self.post.shared_bytes(content)))
    }

    /// Whether something is true of the leader's files.
    fn ask(&self, path: &Path, question: impl FnOnce() -> bool) -> bool {
        if !self.is_leader() {
            return self.hear(path).first() == Some(&1);
        }
        let answer = question();
        self.tell(path, answer.packed());
        answer
    }

    /// Tells all about the file at `path`.
    fn tell(&self, path: &Path, mut bytes: Vec<u8>) {
        bytes.extend(name_mark(path).packed());
        self.post.broadcast(Some(bytes));
    }

    /// What the leader tells about the file at `path`.
    fn hear(&self, path: &Path) -> Vec<u8> {
        let told = self.post.broadcast(None);
        let (content, name) = told.split_at(told.len().saturating_sub(size_of::<u64>()));
        if u64::unpacked(name) != Some(name_mark(path)) {
            // Whatever follows would be taken for something else.
            let error = anyhow!("{}: the processes of the job read other files", path.display());
            leave(i32::from(output::fail(&error)));
        }
        content.to_vec()
    }
}

/// Stands for the name of a file.
fn name_mark(path: &Path) -> u64 {
    mark(&path.to_string_lossy(), [])
}

impl Files for SharedFiles {
    fn open(&self, path: &Path) -> Result<Arc<Input>, ReadError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let input = opened.entry(path.to_path_buf()).or_insert_with(|| match self.is_leader() {
            true => self.open_and_tell(path),
            false => self.hear_of(path),
        });
        input.clone()
    }

    fn is_readable(&self, path: &Path) -> bool {
        self.ask(path, || topoloom::io::is_readable(path))
    }

    fn exists(&self, path: &Path) -> bool {
        self.ask(path, || path.exists())
    }
}

impl fmt::Debug for SharedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedFiles").finish_non_exhaustive()
    }
}
