//! The beginning and the end.

use super::{interpose, invoke};
use crate::recorder::{finish, start};

fn begin(real: impl FnOnce() -> i32) -> i32 {
    let result = real();
    if result == 0 {
        start();
    }
    result
}

interpose! {
    (argc, argv) |real, all| begin(|| real(all));
    C: MPI_Init;
}

interpose! {
    (argc, argv, required, provided) |real, all| begin(|| real(all));
    C: MPI_Init_thread;
}

interpose! {
    () |real, all| { finish(); real(all) };
    C: MPI_Finalize;
}

/// Functions of Fortran that are recorded, whoever made them: nothing is read of their arguments.
macro_rules! in_fortran {
    ($($name:ident $module:ident = $real:ident ($($a:ident),*) $before:expr, $after:expr;)*) => {$(
        in_fortran! {@one $name $real ($($a),*) $before, $after}
        in_fortran! {@one $module $real ($($a),*) $before, $after}
    )*};
    (@one $name:ident $real:ident ($($a:ident),*) $before:expr, $after:expr) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($a: usize,)* error: *mut i32) {
            static REAL: crate::symbols::Real =
                crate::symbols::Real::new(super::symbol(concat!(stringify!($real), "\0")));
            $before;
            let _ = invoke!(REAL; $($a,)* error as usize);
            if error.is_null() || unsafe { *error } == 0 {
                $after;
            }
        }
    };
}

in_fortran! {
    mpi_init_ ompi_init_f = pmpi_init_ () (), start();
    mpi_init_thread_ ompi_init_thread_f = pmpi_init_thread_ (required, provided) (), start();
    mpi_finalize_ ompi_finalize_f = pmpi_finalize_ () finish(), ();
}
