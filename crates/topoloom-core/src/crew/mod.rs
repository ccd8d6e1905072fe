//! Work that is shared out: to the threads of this process or, if a run has a crew, to all processes
//! of a job.
//!
//! All processes of a crew go through the same search and come to the same pieces of work in the
//! same order. Each piece is done once, by the process that asks for it, and all get all results.
//! Therefore the search never depends on the number of processes.

mod checkpoint;
mod fingerprint;
mod packed;
mod share;

pub use checkpoint::Checkpoint;
pub use fingerprint::fingerprint;
pub use packed::{Packed, Reader};
pub use share::Used;

/// Other processes that take a share of the work.
pub trait Crew: Send + Sync {
    /// Does `count` pieces of work and returns their results in order. Those that were not done
    /// when `is_over` became true are missing.
    ///
    /// `mark` sums up everything the pieces depend on. A process that comes with another mark went
    /// another way, because its clock stopped it elsewhere. It no longer takes part.
    fn share(
        &self,
        mark: u64,
        count: usize,
        work: &(dyn Fn(usize) -> Vec<u8> + Sync),
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Vec<Option<Vec<u8>>>;

    /// How many processes there are.
    fn size(&self) -> usize;
}

/// Sums up a name and numbers.
pub fn mark(name: &str, numbers: impl IntoIterator<Item = u64>) -> u64 {
    let name = name.bytes().map(u64::from);
    name.chain(numbers)
        .fold(0, |mark, number| crate::random::mix(mark ^ crate::random::mix(number)))
}
