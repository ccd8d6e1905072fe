//! A file that grows and is written as memory: what is in it outlives the process.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr;

use crate::layout::RECORD_BYTES;
use crate::system::{
    MAP_FAILED, MAP_SHARED, MREMAP_MAYMOVE, PROT_READ, PROT_WRITE, RLIMIT_FSIZE, getrlimit, mmap,
    mremap, munmap, posix_fallocate,
};

/// Takes room on the disk before it is used: a full disk is an answer here, and a signal that
/// ends the program where memory is written for which there is no room. So is a limit on files.
fn take_room(file: &File, from: u64, to: u64) -> io::Result<()> {
    let mut limits = [u64::MAX; 2];
    let known = unsafe { getrlimit(RLIMIT_FSIZE, &raw mut limits) } == 0;
    if known && to > limits[0] {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    match unsafe { posix_fallocate(file.as_raw_fd(), from as i64, (to - from) as i64) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

fn map(file: &File, offset: u64, length: usize) -> io::Result<*mut u64> {
    let protection = PROT_READ | PROT_WRITE;
    let address = unsafe {
        mmap(ptr::null_mut(), length, protection, MAP_SHARED, file.as_raw_fd(), offset as i64)
    };
    if address == MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address.cast()) }
}

/// A new file for reading and writing. One of that name is an error, so that a second job does
/// not write over the first.
pub fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// A file that is in memory from its beginning on.
pub struct WholeFile {
    file: File,
    memory: *mut u64,
    /// Bytes that the file has, all of them in memory.
    length: usize,
}

impl WholeFile {
    /// Takes room for `length` bytes.
    pub fn new(file: File, length: usize) -> io::Result<WholeFile> {
        take_room(&file, 0, length as u64)?;
        let memory = map(&file, 0, length)?;
        Ok(WholeFile { file, memory, length })
    }

    /// Room for so many bytes; false if there is none.
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
        let moved = unsafe { mremap(self.memory.cast(), self.length, length, MREMAP_MAYMOVE) };
        if moved == MAP_FAILED {
            return false;
        }
        (self.memory, self.length) = (moved.cast(), length);
        true
    }

    /// The number at a place counted in numbers; it must have been reached.
    #[inline]
    pub fn number(&mut self, place: usize) -> &mut u64 {
        debug_assert!(place * 8 < self.length);
        unsafe { &mut *self.memory.add(place) }
    }

    /// A number that a reader may see at any time, after all that was written before.
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
        unsafe { munmap(self.memory.cast(), self.length) };
    }
}

/// A file of records of which only the last stretch is in memory.
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
        unsafe { munmap(self.window.cast(), WINDOW_BYTES) };
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
            // An event of which the partner stays unknown is left out by who reads the file.
            let _ = self.file.write_all_at(&value.to_ne_bytes(), offset);
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if !self.window.is_null() {
            unsafe { munmap(self.window.cast(), WINDOW_BYTES) };
        }
        let _ = self.file.set_len(self.len() * RECORD_BYTES as u64);
    }
}
