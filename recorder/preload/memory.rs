//! Memory that is part of a file. Miri does not support such memory, and address sanitizers do not
//! see its ends. For them (`--cfg plain_memory`) it is plain memory, and its use can be checked.

use std::fs::File;
use std::io;

#[cfg(not(any(miri, plain_memory)))]
mod kind {
    use std::os::fd::AsRawFd;
    use std::ptr;

    use super::*;
    use crate::system::{
        MAP_FAILED, MAP_SHARED, MREMAP_MAYMOVE, PROT_READ, PROT_WRITE, RLIMIT_FSIZE, getrlimit,
        mmap, mremap, munmap, posix_fallocate,
    };

    pub fn take_room(file: &File, from: u64, to: u64) -> io::Result<()> {
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

    pub fn map(file: &File, offset: u64, length: usize) -> io::Result<*mut u64> {
        let protection = PROT_READ | PROT_WRITE;
        let address = unsafe {
            mmap(ptr::null_mut(), length, protection, MAP_SHARED, file.as_raw_fd(), offset as i64)
        };
        if address == MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address.cast()) }
    }

    pub unsafe fn remap(memory: *mut u64, old: usize, new: usize) -> Option<*mut u64> {
        let moved = unsafe { mremap(memory.cast(), old, new, MREMAP_MAYMOVE) };
        (moved != MAP_FAILED).then_some(moved.cast())
    }

    pub unsafe fn unmap(memory: *mut u64, length: usize) {
        unsafe { munmap(memory.cast(), length) };
    }
}

#[cfg(any(miri, plain_memory))]
mod kind {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    use super::*;

    fn layout(length: usize) -> Layout {
        Layout::from_size_align(length, 4096).unwrap()
    }

    pub fn take_room(file: &File, _: u64, to: u64) -> io::Result<()> {
        file.set_len(to)
    }

    pub fn map(_: &File, _: u64, length: usize) -> io::Result<*mut u64> {
        Ok(unsafe { alloc_zeroed(layout(length)) }.cast())
    }

    pub unsafe fn remap(memory: *mut u64, old: usize, new: usize) -> Option<*mut u64> {
        unsafe {
            let moved: *mut u64 = alloc_zeroed(layout(new)).cast();
            moved.copy_from_nonoverlapping(memory, old.min(new) / 8);
            unmap(memory, old);
            Some(moved)
        }
    }

    pub unsafe fn unmap(memory: *mut u64, length: usize) {
        unsafe { dealloc(memory.cast(), layout(length)) };
    }
}

/// Reserves room on the disk before it is used. If the disk is full, or a limit on file sizes is
/// reached, this returns an error. A later write to the mapped memory would end the job instead.
pub fn take_room(file: &File, from: u64, to: u64) -> io::Result<()> {
    kind::take_room(file, from, to)
}

/// A part of a file as memory, which begins and ends at page boundaries.
pub fn map(file: &File, offset: u64, length: usize) -> io::Result<*mut u64> {
    kind::map(file, offset, length)
}

/// The same part with another length, perhaps elsewhere in memory; nothing if there is no room, and
/// then it stays as it was.
///
/// # Safety
/// `memory` must come from here with the length `old`, and must not be used any more if this
/// succeeds.
pub unsafe fn remap(memory: *mut u64, old: usize, new: usize) -> Option<*mut u64> {
    unsafe { kind::remap(memory, old, new) }
}

/// Gives memory back.
///
/// # Safety
/// `memory` must come from here with this length, and must not be used any more.
pub unsafe fn unmap(memory: *mut u64, length: usize) {
    unsafe { kind::unmap(memory, length) }
}
