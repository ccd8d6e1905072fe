//! Errors as exceptions, with the text of the command line.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use topoloom_cli::embedded::Failure;

create_exception!(topoloom, TopoloomError, PyValueError, "What was asked for cannot be done.");
create_exception!(topoloom, InternalError, PyRuntimeError, "A fault of Topoloom itself.");

/// An exception that says what is wrong with what a user gave.
pub fn refuse(error: impl Display) -> PyErr {
    TopoloomError::new_err(error.to_string())
}

/// The exception for a command that failed.
pub fn of_failure(failure: Failure) -> PyErr {
    match failure {
        Failure::Refused(text) => TopoloomError::new_err(text),
        Failure::Internal(text) => internal(&text),
    }
}

/// Does something whose panic would be a fault of ours, and makes it an ordinary exception.
pub fn guarded<T>(action: impl FnOnce() -> Result<T, PyErr>) -> Result<T, PyErr> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| Err(internal(&words(&*panic))))
}

fn internal(text: &str) -> PyErr {
    InternalError::new_err(format!("a fault of Topoloom, please report it: {text}"))
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
