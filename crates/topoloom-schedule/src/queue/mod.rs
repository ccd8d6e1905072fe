//! Which job starts next.

mod conservative;
mod easy;
mod first_come;
mod interface;
mod profile;
mod registry;

pub use interface::{QueueBuilder, QueueEntry};
pub use registry::{QUEUES, QueuePolicy, parse_queue};
