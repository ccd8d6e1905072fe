//! What is used of the C library beyond what Rust's standard library wraps.

use std::ffi::{c_char, c_int, c_void};

pub const RTLD_LAZY: c_int = 1;
pub const RTLD_NOLOAD: c_int = 4;
pub const RTLD_GLOBAL: c_int = 0x100;
pub const RTLD_DEFAULT: *mut c_void = std::ptr::null_mut();
pub const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;

pub const PROT_READ: c_int = 1;
pub const PROT_WRITE: c_int = 2;
pub const MAP_SHARED: c_int = 1;
pub const MREMAP_MAYMOVE: c_int = 1;
pub const RLIMIT_FSIZE: c_int = 1;
pub const MAP_FAILED: *mut c_void = usize::MAX as *mut c_void;

/// The beginning of what the loader says about a loaded library.
#[repr(C)]
pub struct LoadedLibrary {
    pub address: usize,
    pub name: *const c_char,
}

/// Called for each loaded library until it returns something other than 0.
pub type LibraryVisitor =
    unsafe extern "C" fn(info: *const LoadedLibrary, size: usize, data: *mut c_void) -> c_int;

unsafe extern "C" {
    pub fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    pub fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    /// What went wrong in the loader the last time, in this thread.
    pub fn dlerror() -> *const c_char;
    pub fn dl_iterate_phdr(visit: LibraryVisitor, data: *mut c_void) -> c_int;
    pub fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    pub fn mremap(address: *mut c_void, old: usize, new: usize, flags: c_int, ...) -> *mut c_void;
    pub fn getrlimit(resource: c_int, limits: *mut [u64; 2]) -> c_int;
    pub fn munmap(address: *mut c_void, length: usize) -> c_int;
    pub fn posix_fallocate(file: c_int, offset: i64, length: i64) -> c_int;
    pub fn sched_getaffinity(process: c_int, bytes: usize, mask: *mut u8) -> c_int;
    /// Ends the process without running anything that it planned for its end.
    pub fn _exit(code: c_int) -> !;
    pub fn gethostname(name: *mut c_char, length: usize) -> c_int;
}
