//! Launchers of MPI jobs: what they are, what they need to know, and how to wait for them.

pub mod capture;
pub mod environment;
pub mod kind;
mod wait;

pub use wait::{Ended, Job};
