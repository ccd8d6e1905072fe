//! What readers and writers share: inputs, cursors, numbers, lists, errors, and files written whole
//! or not at all.

pub(crate) mod atomic_write;
pub mod cpu_list;
pub(crate) mod cursor;
pub(crate) mod error;
pub(crate) mod fault;
pub(crate) mod foreign_kind;
pub mod host_list;
pub(crate) mod input;
pub(crate) mod input_limit;
pub(crate) mod json;
pub(crate) mod json_tree;
pub(crate) mod number;
pub(crate) mod packing;
pub(crate) mod rank_files;
pub(crate) mod source;
pub(crate) mod tags;
pub(crate) mod target;
pub(crate) mod temporary;
pub(crate) mod tree;
pub(crate) mod warnings;
pub(crate) mod words;
pub(crate) mod xml;
pub(crate) mod yaml;
