//! What passes between the recorder inside of an MPI program and the command line that reads it.
//!
//! The recorder itself is in `preload/`, a dynamic library of its own.

pub mod layout;

/// The folder with the sources of the recorder: `preload/lib.rs` is the root of the library.
pub const SOURCE: &str = env!("CARGO_MANIFEST_DIR");
