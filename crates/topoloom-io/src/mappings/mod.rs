//! Placements as files: mappings, what launchers read, where ranks were found, and arrangements.

pub(crate) mod arrangement_file;
pub mod launch;
pub mod mapping_file;
pub(crate) mod placed;
pub(crate) mod probe;
mod qaplib_solution;
pub(crate) mod question;
