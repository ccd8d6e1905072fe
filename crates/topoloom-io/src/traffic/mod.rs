//! How much ranks send: matrices, graphs, tables, recordings and profiles.
//!
//! One file or folder per format; [`registry`] lists them.

pub(crate) mod csv;
pub(crate) mod format;
pub(crate) mod matrix_market;
pub(crate) mod metis;
pub(crate) mod monitoring;
pub(crate) mod parts;
pub(crate) mod ranks;
pub(crate) mod recording;
pub(crate) mod registry;
mod table;
pub(crate) mod tsv;
