//! What each rank did, event by event: our own text, OTF2, time-independent traces and DUMPI.
//!
//! One folder per format; [`registry`] lists them.

pub(crate) mod collective_calls;
pub(crate) mod compute;
pub(crate) mod dumpi;
pub(crate) mod format;
pub(crate) mod matching;
pub(crate) mod mpi_call;
pub(crate) mod otf2;
pub(crate) mod registry;
pub(crate) mod time_independent;
pub(crate) mod trace_file;
