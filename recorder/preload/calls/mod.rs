//! The functions that take the place of those of MPI, by what they do.

mod collective;
mod communicator;
mod completion;
mod lifetime;
mod neighbourhood;
mod one_sided;
mod persistent;
mod point_to_point;
mod probe;
mod receive;
mod waiting;

use crate::action::Action;
use crate::clock::ticks;
use crate::invoke::invoke;
use crate::recorder::{Recorder, recording, recording_events, with};

/// The partner of a call, after it returned `$result`: nothing for a call that waits for several or
/// does not say, `everybody`, `file`, `rank` of a communicator, `source` of a message with its
/// status, `either` of a destination and a source, `target` in a window.
macro_rules! partner {
    ($form:ty, $result:expr;) => {
        $crate::times::Partner::NotTold
    };
    ($form:ty, $result:expr; everybody) => {
        $crate::times::Partner::Everybody
    };
    ($form:ty, $result:expr; file) => {
        $crate::times::Partner::File
    };
    ($form:ty, $result:expr; rank $rank:ident $comm:ident) => {
        $crate::times::Partner::rank::<$form>($rank, $comm)
    };
    ($form:ty, $result:expr; target $rank:ident $window:ident) => {
        $crate::times::Partner::target::<$form>($rank, $window)
    };
    ($form:ty, $result:expr; source $source:ident $comm:ident $status:ident) => {
        $crate::times::Partner::source::<$form>($source, $comm, $status, $result)
    };
    ($form:ty, $result:expr; either $to:ident $from:ident $comm:ident $status:ident) => {
        $crate::times::Partner::either::<$form>([$to, $from], $comm, $status, $result)
    };
}

/// Defines functions of MPI that all have the same arguments: in C, in C with large counts, and in
/// Fortran. A function with large counts names the one that replaces it if there is none. A
/// function of Fortran has the name under which the library's module calls it, and an error code
/// follows its arguments. Calls without a buffer have profiling names instead, because Fortran
/// modules call those for them.
///
/// The partner of the call follows the arguments, as [`partner`] takes it. In the body, `F` is how
/// the arguments are to be read, and the closure calls the real function and times it.
macro_rules! interpose {
    (
        $arguments:tt $([$($partner:tt)*])? |$real:ident, $all:ident| $body:expr;
        $($names:tt)*
    ) => {
        interpose! {@all $arguments [$($($partner)*)?] |$real, $all| $body; $($names)*}
    };
    (
        @all $arguments:tt $partner:tt |$real:ident, $all:ident| $body:expr;
        $(C: $($c:ident)*;)?
        $(Large: $($large:ident $plain:ident),*;)?
        $(Fortran: $($fortran:ident $module:ident),*;)?
        $(Profiling: $($profiling:ident)*;)?
    ) => {
        $($(
            interpose! {
                @c $c (concat!("P", stringify!($c), "\0")) $arguments $partner |$real, $all| $body
            }
        )*)?
        $($(
            interpose! {
                @c $profiling (concat!(stringify!($profiling), "\0")) $arguments $partner
                |$real, $all| $body
            }
        )*)?
        $($(interpose! {@large $large $plain $arguments $partner |$real, $all| $body})*)?
        $($(
            interpose! {@fortran $fortran $module $arguments $partner |$real, $all| $body}
        )*)?
    };
    (
        @c $name:ident $symbol:tt ($($a:ident),*) [$($partner:tt)*]
        |$real:ident, $all:ident| $body:expr
    ) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unused_variables)]
        unsafe extern "C" fn $name($($a: usize),*) -> i32 {
            #[allow(dead_code)]
            type F = $crate::form::C;
            static REAL: $crate::symbols::Real =
                $crate::symbols::Real::new($crate::invoke::symbol($symbol));
            static TIMED: $crate::times::Timed = $crate::times::Timed::new(stringify!($name));
            let $all = [$($a),*];
            let $real = |[$($a),*]: [usize; _]| {
                let partner = |result: i32| partner!(F, result; $($partner)*);
                $crate::times::timed(&TIMED, partner, || invoke!(REAL; $($a),*))
            };
            $body
        }
    };
    (
        @large $name:ident $plain:ident ($($a:ident),*) [$($partner:tt)*]
        |$real:ident, $all:ident| $body:expr
    ) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unused_variables)]
        unsafe extern "C" fn $name($($a: usize),*) -> i32 {
            #[allow(dead_code)]
            type F = $crate::form::Large;
            static REAL: $crate::symbols::Real = $crate::symbols::Real::new(
                $crate::invoke::symbol(concat!("P", stringify!($name), "\0")),
            );
            static PLAIN: $crate::symbols::Real = $crate::symbols::Real::new(
                $crate::invoke::symbol(concat!("P", stringify!($plain), "\0")),
            );
            static TIMED: $crate::times::Timed = $crate::times::Timed::new(stringify!($plain));
            let $all = [$($a),*];
            let call = |[$($a),*]: [usize; _]| {
                if REAL.address().is_some() {
                    return invoke!(REAL; $($a),*);
                }
                let names = [$(stringify!($a)),*];
                let small = $crate::large_counts::Small::of(
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
            let $real = |[$($a),*]: [usize; _]| {
                let partner = |result: i32| partner!(F, result; $($partner)*);
                $crate::times::timed(&TIMED, partner, || call([$($a),*]))
            };
            $body
        }
    };
    (
        @fortran $name:ident $module:ident ($($a:ident),*) [$($partner:tt)*]
        |$real:ident, $all:ident| $body:expr
    ) => {
        const _: () = {
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($a: usize,)* error: *mut i32) {
                unsafe { either($($a,)* error) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $module($($a: usize,)* error: *mut i32) {
                unsafe { either($($a,)* error) }
            }

            #[allow(unused_variables, clippy::too_many_arguments)]
            unsafe fn either($($a: usize,)* error: *mut i32) {
                #[allow(dead_code)]
                type F = $crate::form::Fortran;
                static REAL: $crate::symbols::Real = $crate::symbols::Real::new(
                    $crate::invoke::symbol(concat!("p", stringify!($name), "\0")),
                );
                static TIMED: $crate::times::Timed = $crate::times::Timed::new(stringify!($name));
                let $all: [usize; _] = [$($a),*];
                let call = |[$($a),*]: [usize; _]| {
                    $crate::recorder::inside_fortran(|| {
                        let error = error as usize;
                        let _ = invoke!(REAL; $($a,)* error);
                    });
                    unsafe { if error.is_null() { 0 } else { *error } }
                };
                if !$crate::recorder::reads_fortran() {
                    call($all);
                    return;
                }
                let $real = |[$($a),*]: [usize; _]| {
                    let partner = |result: i32| partner!(F, result; $($partner)*);
                    $crate::times::timed(&TIMED, partner, || call([$($a),*]))
                };
                let _: i32 = $body;
            }
        };
    };
}
use {interpose, partner};

/// Calls the real function, and records what a plan makes of it if it succeeds.
#[inline(always)]
fn recorded(
    real: impl Fn() -> i32,
    request: impl Fn() -> Option<usize>,
    plan: impl Fn(&mut Recorder, &mut Action),
) -> i32 {
    recorded_once(&real, &request, &plan)
}

/// Compiled once, not for each of several hundred functions: an indirect call costs a nanosecond,
/// and the library takes much longer to build with a copy for each.
#[inline(never)]
fn recorded_once(
    real: &dyn Fn() -> i32,
    request: &dyn Fn() -> Option<usize>,
    plan: &dyn Fn(&mut Recorder, &mut Action),
) -> i32 {
    if !recording() {
        return real();
    }
    let entered = if recording_events() { ticks() } else { 0 };
    let result = real();
    if result == 0 {
        with(|recorder| {
            // Kept from call to call, so no call allocates memory again.
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

/// The same for a call that only prepares what later starts will do.
#[inline(always)]
fn prepared(
    real: impl Fn() -> i32,
    request: impl Fn() -> usize,
    plan: impl Fn(&mut Recorder, &mut Action),
) -> i32 {
    prepared_once(&real, &request, &plan)
}

#[inline(never)]
fn prepared_once(
    real: &dyn Fn() -> i32,
    request: &dyn Fn() -> usize,
    plan: &dyn Fn(&mut Recorder, &mut Action),
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
