//! Functions that call the real ones with another communicator.
//!
//! Each has two names. Programs in C call `MPI_Send`; libraries of Fortran call `PMPI_Send`. The
//! real function is the next one with the second name.

/// Gives a function its two names.
macro_rules! exported {
    ($name:ident ($($a:ident),*) $function:ident) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $name($($a: usize),*) -> i32 {
            unsafe { $function($($a),*) }
        }

        #[unsafe(export_name = concat!("P", stringify!($name)))]
        unsafe extern "C" fn profiling($($a: usize),*) -> i32 {
            unsafe { $function($($a),*) }
        }
    };
}
pub(crate) use exported;

/// Defines functions with these arguments. Arguments called `comm` and `other_comm` are
/// communicators.
macro_rules! through {
    ($($arguments:tt: $($name:ident)*;)*) => {$($(through! {@one $name $arguments})*)*};
    (@one $name:ident ($($a:ident),*)) => {
        const _: () = {
            $crate::translate::exported! {$name ($($a),*) call}

            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            unsafe fn call($($a: usize),*) -> i32 {
                static REAL: $crate::symbols::Real = $crate::symbols::Real::new(
                    $crate::invoke::symbol(concat!("P", stringify!($name), "\0")),
                );
                $crate::invoke::invoke!(REAL; $($crate::translate::meant!($a $a)),*)
            }
        };
    };
}
pub(crate) use through;

/// An argument, translated if it is a communicator.
macro_rules! meant {
    (comm $passed:ident) => {
        $crate::world::translated($passed)
    };
    (other_comm $passed:ident) => {
        $crate::world::translated($passed)
    };
    ($other:ident $passed:ident) => {
        $passed
    };
}
pub(crate) use meant;

/// The same for functions with 64-bit counts, each with the function to call if the library does
/// not have it.
macro_rules! large {
    ($($arguments:tt: $($name:ident $plain:ident),*;)*) => {
        $($(large! {@one $name $plain $arguments})*)*
    };
    (@one $name:ident $plain:ident ($($a:ident),*)) => {
        const _: () = {
            $crate::translate::exported! {$name ($($a),*) call}

            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            unsafe fn call($($a: usize),*) -> i32 {
                static REAL: $crate::symbols::Real = $crate::symbols::Real::new(
                    $crate::invoke::symbol(concat!("P", stringify!($name), "\0")),
                );
                $(let $a = $crate::translate::meant!($a $a);)*
                match REAL.address() {
                    Some(_) => $crate::invoke::invoke!(REAL; $($a),*),
                    None => small($($a),*),
                }
            }

            /// Some programs bring functions with 64-bit counts along for libraries that have none,
            /// and ours are found instead of theirs.
            #[cold]
            #[inline(never)]
            #[allow(clippy::too_many_arguments)]
            fn small($($a: usize),*) -> i32 {
                static PLAIN: $crate::symbols::Real = $crate::symbols::Real::new(
                    $crate::invoke::symbol(concat!("P", stringify!($plain), "\0")),
                );
                let names = [$(stringify!($a)),*];
                let small = $crate::large_counts::Small::of(
                    stringify!($name), &names, &[$($a),*],
                );
                match small {
                    Ok(small) => {
                        let mut next = small.arguments();
                        $(let $a = next.next().unwrap_or($a);)*
                        $crate::invoke::invoke!(PLAIN; $($a),*)
                    }
                    Err(code) => code,
                }
            }
        };
    };
}
pub(crate) use large;

/// Defines a function that is more than a translation. The body gets the arguments as they were
/// passed.
macro_rules! instead {
    ($name:ident ($($a:ident),*) $body:expr) => {
        const _: () = {
            $crate::translate::exported! {$name ($($a),*) call}

            #[allow(clippy::too_many_arguments)]
            unsafe fn call($($a: usize),*) -> i32 {
                $body
            }
        };
    };
}
pub(crate) use instead;
