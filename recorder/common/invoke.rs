//! Calls of functions of the MPI library by their addresses.

use std::ffi::CStr;

use crate::host::say;

/// What functions return that the MPI library does not have: some error.
const NOT_SUPPORTED: i32 = 16;

/// The name of a symbol, from text that ends with a 0.
pub const fn symbol(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a symbol ends with 0"),
    }
}

/// Says that a function is missing. Programs do not call what their library does not have, but some
/// check whether it is there and find ours.
#[cold]
pub fn missing(name: &str) -> i32 {
    say(&format!("the MPI library has no {name}"));
    NOT_SUPPORTED
}

/// Calls a function by its address with this many arguments.
macro_rules! invoke {
    ($real:expr; $($argument:expr),*) => {
        match $real.address() {
            Some(address) => {
                type Function = unsafe extern "C" fn($($crate::invoke::invoke!(@usize $argument)),*) -> i32;
                unsafe { std::mem::transmute::<usize, Function>(address)($($argument),*) }
            }
            None => $crate::invoke::missing($real.name()),
        }
    };
    (@usize $argument:expr) => { usize };
}
pub(crate) use invoke;
