//! The library that is preloaded into an MPI program to record what it sends.
//!
//! The library comes before the MPI library in the order in which symbols are looked up. It calls
//! the real functions by their profiling names, which it finds while the program runs. So one
//! binary serves every MPI library whose interface it knows: those of Open MPI, of MPICH and its
//! descendants, and of the MPI 5 standard. It communicates with nobody: each rank writes its own
//! files, and the process that started the program puts them together.
//!
//! On request it does not record at all: `probe.rs` says where a rank is, and `measure.rs` how long
//! messages take.

#[path = "../src/layout.rs"]
mod layout;

mod action;
mod ancestors;
mod calls;
mod clock;
mod communicators;
mod events;
mod form;
mod gate;
mod library;
mod mapped_file;
mod measure;
mod memory;
mod node_files;
mod probe;
mod recorder;
mod seat;
mod symbols;
mod system;
mod times;
mod totals;
