//! The interface between the recorder inside an MPI program and the command line that reads its
//! files.
//!
//! The recorder itself is in `preload/`, a separate dynamic library.

pub mod layout;

/// The folder with the sources of the recorder: `preload/lib.rs` is the root of the library.
pub const SOURCE: &str = env!("CARGO_MANIFEST_DIR");
