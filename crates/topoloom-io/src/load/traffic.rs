//! Traffic and traces by name: a pattern, unless there is a file of that name.

use std::path::Path;
use std::sync::Arc;

use topoloom_core::{PATTERNS, Spec, Trace, Traffic, Weight, parse_pattern, parse_trace};

use super::error::LoadError;
use super::loader::{Loader, looks_like_a_path};
use crate::mappings::arrangement_file::is_arrangement;
use crate::text::error::ReadError;
use crate::text::input::Input;
use crate::text::warnings::Warnings;
use crate::traces::registry::{is_trace, trace_of};
use crate::traffic::recording::is_recording;
use crate::traffic::registry::traffic_of;

impl Loader {
    /// Whether traffic of this name exists only in memory. Then nothing else is known of it.
    pub fn is_in_memory(&self, name: &str) -> bool {
        self.given.as_ref().is_some_and(|given| given.is_only_totals(name))
    }

    /// The traffic that `text` names, with its collectives kept: a pattern, or a file of traffic,
    /// events or both.
    pub fn traffic(&self, text: &str, weight: Weight) -> Result<(Traffic, Warnings), LoadError> {
        if let Some(traffic) = self.given.as_ref().and_then(|given| given.traffic(text, weight)) {
            return Ok((traffic, Warnings::new()));
        }
        if !self.names_a_file(text) {
            let traffic = parse_pattern(text).map_err(|error| LoadError::of_text(error, text))?;
            return Ok((traffic, Warnings::new()));
        }
        Ok(traffic_in(&*self.open(text)?, weight)?)
    }

    /// The trace that `text` names: a file, or a pattern whose order of events is known.
    pub fn trace(&self, text: &str) -> Result<(Trace, Warnings), LoadError> {
        if self.is_in_memory(text) {
            return Err(LoadError::NoOrder(text.to_string()));
        }
        if self.names_a_file(text) {
            return Ok(trace_of(&*self.open(text)?)?);
        }
        match parse_trace(text).map_err(|error| LoadError::of_text(error, text))? {
            Some(trace) => Ok((trace, Warnings::new())),
            None => Err(LoadError::NoOrder(text.to_string())),
        }
    }

    /// The events of the traffic that `text` names, if their order is known.
    pub fn trace_in_order(&self, text: &str) -> Result<(Option<Trace>, Warnings), LoadError> {
        if self.names_a_file(text) && !self.names_a_trace(text) {
            return Ok((None, Warnings::new()));
        }
        match self.trace(text) {
            Ok((trace, warnings)) => Ok((Some(trace), warnings)),
            Err(LoadError::NoOrder(_)) => Ok((None, Warnings::new())),
            Err(error) => Err(error),
        }
    }

    /// Whether `text` names a file of events.
    pub fn names_a_trace(&self, text: &str) -> bool {
        self.named(text).is_some_and(|input| is_trace(&input))
    }

    /// Whether `text` names a recording.
    pub fn names_a_recording(&self, text: &str) -> bool {
        self.named(text).is_some_and(|input| is_recording(input.beginning()))
    }

    /// Whether a file is meant, not a pattern.
    fn names_a_file(&self, text: &str) -> bool {
        if self.is_in_memory(text) {
            return false;
        }
        let is_pattern = Spec::parse(text)
            .is_ok_and(|spec| PATTERNS.entries.iter().any(|entry| entry.name == spec.name));
        let path = Path::new(text);
        self.exists(path) || self.is_readable(path) || (!is_pattern && looks_like_a_path(text))
    }

    /// The file that is meant. Errors in it are reported when it is read.
    pub(super) fn named(&self, text: &str) -> Option<Arc<Input>> {
        self.names_a_file(text).then(|| self.open(text).ok()).flatten()
    }
}

/// Reads the traffic at `path`, in the format that its content or its extension shows: a file of
/// totals or of events, or the folder of a run.
pub fn read_traffic(path: impl AsRef<Path>, weight: Weight) -> Result<Traffic, ReadError> {
    read_traffic_with_warnings(path, weight).map(|(traffic, _)| traffic)
}

/// Reads the traffic at `path`, with warnings about what the format does not contain.
pub fn read_traffic_with_warnings(
    path: impl AsRef<Path>,
    weight: Weight,
) -> Result<(Traffic, Warnings), ReadError> {
    traffic_in(&Input::open(path.as_ref())?, weight)
}

/// The traffic of an input: totals, or what events add up to.
fn traffic_in(input: &Input, weight: Weight) -> Result<(Traffic, Warnings), ReadError> {
    // The totals of a recording hold more than its events, such as one-sided communication; the
    // totals of an arrangement are cheaper to compute.
    let has_totals = is_recording(input.beginning()) || is_arrangement(input.beginning());
    if is_trace(input) && !has_totals {
        let (trace, warnings) = trace_of(input)?;
        return Ok((trace.traffic(), warnings));
    }
    traffic_of(input, weight)
}
