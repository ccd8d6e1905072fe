//! The messages that collective operations consist of, one function per algorithm.

mod choice;
mod doubling;
mod exchange;
mod known;
mod ring;
#[cfg(test)]
mod simulation;
mod transfer;
mod trees;

pub use choice::Library;
pub(super) use known::{Algorithm, KNOWN, Kind};
