//! The processes of an MPI job that carry out one command together.
//!
//! All of them run the whole command. The first process, the leader, reads files, prints and writes;
//! the others, the helpers, get what it reads and keep their output to themselves. Where the work
//! can be shared out ([`topoloom::core::Crew`]), each process does the pieces that it asks for, and
//! all get all results. When the leader has ended, the helpers end too.

mod files;
mod helper;
mod leader;
mod message;
mod post;
mod start;
#[cfg(test)]
mod tests;

pub use start::{Joined, current, end, in_common, is_not_first, join, shared, tell_failure};
