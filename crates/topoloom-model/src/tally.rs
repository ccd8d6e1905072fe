//! Counts the edges of graphs that are walked, only in builds with debug assertions. Tests use it
//! to keep searches within their limits: by work, which is the same everywhere, and not by time.

#[cfg(debug_assertions)]
use std::cell::Cell;

#[cfg(debug_assertions)]
thread_local! {
    static WALKED: Cell<u64> = const { Cell::new(0) };
}

/// Counts `edges` that are walked.
#[inline(always)]
pub fn touch(edges: usize) {
    #[cfg(debug_assertions)]
    WALKED.with(|walked| walked.set(walked.get().wrapping_add(edges as u64)));
    #[cfg(not(debug_assertions))]
    let _ = edges;
}

/// The edges that this thread has walked so far; 0 in builds without debug assertions.
pub fn walked() -> u64 {
    #[cfg(debug_assertions)]
    return WALKED.with(Cell::get);
    #[cfg(not(debug_assertions))]
    0
}
