//! Arrays and texts of callers, copied in and out.

use std::ffi::{CStr, c_char};

use crate::message::Fault;

/// The numbers at a pointer, which may be null only if there are none.
///
/// # Safety
/// There are as many as the caller says.
pub unsafe fn copied<T: Copy>(
    name: &str,
    pointer: *const T,
    count: usize,
) -> Result<Vec<T>, Fault> {
    match (pointer.is_null(), count) {
        (_, 0) => Ok(Vec::new()),
        (true, _) => Err(Fault::invalid(format!("{name} is null"))),
        (false, count) => Ok(unsafe { std::slice::from_raw_parts(pointer, count) }.to_vec()),
    }
}

/// Writes one result.
///
/// # Safety
/// The pointer is valid or null.
pub unsafe fn written<T>(name: &str, pointer: *mut T, value: T) -> Result<(), Fault> {
    if pointer.is_null() {
        return Err(Fault::invalid(format!("{name} is null")));
    }
    unsafe { pointer.write(value) };
    Ok(())
}

/// Writes several results.
///
/// # Safety
/// There is room for them, or the pointer is null.
pub unsafe fn filled<T: Copy>(name: &str, pointer: *mut T, values: &[T]) -> Result<(), Fault> {
    if pointer.is_null() {
        return Err(Fault::invalid(format!("{name} is null")));
    }
    unsafe { std::slice::from_raw_parts_mut(pointer, values.len()) }.copy_from_slice(values);
    Ok(())
}

/// A text of the caller.
///
/// # Safety
/// It ends with a zero, or is null.
pub unsafe fn text<'a>(name: &str, pointer: *const c_char) -> Result<&'a str, Fault> {
    match pointer.is_null() {
        true => Err(Fault::invalid(format!("{name} is null"))),
        false => unsafe { CStr::from_ptr(pointer) }
            .to_str()
            .map_err(|_| Fault::invalid(format!("{name} is not UTF-8"))),
    }
}
