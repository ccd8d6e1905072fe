//! The end of this process, wherever in the program it is decided.

use std::sync::OnceLock;

/// What takes this process out of the job that it belongs to.
static WAY_OUT: OnceLock<fn(i32)> = OnceLock::new();

/// From now on this is called before the process ends early. A launcher does not always end the other
/// processes of a job with one of them: `srun` does not.
pub fn through(way_out: fn(i32)) {
    let _ = WAY_OUT.set(way_out);
}

/// Ends this process before its command is done, and the other processes of its job.
pub fn leave(code: i32) -> ! {
    if let Some(way_out) = WAY_OUT.get() {
        way_out(code);
    }
    std::process::exit(code)
}

/// The exit code of a program that panics.
const PANICKED: i32 = 101;

/// Takes the other processes along if this one panics while this exists.
pub struct AtPanic;

impl Drop for AtPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            leave(PANICKED);
        }
    }
}
