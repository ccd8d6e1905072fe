//! How much ranks send: matrices, graphs, tables, recordings and profiles.
//!
//! One file or folder per format; [`registry`] lists them.

mod array;
mod columns;
pub(crate) mod csv;
pub(crate) mod format;
mod goal;
mod graphml;
mod labels;
pub(crate) mod matrix_market;
pub(crate) mod metis;
pub(crate) mod monitoring;
mod names;
mod networkx;
mod npy;
mod npz;
pub(crate) mod parts;
mod profiles;
pub(crate) mod qaplib;
pub(crate) mod ranks;
pub(crate) mod recording;
pub(crate) mod registry;
mod scotch;
mod table;
mod text_table;
pub(crate) mod training;
pub(crate) mod tsv;
mod unknown;
mod zip;
