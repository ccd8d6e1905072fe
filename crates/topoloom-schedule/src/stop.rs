//! When to give up, and which listener is informed of the progress.

use std::fmt;
use std::sync::Arc;

/// Says whether to give up: time is up, or the user has pressed Ctrl-C. Nothing here checks a
/// clock.
#[derive(Clone)]
pub struct Stop {
    stop: Arc<dyn Fn() -> bool + Send + Sync>,
    listener: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Stop {
    /// Gives up as soon as `stop` says so; it is asked often and from any thread.
    pub fn when(stop: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop { stop: Arc::new(stop), listener: None }
    }

    /// The same, with a listener that is called for every job that has ended, from any thread.
    pub fn telling(mut self, listener: impl Fn() + Send + Sync + 'static) -> Stop {
        self.listener = Some(Arc::new(listener));
        self
    }

    pub(crate) fn tell_of_end(&self) {
        if let Some(listener) = &self.listener {
            listener();
        }
    }

    /// Never gives up.
    pub fn never() -> Stop {
        Stop::when(|| false)
    }

    /// Whether to give up.
    pub fn has_come(&self) -> bool {
        (self.stop)()
    }

    pub(crate) fn as_function(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let stop = self.clone();
        move || stop.has_come()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stop")
    }
}
