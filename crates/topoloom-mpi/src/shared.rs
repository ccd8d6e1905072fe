//! One copy of the same bytes on every node.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use crate::envelope::Kind;
use crate::error::Error;
use crate::inbox::Inbox;
use crate::office::Office;
use crate::shared_file::{SharedFile, mapped};
use crate::views::SharedBytes;

const HAS_MAPPED_IT: u8 = 1;

impl Office {
    /// Gives the bytes of process 0 to all processes, with one copy in the memory of each node. All
    /// have to call this; what others give is ignored, and nothing from process 0 means no bytes.
    ///
    /// The copy is a file in memory (`/dev/shm`), or in the folder for temporary files if there is
    /// no room. It loses its name as soon as all processes of the node have it. Where processes of one node do not see
    /// each other's files, as in separate containers, each gets its own copy. If the job is killed in
    /// this moment, a file `topoloom-...` can stay.
    pub fn shared_bytes(&self, bytes: Option<Vec<u8>>) -> Result<SharedBytes, Error> {
        let mut inbox = self.begin_collective();
        if self.node().index > 0 {
            return self.take_part(&mut inbox);
        }
        let bytes = self.pass_on(&mut inbox, &self.node().first_ranks, bytes.map(Arc::new))?;
        if self.node().size() == 1 {
            return Ok(SharedBytes::private(&bytes));
        }
        self.provide(&mut inbox, bytes)
    }

    /// What the first process of a node does.
    fn provide(&self, inbox: &mut Inbox, bytes: Arc<Vec<u8>>) -> Result<SharedBytes, Error> {
        let file = SharedFile::write(&bytes).ok();
        let own = file.as_ref().and_then(|file| mapped(file.path(), bytes.len()).ok());
        let path = file.as_ref().map_or(&[][..], |file| file.path().as_os_str().as_encoded_bytes());
        let note = Arc::new([&(bytes.len() as u64).to_ne_bytes(), path].concat());
        let others = &self.node().members[1..];
        for &other in others {
            self.post(other, Kind::Collective, Arc::clone(&note))?;
        }
        let mut is_shared = false;
        for &other in others {
            match inbox.next_from(other)?[..] {
                [HAS_MAPPED_IT] => is_shared = true,
                _ => self.post(other, Kind::Collective, Arc::clone(&bytes))?,
            }
        }
        Ok(match own {
            Some(memory) => SharedBytes::mapped(memory, is_shared),
            None => SharedBytes::private(&bytes),
        })
    }

    /// What the other processes of a node do.
    fn take_part(&self, inbox: &mut Inbox) -> Result<SharedBytes, Error> {
        let first = self.node().first();
        let note = inbox.next_from(first)?;
        let memory = named(&note).and_then(|(path, length)| mapped(path, length).ok());
        self.post(first, Kind::Collective, Arc::new(vec![u8::from(memory.is_some())]))?;
        match memory {
            Some(memory) => Ok(SharedBytes::mapped(memory, true)),
            None => Ok(SharedBytes::private(&inbox.next_from(first)?)),
        }
    }
}

/// The file and the length that a note names; nothing if there is no file.
fn named(note: &[u8]) -> Option<(&Path, usize)> {
    let (length, path) = note.split_first_chunk()?;
    let length = usize::try_from(u64::from_ne_bytes(*length)).ok()?;
    let path = std::str::from_utf8(path).ok().filter(|path| !path.is_empty())?;
    Some((Path::new(OsStr::new(path)), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_a_file_or_none() {
        let note = |path: &str| [&7_u64.to_ne_bytes()[..], path.as_bytes()].concat();
        assert_eq!(named(&note("/dev/shm/a")), Some((Path::new("/dev/shm/a"), 7)));
        assert_eq!(named(&note("")), None);
        assert_eq!(named(&[1, 2]), None);
    }
}
