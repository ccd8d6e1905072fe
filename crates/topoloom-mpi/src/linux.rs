//! Everything that calls MPI, and what has to be known of the system for it.

mod arrivals;
mod between;
mod clerk;
mod joining;
mod launch;
mod mpi;
mod outbox;
mod pause;
mod request;
mod search;
pub mod symbols;

// The recorder knows the constants of MPI libraries, and who started a process.
#[path = "../../../recorder/common/ancestors.rs"]
#[allow(dead_code)]
mod ancestors;
#[path = "../../../recorder/common/library.rs"]
#[allow(dead_code)]
mod library;
#[path = "../../../recorder/common/system.rs"]
#[allow(dead_code)]
mod system;

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;

pub use joining::join;

/// Ends this process without anything that was planned for its end: MPI would wait for others.
pub fn exit(code: i32) -> ! {
    unsafe { system::_exit(code) }
}

/// The first bytes of a file as memory that can only be read, until the process ends. There must be
/// at least one.
pub fn map(file: &File, length: usize) -> io::Result<&'static [u8]> {
    let (protection, flags) = (system::PROT_READ, system::MAP_SHARED);
    let memory =
        unsafe { system::mmap(ptr::null_mut(), length, protection, flags, file.as_raw_fd(), 0) };
    if memory == system::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // Nobody writes to it: only the process that made the file could, and it has closed it. It is
    // never unmapped.
    Ok(unsafe { std::slice::from_raw_parts(memory.cast(), length) })
}
