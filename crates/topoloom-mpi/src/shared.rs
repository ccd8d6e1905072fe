//! One copy of the same bytes on every node.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use crate::envelope::Kind;
use crate::error::Error;
use crate::inbox::Inbox;
use crate::office::Office;
use crate::shared_file::{SharedFile, mapped};
use crate::views::{SharedBytes, bytes_of};

const HAS_MAPPED_IT: u8 = 1;

/// The memory of the first process, and those who do not have it.
type Offered = (Option<&'static [u8]>, Vec<usize>);

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

    /// Memory of the node with the same numbers. All processes of the job have to call this with
    /// equal lists. Nothing if this process is alone on its node, or the system lets processes share
    /// nothing.
    pub fn common_u32s(&self, list: &[u32]) -> Result<Option<&'static [u32]>, Error> {
        let common = self.common(bytes_of(list))?;
        common.map(|bytes| bytes.u32s(0..size_of_val(list))).transpose()
    }

    /// As [`common_u32s`](Self::common_u32s), for positions.
    pub fn common_usizes(&self, list: &[usize]) -> Result<Option<&'static [usize]>, Error> {
        let common = self.common(bytes_of(list))?;
        common.map(|bytes| bytes.usizes(0..size_of_val(list))).transpose()
    }

    /// As [`common_u32s`](Self::common_u32s), for floating-point numbers.
    pub fn common_f64s(&self, list: &[f64]) -> Result<Option<&'static [f64]>, Error> {
        let common = self.common(bytes_of(list))?;
        common.map(|bytes| bytes.f64s(0..size_of_val(list))).transpose()
    }

    /// What the processes of a node all have, once.
    fn common(&self, bytes: &[u8]) -> Result<Option<SharedBytes>, Error> {
        if self.node().size() == 1 {
            return Ok(None);
        }
        let mut inbox = self.begin_collective();
        let memory = match self.node().index {
            0 => self.offer(&mut inbox, bytes)?.0,
            _ => self.accept(&mut inbox)?,
        };
        Ok(memory.map(|memory| SharedBytes::mapped(memory, true)))
    }

    /// What the first process of a node does.
    fn provide(&self, inbox: &mut Inbox, bytes: Arc<Vec<u8>>) -> Result<SharedBytes, Error> {
        let (own, others) = self.offer(inbox, &bytes)?;
        for &other in &others {
            self.post(other, Kind::Collective, Arc::clone(&bytes))?;
        }
        let is_shared = others.len() + 1 < self.node().size();
        Ok(match own {
            Some(memory) => SharedBytes::mapped(memory, is_shared),
            None => SharedBytes::private(&bytes),
        })
    }

    /// Puts bytes where the other processes of the node can map them. Returns the memory, and those
    /// who could not map it.
    fn offer(&self, inbox: &mut Inbox, bytes: &[u8]) -> Result<Offered, Error> {
        let file = SharedFile::write(bytes).ok();
        let own = file.as_ref().and_then(|file| mapped(file.path(), bytes.len()).ok());
        let path = file.as_ref().map_or(&[][..], |file| file.path().as_os_str().as_encoded_bytes());
        let note = Arc::new([&(bytes.len() as u64).to_ne_bytes(), path].concat());
        let others = &self.node().members[1..];
        for &other in others {
            self.post(other, Kind::Collective, Arc::clone(&note))?;
        }
        let mut without = Vec::new();
        for &other in others {
            if inbox.next_from(other)?[..] != [HAS_MAPPED_IT] {
                without.push(other);
            }
        }
        Ok((own, without))
    }

    /// Maps what the first process of the node offers, and tells it.
    fn accept(&self, inbox: &mut Inbox) -> Result<Option<&'static [u8]>, Error> {
        let first = self.node().first();
        let note = inbox.next_from(first)?;
        let memory = named(&note).and_then(|(path, length)| mapped(path, length).ok());
        self.post(first, Kind::Collective, Arc::new(vec![u8::from(memory.is_some())]))?;
        Ok(memory)
    }

    /// What the other processes of a node do.
    fn take_part(&self, inbox: &mut Inbox) -> Result<SharedBytes, Error> {
        match self.accept(inbox)? {
            Some(memory) => Ok(SharedBytes::mapped(memory, true)),
            None => Ok(SharedBytes::private(&inbox.next_from(self.node().first())?)),
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
