//! The functions that stand before those of MPI, by what they do.

mod collective;
mod communicator;
mod completion;
mod large_counts;
mod lifetime;
mod neighbourhood;
mod one_sided;
mod persistent;
mod point_to_point;
mod probe;
mod receive;

use std::ffi::CStr;

use crate::action::Action;
use crate::clock::ticks;
use crate::recorder::{Recorder, recording, recording_events, say, with};

/// What functions answer that the MPI library does not have: some error.
const NOT_SUPPORTED: i32 = 16;

/// The name of a symbol, from text that ends with a 0.
const fn symbol(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a symbol ends with 0"),
    }
}

/// Says that a function is missing; programs do not call what their library does not have, but
/// some look whether it is there and find ours.
#[cold]
fn missing(name: &str) -> i32 {
    say(&format!("the MPI library has no {name}"));
    NOT_SUPPORTED
}

/// Calls a function by its address with so many arguments.
macro_rules! invoke {
    ($real:expr; $($argument:expr),*) => {
        match $real.address() {
            Some(address) => {
                type Function = unsafe extern "C" fn($(invoke!(@usize $argument)),*) -> i32;
                unsafe { std::mem::transmute::<usize, Function>(address)($($argument),*) }
            }
            None => $crate::calls::missing($real.name()),
        }
    };
    (@usize $argument:expr) => { usize };
}

/// Defines functions of MPI that all have the same arguments, in C, in C with large counts (each
/// with the function that stands in where there is no such), and in Fortran (each with the name
/// under which the library's module calls it; an error code follows the arguments). Calls without
/// a buffer have profiling names instead: it is those that Fortran modules call for them.
///
/// In the body `F` is how the arguments are to be read, and the closure calls the real function.
macro_rules! interpose {
    (
        $arguments:tt |$real:ident, $all:ident| $body:expr;
        $(C: $($c:ident)*;)?
        $(Large: $($large:ident $plain:ident),*;)?
        $(Fortran: $($fortran:ident $module:ident),*;)?
        $(Profiling: $($profiling:ident)*;)?
    ) => {
        $($(interpose! {@c $c (concat!("P", stringify!($c), "\0")) $arguments |$real, $all| $body})*)?
        $($(
            interpose! {
                @c $profiling (concat!(stringify!($profiling), "\0")) $arguments |$real, $all| $body
            }
        )*)?
        $($(interpose! {@large $large $plain $arguments |$real, $all| $body})*)?
        $($(
            interpose! {@fortran $fortran $fortran $arguments |$real, $all| $body}
            interpose! {@fortran $module $fortran $arguments |$real, $all| $body}
        )*)?
    };
    (@c $name:ident $symbol:tt ($($a:ident),*) |$real:ident, $all:ident| $body:expr) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unused_variables)]
        unsafe extern "C" fn $name($($a: usize),*) -> i32 {
            #[allow(dead_code)]
            type F = $crate::form::C;
            static REAL: $crate::symbols::Real =
                $crate::symbols::Real::new($crate::calls::symbol($symbol));
            let $all = [$($a),*];
            let $real = |[$($a),*]: [usize; _]| invoke!(REAL; $($a),*);
            $body
        }
    };
    (@large $name:ident $plain:ident ($($a:ident),*) |$real:ident, $all:ident| $body:expr) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unused_variables)]
        unsafe extern "C" fn $name($($a: usize),*) -> i32 {
            #[allow(dead_code)]
            type F = $crate::form::Large;
            static REAL: $crate::symbols::Real = $crate::symbols::Real::new(
                $crate::calls::symbol(concat!("P", stringify!($name), "\0")),
            );
            static PLAIN: $crate::symbols::Real = $crate::symbols::Real::new(
                $crate::calls::symbol(concat!("P", stringify!($plain), "\0")),
            );
            let $all = [$($a),*];
            let $real = |[$($a),*]: [usize; _]| {
                if REAL.address().is_some() {
                    return invoke!(REAL; $($a),*);
                }
                let names = [$(stringify!($a)),*];
                let small = $crate::calls::large_counts::Small::of(
                    stringify!($name), &names, &[$($a),*],
                );
                match small {
                    Ok(small) => {
                        let mut next = small.arguments();
                        $(let $a = next.next().unwrap_or($a);)*
                        invoke!(PLAIN; $($a),*)
                    }
                    Err(code) => code,
                }
            };
            $body
        }
    };
    (@fortran $name:ident $real_name:ident ($($a:ident),*) |$real:ident, $all:ident| $body:expr) => {
        #[unsafe(no_mangle)]
        #[allow(unused_variables)]
        unsafe extern "C" fn $name($($a: usize,)* error: *mut i32) {
            #[allow(dead_code)]
            type F = $crate::form::Fortran;
            static REAL: $crate::symbols::Real = $crate::symbols::Real::new(
                $crate::calls::symbol(concat!("p", stringify!($real_name), "\0")),
            );
            let $all: [usize; _] = [$($a),*];
            let $real = |[$($a),*]: [usize; _]| {
                $crate::recorder::inside_fortran(|| {
                    let error = error as usize;
                    let _ = invoke!(REAL; $($a,)* error);
                });
                unsafe { if error.is_null() { 0 } else { *error } }
            };
            if $crate::recorder::reads_fortran() {
                let _: i32 = $body;
            } else {
                $real($all);
            }
        }
    };
}
use {interpose, invoke};

/// Calls the real function, and records what a plan makes of it if it succeeds.
#[inline]
fn recorded(
    real: impl FnOnce() -> i32,
    request: impl FnOnce() -> Option<usize>,
    plan: impl FnOnce(&mut Recorder, &mut Action),
) -> i32 {
    if !recording() {
        return real();
    }
    let entered = if recording_events() { ticks() } else { 0 };
    let result = real();
    if result == 0 {
        with(|recorder| {
            // Kept from call to call, so that none takes memory anew.
            let mut action = std::mem::take(&mut recorder.scratch);
            action.clear();
            plan(recorder, &mut action);
            if entered > 0 {
                recorder.enter(entered);
                recorder.perform(&action, request());
                recorder.exit();
            } else {
                recorder.add(&action);
            }
            recorder.scratch = action;
        });
    }
    result
}

/// The same for a call that only prepares what starts will do.
fn prepared(
    real: impl FnOnce() -> i32,
    request: impl FnOnce() -> usize,
    plan: impl FnOnce(&mut Recorder, &mut Action),
) -> i32 {
    let result = real();
    if result == 0 && recording() {
        with(|recorder| {
            let mut action = Action::default();
            plan(recorder, &mut action);
            recorder.persistent.insert(request(), action.into());
        });
    }
    result
}
