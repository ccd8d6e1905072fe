//! One stage: a graph divided into a few blocks, coarse to fine.
//!
//! `levels` coarsens and refines. `bisection` uses it for two blocks, `initial` halves small graphs
//! with that, and `division` starts from such divisions. `inheriting` starts
//! from those of placements.

mod bisection;
mod division;
mod filling;
mod found;
mod growing;
mod inheriting;
mod initial;
mod levels;

pub use filling::fill;
pub use levels::Stage;
