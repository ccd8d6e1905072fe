//! Machines in the formats of other programs.
//!
//! One file per format; [`EXPORT_FORMATS`] lists them.
//!
//! ```
//! use topoloom_core::Machine;
//! use topoloom_io::machines::export;
//!
//! let machine = Machine::parse("torus:4x4").unwrap();
//! let platform = (export::find("simgrid").unwrap().build)(&machine).unwrap();
//! let mut text = Vec::new();
//! platform.write(&mut text).unwrap();
//! assert!(String::from_utf8(text).unwrap().contains("<host id=\"n15\""));
//! ```

mod cables;
mod error;
mod format;
mod hosts;
mod registry;
mod simgrid;

pub use error::ExportError;
pub use format::{Export, ExportBuilder, ExportEntry};
pub use hosts::numbered_host;
pub use registry::{EXPORT_FORMATS, find};
