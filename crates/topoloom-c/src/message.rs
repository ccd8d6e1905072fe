//! Errors as codes, with a message for each thread.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::status::Status;

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Why a call failed.
#[derive(Debug)]
pub struct Fault {
    status: Status,
    text: String,
}

impl Fault {
    /// An argument is wrong.
    pub fn invalid(text: String) -> Fault {
        Fault { status: Status::TOPOLOOM_INVALID, text }
    }

    /// What was asked for cannot be done.
    pub fn refused(error: impl Display) -> Fault {
        Fault { status: Status::TOPOLOOM_REFUSED, text: error.to_string() }
    }
}

/// The message of this thread.
pub fn current() -> *const c_char {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// Does the work of a function of the interface. A panic does not leave it.
pub fn guarded(work: impl FnOnce() -> Result<(), Fault>) -> c_int {
    let (status, text) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => (Status::TOPOLOOM_OK, String::new()),
        Ok(Err(fault)) => (fault.status, fault.text),
        Err(panic) => (Status::TOPOLOOM_INTERNAL, words(&*panic)),
    };
    let text = text.replace('\0', " ");
    MESSAGE.set(CString::new(text).unwrap_or_default());
    status as c_int
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    format!("a fault of Topoloom, please report it: {text}")
}
