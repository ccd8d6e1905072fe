//! Which communicator the program means by `MPI_COMM_WORLD`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::library::Library;

/// No handle, and the value of one that is replaced by nothing.
const NONE: usize = usize::MAX;

/// The bits of an argument that are the handle.
static BITS: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The handle that is replaced.
static WORLD: AtomicUsize = AtomicUsize::new(NONE);
/// What replaces it.
static REPLACED_BY: AtomicUsize = AtomicUsize::new(NONE);

/// The constants of the MPI library, if it is a known one.
pub fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    LIBRARY.get_or_init(Library::loaded).as_ref()
}

/// The communicator that is meant: this is the whole cost of a call.
#[inline(always)]
pub fn translated(comm: usize) -> usize {
    // Written once, before the program can start a thread that calls MPI.
    if comm & BITS.load(Ordering::Relaxed) == WORLD.load(Ordering::Relaxed) {
        REPLACED_BY.load(Ordering::Relaxed)
    } else {
        comm
    }
}

/// Whether an argument is the world, and the world is replaced.
pub fn is_replaced(comm: usize) -> bool {
    comm & BITS.load(Ordering::Relaxed) == WORLD.load(Ordering::Relaxed)
}

/// From now on this communicator is the world.
pub fn replace(library: &Library, new: usize) {
    let bits = if library.wide_handles { usize::MAX } else { u32::MAX as usize };
    BITS.store(bits, Ordering::Relaxed);
    REPLACED_BY.store(new, Ordering::Relaxed);
    WORLD.store(library.world, Ordering::Release);
}

/// What takes the place of the world.
pub fn replacement() -> Option<usize> {
    let is_replaced = WORLD.load(Ordering::Acquire) != NONE;
    is_replaced.then(|| REPLACED_BY.load(Ordering::Relaxed))
}

/// From now on the world is what it was.
pub fn restore() {
    WORLD.store(NONE, Ordering::Release);
    BITS.store(usize::MAX, Ordering::Relaxed);
}
