//! Whether threads can be started. Others do not check, and panic.

use std::io::IsTerminal;
use std::thread;

/// Whether a thread can be started now.
pub fn can_start() -> bool {
    thread::Builder::new().spawn(|| {}).is_ok_and(|thread| thread.join().is_ok())
}

/// Whether somebody watches, and a thread can be started that shows the progress.
pub fn can_show_progress() -> bool {
    std::io::stderr().is_terminal() && can_start()
}
