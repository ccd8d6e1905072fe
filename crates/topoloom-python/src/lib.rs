//! Topoloom for Python: the part in Rust. The package around it is in `python/topoloom`.
//!
//! Objects here hold what is large, and [`call`] carries out commands. Everything that users see is
//! written in Python.

mod background;
mod call;
mod collectives;
mod errors;
mod facts;
mod machine;
mod mapping;
mod numbers;
mod rows;
mod traffic;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use topoloom::io::atomic_write;

use errors::{guarded, refuse};

/// The program `topoloom` with these arguments, of which the first is its name; its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| topoloom_cli::run(arguments.into_iter()))
}

/// Writes a file whole or not at all.
#[pyfunction]
fn write_file(path: PathBuf, content: &[u8]) -> PyResult<()> {
    guarded(|| atomic_write(&path, |file| file.write_all(content)).map_err(refuse))
}

#[pymodule(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<traffic::Traffic>()?;
    module.add_class::<machine::Machine>()?;
    module.add_class::<mapping::Mapping>()?;
    module.add_class::<call::Answer>()?;
    module.add("TopoloomError", module.py().get_type::<errors::TopoloomError>())?;
    module.add("InternalError", module.py().get_type::<errors::InternalError>())?;
    module.add("IN_MEMORY", topoloom_cli::embedded::IN_MEMORY)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(write_file, module)?)?;
    module.add_function(wrap_pyfunction!(call::call, module)?)?;
    module.add_function(wrap_pyfunction!(facts::commands, module)?)?;
    Ok(())
}
