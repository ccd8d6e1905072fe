//! The MPI library of the job, loaded while the program runs, and its functions by name.

use std::ffi::{CStr, CString, c_void};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::system::{RTLD_DEFAULT, RTLD_GLOBAL, RTLD_LAZY, dlerror, dlopen, dlsym};

/// What the loader calls the library. It is loaded once and never again taken away.
static LIBRARY: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Loads a library by its path, or by a name that the loader looks for.
pub fn load(file: &str) -> Result<(), String> {
    let name = CString::new(file).map_err(|_| "the name contains a 0".to_string())?;
    // Global: parts that a library loads by itself may expect to find it.
    let library = unsafe { dlopen(name.as_ptr(), RTLD_LAZY | RTLD_GLOBAL) };
    if library.is_null() {
        return Err(what_the_loader_says());
    }
    LIBRARY.store(library, Ordering::Release);
    Ok(())
}

fn what_the_loader_says() -> String {
    let text = unsafe { dlerror() };
    if text.is_null() {
        return "cannot be loaded".to_string();
    }
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A function of the library, looked up at its first call.
pub struct Real {
    name: &'static CStr,
    /// 0: not looked up yet.
    address: AtomicUsize,
}

impl Real {
    pub const fn new(name: &'static CStr) -> Real {
        Real { name, address: AtomicUsize::new(0) }
    }

    /// Where it is, if the library has it.
    pub fn address(&self) -> Option<usize> {
        match self.address.load(Ordering::Relaxed) {
            0 => {
                let found = tool(self.name).or_else(|| find(self.name))?;
                self.address.store(found, Ordering::Relaxed);
                Some(found)
            }
            address => Some(address),
        }
    }
}

/// A function that a preloaded tool has under MPI's name: it records the call and passes it on.
/// This is what a program that is linked to MPI would call.
fn tool(name: &CStr) -> Option<usize> {
    let public = CStr::from_bytes_with_nul(name.to_bytes_with_nul().strip_prefix(b"P")?).ok()?;
    let everywhere = |name: &CStr| unsafe { dlsym(RTLD_DEFAULT, name.as_ptr()) } as usize;
    // If another MPI library is in front, it would get calls of this one. Tools leave this function
    // alone.
    let witness = c"PMPI_Get_library_version";
    let is_ours = find(witness).is_some_and(|found| found == everywhere(witness));
    Some(everywhere(public)).filter(|&found| is_ours && found != 0)
}

/// The address of a function or variable of the library.
pub fn find(name: &CStr) -> Option<usize> {
    let library = LIBRARY.load(Ordering::Acquire);
    if library.is_null() {
        return None;
    }
    let found = unsafe { dlsym(library, name.as_ptr()) };
    (!found.is_null()).then_some(found as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_missing_is_named_by_the_loader() {
        let said = load("libthere-is-none.so.7").unwrap_err();
        assert!(said.contains("libthere-is-none.so.7"), "{said}");
        assert!(load("a\0b").is_err());
        assert_eq!(find(c"PMPI_Init"), None);
    }
}
