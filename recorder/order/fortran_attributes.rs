//! Attributes that Fortran programs set and get. Their functions ask the library's own tables, without
//! any function of C that we see.

use crate::invoke::invoke;
use crate::library::{Family, comm_to_fortran};
use crate::symbols::Real;
use crate::world::{library, replacement, translated};

/// The number of the communicator that is meant by this one, which Fortran passes by its address.
/// Only Open MPI is read like this: in MPICH, the functions below are called in turn.
unsafe fn meant(comm: usize) -> Option<i32> {
    /// What Fortran programs call the world in Open MPI.
    const WORLD: i32 = 0;
    let is_world = unsafe { *(comm as *const i32) } == WORLD;
    let is_open_mpi = library().is_some_and(|library| library.family == Family::OpenMpi);
    (is_world && is_open_mpi).then(|| replacement().map(comm_to_fortran)).flatten()
}

/// Defines a function under the names by which programs and modules call it.
macro_rules! fortran {
    (@one $name:ident ($($a:ident),*) $body:expr) => {
        const _: () = {
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($a: usize),*) {
                let _ = unsafe { $body };
            }
        };
    };
    ($($name:ident)*; $arguments:tt $body:expr) => {
        $(fortran! {@one $name $arguments $body})*
    };
}

unsafe fn set(real: &Real, comm: usize, key: usize, value: usize, error: usize) -> i32 {
    match unsafe { meant(comm) } {
        None => invoke!(real; comm, key, value, error),
        Some(new) => {
            let comm = &raw const new as usize;
            invoke!(real; comm, key, value, error)
        }
    }
}

/// Predefined attributes are on the real world only.
unsafe fn get(real: &Real, [comm, key, value, flag, error]: [usize; 5]) -> i32 {
    if let Some(new) = unsafe { meant(comm) } {
        let comm = &raw const new as usize;
        let result = invoke!(real; comm, key, value, flag, error);
        if unsafe { *(flag as *const i32) } != 0 {
            return result;
        }
    }
    invoke!(real; comm, key, value, flag, error)
}

fortran! {
    mpi_comm_set_attr_ pmpi_comm_set_attr_ ompi_comm_set_attr_f;
    (comm, key, value, error) {
        static REAL: Real = Real::new(c"pmpi_comm_set_attr_");
        set(&REAL, comm, key, value, error)
    }
}

fortran! {
    mpi_attr_put_ pmpi_attr_put_ ompi_attr_put_f;
    (comm, key, value, error) {
        static REAL: Real = Real::new(c"pmpi_attr_put_");
        set(&REAL, comm, key, value, error)
    }
}

fortran! {
    mpi_comm_get_attr_ pmpi_comm_get_attr_ ompi_comm_get_attr_f;
    (comm, key, value, flag, error) {
        static REAL: Real = Real::new(c"pmpi_comm_get_attr_");
        get(&REAL, [comm, key, value, flag, error])
    }
}

fortran! {
    mpi_attr_get_ pmpi_attr_get_ ompi_attr_get_f;
    (comm, key, value, flag, error) {
        static REAL: Real = Real::new(c"pmpi_attr_get_");
        get(&REAL, [comm, key, value, flag, error])
    }
}

/// What MPICH's functions of Fortran call, with handles of C and the kind of the value.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
unsafe extern "C" fn MPII_Comm_set_attr(comm: usize, key: usize, value: usize, kind: usize) -> i32 {
    static REAL: Real = Real::new(c"MPII_Comm_set_attr");
    let comm = translated(comm);
    invoke!(REAL; comm, key, value, kind)
}

#[unsafe(no_mangle)]
#[allow(non_snake_case)]
unsafe extern "C" fn MPII_Comm_get_attr(
    comm: usize,
    key: usize,
    value: usize,
    flag: usize,
    kind: usize,
) -> i32 {
    static REAL: Real = Real::new(c"MPII_Comm_get_attr");
    let comm = translated(comm);
    invoke!(REAL; comm, key, value, flag, kind)
}
