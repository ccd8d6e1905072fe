//! The library that is preloaded into an MPI program to give its processes other ranks.
//!
//! The processes stay where the launcher has started them. After MPI_Init the library makes a
//! communicator of all of them in another order. From then on it takes the place of
//! `MPI_COMM_WORLD` in every call: see `functions.rs`. Which order that is, the command that started
//! the job decides. The first rank asks it by a file: see `asking.rs`.
//!
//! On request, the library also gives ranks of process topologies to other processes:
//! `reorder.rs`.

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

mod asking;
mod attributes;
mod begin;
mod fortran_attributes;
mod functions;
mod lists;
mod order;
mod patience;
mod reorder;
mod sessions;
mod settings;
mod topologies;
mod translate;
mod world;
