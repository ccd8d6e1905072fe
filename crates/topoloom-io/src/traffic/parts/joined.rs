//! An assembled recording, except for its events.

use std::path::Path;

use super::events::EventFiles;
use crate::text::error::WriteError;
use crate::traffic::recording::{Programs, Recording, write_with_programs};

/// A recording whose events are still in the files of the ranks.
pub struct JoinedRecording {
    /// Everything except the events.
    pub recording: Recording,
    pub(super) events: Option<EventFiles>,
}

impl JoinedRecording {
    /// How many events there are, if they were asked for.
    pub fn num_events(&self) -> Option<u64> {
        self.events.as_ref().map(EventFiles::num_events)
    }

    /// Writes the recording at `path`, whole or not at all. The events pass from file to file, so
    /// more events take no more memory.
    pub fn write(&mut self, path: &Path) -> Result<(), WriteError> {
        let events = self.events.as_mut().map(|events| events as &mut dyn Programs);
        write_with_programs(path, &self.recording, events)
    }
}
