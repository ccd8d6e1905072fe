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

// Each of the two libraries uses a part of what they share.
#[path = "../common/ancestors.rs"]
#[allow(dead_code)]
mod ancestors;
#[path = "../common/host.rs"]
#[allow(dead_code)]
mod host;
#[path = "../common/invoke.rs"]
mod invoke;
#[path = "../common/large_counts.rs"]
mod large_counts;
#[path = "../src/layout.rs"]
mod layout;
#[path = "../common/library.rs"]
#[allow(dead_code)]
mod library;
#[path = "../common/neighbours.rs"]
mod neighbours;
#[path = "../common/node_files.rs"]
#[allow(dead_code)]
mod node_files;
#[path = "../common/report.rs"]
mod report;
#[path = "../common/symbols.rs"]
mod symbols;
#[path = "../common/system.rs"]
#[allow(dead_code)]
mod system;

mod action;
mod calls;
mod clock;
mod communicators;
mod events;
mod form;
mod gate;
mod mapped_file;
mod measure;
mod memory;
mod probe;
mod recorder;
mod seat;
mod times;
mod totals;
