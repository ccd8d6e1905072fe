//! The structure of traffic: which ranks exchange with which, and its name.
//!
//! One file per structure. Each recogniser looks at the pairs that matter, because a few stray
//! messages must not hide a grid. Its shares are of all bytes, because the report must say how much
//! is outside.

mod candidate;
mod complete;
mod components;
mod connected;
mod cube;
mod grid;
mod kinds;
mod lines;
mod parts;
mod recognition;
mod star;
mod steps;
mod transpose;
mod tree;
mod view;
mod words;

#[cfg(test)]
mod claims;
#[cfg(test)]
mod tests;

pub use kinds::{Diagonals, Grid, Part, RankOrder, Structure, TreeKind};
pub use recognition::{Finding, Recognition};
