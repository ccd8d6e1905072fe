//! What belongs to the world in the library itself: attributes, error handlers, and the end.

use crate::invoke::invoke;
use crate::library::{self, Library};
use crate::symbols::Real;
use crate::translate::instead;
use crate::world::{is_replaced, library, replacement, restore, translated};

/// Predefined attributes are on the real world only, in Open MPI. Those of the program are on what
/// takes its place.
fn get_attribute(comm: usize, flag: usize, real: impl Fn(usize) -> i32) -> i32 {
    let result = real(translated(comm));
    let is_missing = || unsafe { *(flag as *const i32) } == 0;
    match library() {
        Some(library) if is_replaced(comm) && result == 0 && is_missing() => real(library.world),
        _ => result,
    }
}

instead! {
    MPI_Comm_get_attr (comm, keyval, value, flag) {
        static REAL: Real = Real::new(c"PMPI_Comm_get_attr");
        get_attribute(comm, flag, |comm| invoke!(REAL; comm, keyval, value, flag))
    }
}

instead! {
    MPI_Attr_get (comm, keyval, value, flag) {
        static REAL: Real = Real::new(c"PMPI_Attr_get");
        get_attribute(comm, flag, |comm| invoke!(REAL; comm, keyval, value, flag))
    }
}

/// Errors that belong to no communicator go to the handler of the real world.
fn set_error_handler(comm: usize, real: impl Fn(usize) -> i32) -> i32 {
    if is_replaced(comm)
        && let Some(library) = library()
    {
        real(library.world);
    }
    real(translated(comm))
}

instead! {
    MPI_Comm_set_errhandler (comm, handler) {
        static REAL: Real = Real::new(c"PMPI_Comm_set_errhandler");
        set_error_handler(comm, |comm| invoke!(REAL; comm, handler))
    }
}

instead! {
    MPI_Errhandler_set (comm, handler) {
        static REAL: Real = Real::new(c"PMPI_Errhandler_set");
        set_error_handler(comm, |comm| invoke!(REAL; comm, handler))
    }
}

/// Arranges that what takes the place of the world is freed at the end: after everything that the
/// program has planned for its end. MPI_Finalize first deletes the attributes of `MPI_COMM_SELF`,
/// and the first one last.
pub fn free_at_end(library: &Library) {
    let mut keyval = 0_i32;
    let (copy, delete) = (do_not_copy as *const () as usize, delete as *const () as usize);
    let address = &raw mut keyval as usize;
    unsafe {
        if library::comm_create_keyval(copy, delete, address, 0) == Some(0) {
            library::comm_set_attr(library.comm_self, keyval as usize, 0);
        }
    }
}

unsafe extern "C" fn do_not_copy(
    _comm: usize,
    _keyval: i32,
    _extra: usize,
    _value: usize,
    _copied: usize,
    flag: *mut i32,
) -> i32 {
    unsafe { *flag = 0 };
    0
}

unsafe extern "C" fn delete(_comm: usize, _keyval: i32, _value: usize, _extra: usize) -> i32 {
    if let Some(mut new) = replacement() {
        // This deletes the program's attributes, whose functions may still use the world.
        unsafe { library::comm_free(&raw mut new as usize) };
    }
    restore();
    0
}
