//! When to give up.

use std::fmt;
use std::sync::Arc;

/// Says whether to give up: time is up, or somebody has pressed Ctrl-C. Nothing here looks at a clock.
#[derive(Clone)]
pub struct Stop(Arc<dyn Fn() -> bool + Send + Sync>);

impl Stop {
    /// Gives up as soon as `stop` says so; it is asked often and from any thread.
    pub fn when(stop: impl Fn() -> bool + Send + Sync + 'static) -> Stop {
        Stop(Arc::new(stop))
    }

    /// Never gives up.
    pub fn never() -> Stop {
        Stop::when(|| false)
    }

    /// Whether to give up.
    pub fn has_come(&self) -> bool {
        (self.0)()
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
