//! A file that grows and is written as memory: its contents outlive the process.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::ptr;

use crate::layout::RECORD_BYTES;
use crate::memory::{map, remap, take_room, unmap};

/// A new file for reading and writing. An existing file of that name is an error, so a second job
/// does not overwrite the first.
pub fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// A file that is in memory from its beginning.
pub struct WholeFile {
    file: File,
    memory: *mut u64,
    /// Bytes that the file has, all of them in memory.
    length: usize,
}

impl WholeFile {
    /// Reserves room for `length` bytes.
    pub fn new(file: File, length: usize) -> io::Result<WholeFile> {
        take_room(&file, 0, length as u64)?;
        let memory = map(&file, 0, length)?;
        Ok(WholeFile { file, memory, length })
    }

    /// Room for this many bytes; false if there is none.
    #[inline]
    pub fn reach(&mut self, bytes: usize) -> bool {
        bytes <= self.length || self.grow(bytes)
    }

    #[cold]
    fn grow(&mut self, bytes: usize) -> bool {
        let length = (self.length * 2).max(bytes.next_multiple_of(4096));
        if take_room(&self.file, self.length as u64, length as u64).is_err() {
            return false;
        }
        let Some(moved) = (unsafe { remap(self.memory, self.length, length) }) else {
            return false;
        };
        (self.memory, self.length) = (moved, length);
        true
    }

    /// The number at a place counted in numbers. The file must already reach that far.
    #[inline]
    pub fn number(&mut self, place: usize) -> &mut u64 {
        debug_assert!(place * 8 < self.length);
        unsafe { &mut *self.memory.add(place) }
    }

    /// A number that a reader may see at any time, after everything that was written before.
    #[inline]
    pub fn publish(&mut self, place: usize, value: u64) {
        debug_assert!(place * 8 < self.length);
        unsafe {
            std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::Release);
            self.memory.add(place).write_volatile(value);
        }
    }

    /// Writes text into a range of bytes, which ends with a 0.
    pub fn write_text(&mut self, range: std::ops::Range<usize>, text: &[u8]) {
        let text = &text[..text.len().min(range.len() - 1)];
        let text = CString::new(text).unwrap_or_default();
        let place = unsafe { self.memory.cast::<u8>().add(range.start) };
        unsafe { ptr::copy_nonoverlapping(text.as_ptr().cast(), place, text.as_bytes().len()) };
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        unsafe { unmap(self.memory, self.length) };
    }
}

/// A file of records of which only the last part is in memory.
pub struct Log {
    file: File,
    window: *mut u64,
    /// Records before the window, and in it.
    before: u64,
    used: usize,
    full: bool,
}

const WINDOW_BYTES: usize = 1 << 18;
const WINDOW_RECORDS: usize = WINDOW_BYTES / RECORD_BYTES;

impl Log {
    pub fn new(file: File) -> io::Result<Log> {
        let mut log = Log { file, window: ptr::null_mut(), before: 0, used: 0, full: false };
        log.open_window()?;
        Ok(log)
    }

    fn open_window(&mut self) -> io::Result<()> {
        let begin = self.before * RECORD_BYTES as u64;
        take_room(&self.file, begin, begin + WINDOW_BYTES as u64)?;
        self.window = map(&self.file, begin, WINDOW_BYTES)?;
        self.used = 0;
        Ok(())
    }

    /// The number of records.
    #[inline]
    pub fn len(&self) -> u64 {
        self.before + self.used as u64
    }

    /// Whether there was no room for a record.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Appends a record, if there is room.
    #[inline]
    pub fn push(&mut self, record: [u64; 4]) {
        if self.used == WINDOW_RECORDS && !self.next_window() {
            return;
        }
        unsafe { self.window.add(self.used * 4).cast::<[u64; 4]>().write(record) };
        self.used += 1;
    }

    #[cold]
    fn next_window(&mut self) -> bool {
        if self.full {
            return false;
        }
        unsafe { unmap(self.window, WINDOW_BYTES) };
        self.window = ptr::null_mut();
        self.before += WINDOW_RECORDS as u64;
        self.full = self.open_window().is_err();
        if self.full {
            self.before -= WINDOW_RECORDS as u64;
            self.used = WINDOW_RECORDS;
        }
        !self.full
    }

    /// Changes one number of a record that was appended.
    pub fn change(&mut self, record: u64, number: usize, value: u64) {
        use std::os::unix::fs::FileExt;
        if record >= self.before && !self.window.is_null() {
            let place = (record - self.before) as usize;
            if place < self.used {
                unsafe { self.window.add(place * 4 + number).write(value) };
            }
        } else {
            let offset = record * RECORD_BYTES as u64 + 8 * number as u64;
            // The reader of the file leaves out an event whose partner stays unknown.
            let _ = self.file.write_all_at(&value.to_ne_bytes(), offset);
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if !self.window.is_null() {
            unsafe { unmap(self.window, WINDOW_BYTES) };
        }
        let _ = self.file.set_len(self.len() * RECORD_BYTES as u64);
    }
}

#[cfg(test)]
pub mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A name in the system's folder for temporary files. The file is removed at the end.
    pub struct Temporary(pub PathBuf);

    impl Temporary {
        pub fn new() -> Temporary {
            static NUMBER: AtomicU32 = AtomicU32::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("topoloom-recorder-{}-{number}", std::process::id());
            Temporary(std::env::temp_dir().join(name))
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    /// The numbers of a file. Plain memory, as under Miri, is not the memory of the file.
    fn numbers(path: &Path) -> Option<Vec<u64>> {
        let bytes = fs::read(path).unwrap();
        let number = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap());
        (!cfg!(any(miri, plain_memory))).then(|| bytes.chunks_exact(8).map(number).collect())
    }

    #[test]
    fn a_file_that_grows_keeps_what_was_written() {
        let path = Temporary::new();
        let mut file = WholeFile::new(create(&path.0).unwrap(), 4096).unwrap();
        // Another file of the same name is refused.
        assert!(create(&path.0).is_err());
        for place in 0..5000 {
            assert!(file.reach(8 * (place + 1)));
            *file.number(place) = 3 * place as u64;
        }
        file.publish(7, 1);
        file.write_text(80..96, b"a text that is too long");
        assert_eq!((*file.number(4999), *file.number(7)), (3 * 4999, 1));
        let text = [*file.number(10), *file.number(11)].map(u64::to_ne_bytes).concat();
        // The last byte is as it was: text ends before it.
        assert_eq!(&text[..15], b"a text that is ");
        drop(file);
        if let Some(numbers) = numbers(&path.0) {
            assert_eq!((numbers[4999], numbers[7], numbers.len() * 8), (3 * 4999, 1, 1 << 16));
        }
    }

    #[test]
    fn text_with_a_zero_in_it_is_not_written() {
        let path = Temporary::new();
        let mut file = WholeFile::new(create(&path.0).unwrap(), 4096).unwrap();
        file.write_text(8..16, b"a\0b");
        assert_eq!(*file.number(1), 0);
    }

    #[test]
    fn a_log_goes_through_windows_and_its_records_can_be_changed() {
        let path = Temporary::new();
        let mut log = Log::new(create(&path.0).unwrap()).unwrap();
        let records = 2 * WINDOW_RECORDS as u64 + 3;
        for number in 0..records {
            assert_eq!(log.len(), number);
            log.push([number, 1, 2, 3]);
        }
        assert!(!log.is_full());
        // In a window that is gone, in the present one, and in one that does not exist.
        log.change(1, 2, 77);
        log.change(records - 1, 3, 88);
        log.change(records, 0, 99);
        drop(log);
        if let Some(numbers) = numbers(&path.0) {
            assert_eq!(numbers.len() as u64, 4 * records);
            assert_eq!(numbers[4..8], [1, 1, 77, 3]);
            assert_eq!(numbers[numbers.len() - 4..], [records - 1, 1, 2, 88]);
        }
    }
}
