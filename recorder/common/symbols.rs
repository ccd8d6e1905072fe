//! The functions of the MPI library, found by name while the program runs.

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::system::{
    LoadedLibrary, RTLD_DEFAULT, RTLD_LAZY, RTLD_NEXT, RTLD_NOLOAD, dl_iterate_phdr, dlopen, dlsym,
};

/// A function of the MPI library, looked up at its first call.
pub struct Real {
    name: &'static CStr,
    /// 0: not looked up yet; 1: not there.
    address: AtomicUsize,
}

const NOT_THERE: usize = 1;

impl Real {
    pub const fn new(name: &'static CStr) -> Real {
        Real { name, address: AtomicUsize::new(0) }
    }

    pub fn name(&self) -> &'static str {
        self.name.to_str().unwrap_or("a function")
    }

    /// Where it is, if the library has it.
    #[inline]
    pub fn address(&self) -> Option<usize> {
        match self.address.load(Ordering::Relaxed) {
            0 => self.look(),
            NOT_THERE => None,
            address => Some(address),
        }
    }

    #[cold]
    fn look(&self) -> Option<usize> {
        // Not our own: some functions here have the library's names.
        let found = find_from(RTLD_NEXT, self.name);
        self.address.store(found.unwrap_or(NOT_THERE), Ordering::Relaxed);
        found
    }
}

/// The address of a variable as the program sees it: it may have its own copy.
pub fn find(name: &CStr) -> Option<usize> {
    find_from(RTLD_DEFAULT, name)
}

fn find_from(order: *mut c_void, name: &CStr) -> Option<usize> {
    let found = unsafe { dlsym(order, name.as_ptr()) };
    if !found.is_null() {
        return Some(found as usize);
    }
    // Python loads MPI for one module only: such libraries have to be asked one by one. They are
    // opened after the list is complete, because the loader must not be called while the list is
    // being read.
    let mut libraries: Vec<CString> = Vec::new();
    unsafe { dl_iterate_phdr(note, (&raw mut libraries).cast()) };
    libraries.iter().find_map(|file| {
        let library = unsafe { dlopen(file.as_ptr(), RTLD_LAZY | RTLD_NOLOAD) };
        let found = match library.is_null() {
            true => return None,
            false => unsafe { dlsym(library, name.as_ptr()) },
        };
        (!found.is_null()).then_some(found as usize)
    })
}

/// Adds the file of a library that may be MPI's to a list of names.
unsafe extern "C" fn note(info: *const LoadedLibrary, _size: usize, data: *mut c_void) -> c_int {
    let (info, names) = unsafe { (&*info, &mut *data.cast::<Vec<CString>>()) };
    if !info.name.is_null() {
        let file = unsafe { CStr::from_ptr(info.name) };
        let base = file.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        if base.starts_with(b"lib") && base.windows(3).any(|part| part == b"mpi") {
            names.push(file.to_owned());
        }
    }
    0
}
