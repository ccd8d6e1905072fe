//! Work that Ctrl-C can leave.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::{guarded, refuse};

/// How often signals are looked at.
pub const PULSE: Duration = Duration::from_millis(50);

/// Does some work on another thread while Python goes on. After Ctrl-C, nobody waits for it any more.
pub fn waited<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let all = move || {
        // Nobody may be waiting any more.
        let _ = sender.send(guarded(work));
    };
    thread::Builder::new().spawn(all).map_err(|error| refuse(format!("no thread: {error}")))?;
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let wait = || match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(PULSE),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        match py.detach(wait) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(refuse("a thread ended early")),
        }
    }
}
