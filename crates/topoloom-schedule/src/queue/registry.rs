//! The list of all queue policies.

use topoloom_core::{Registry, Spec, SpecError};

use super::interface::{Queue, QueueBuilder, QueueEntry};
use super::{conservative, easy, first_come};

/// Every known queue policy.
pub static QUEUES: Registry<QueueBuilder> = Registry {
    kind: "queue policy",
    entries: &[&first_come::ENTRY, &easy::ENTRY, &conservative::ENTRY],
    common: &[],
};

/// A queue policy; every simulation makes its own queue.
#[derive(Debug, Clone, Copy)]
pub struct QueuePolicy {
    entry: &'static QueueEntry,
}

impl QueuePolicy {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    pub(crate) fn queue(&self) -> Box<dyn Queue> {
        (self.entry.build.0)()
    }
}

/// The queue policy that `text` names.
pub fn parse_queue(text: &str) -> Result<QueuePolicy, SpecError> {
    let spec = Spec::parse(text)?;
    let entry = QUEUES.find(&spec)?;
    spec.no_shape()?;
    Ok(QueuePolicy { entry })
}
