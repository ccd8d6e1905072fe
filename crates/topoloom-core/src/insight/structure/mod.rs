//! The structure of traffic: who exchanges with whom, by a name.
//!
//! One file per structure. Each recogniser looks at the pairs that matter, because a few stray
//! messages must not hide a grid. It measures against all bytes, because what is outside must be
//! said.

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
