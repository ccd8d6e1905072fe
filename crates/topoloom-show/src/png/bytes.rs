//! Numbers in a TrueType file.

/// A part of a file, whose numbers have their highest byte first. A place beyond its end has none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    fn array<const COUNT: usize>(self, at: usize) -> Option<[u8; COUNT]> {
        self.0.get(at..)?.first_chunk().copied()
    }

    pub fn u8(self, at: usize) -> Option<u8> {
        self.array(at).map(u8::from_be_bytes)
    }

    pub fn i8(self, at: usize) -> Option<i8> {
        self.array(at).map(i8::from_be_bytes)
    }

    pub fn u16(self, at: usize) -> Option<u16> {
        self.array(at).map(u16::from_be_bytes)
    }

    pub fn i16(self, at: usize) -> Option<i16> {
        self.array(at).map(i16::from_be_bytes)
    }

    pub fn u32(self, at: usize) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    pub fn part(self, start: usize, length: usize) -> Option<Bytes<'a>> {
        self.0.get(start..start.checked_add(length)?).map(Bytes)
    }

    /// A table of the whole file.
    pub fn table(self, name: &[u8; 4]) -> Option<Bytes<'a>> {
        let entry = (0..usize::from(self.u16(4)?))
            .map(|index| 12 + 16 * index)
            .find(|&entry| self.array(entry).as_ref() == Some(name))?;
        self.part(self.u32(entry + 8)? as usize, self.u32(entry + 12)? as usize)
    }
}
