//! What the registry knows about a pattern.

use crate::registry::Entry;
use crate::spec::{Spec, SpecError};
use crate::trace::Trace;
use crate::traffic::Traffic;

/// How a pattern is made from a specification.
#[derive(Debug, Clone, Copy)]
pub struct PatternBuilder {
    /// How much each rank sends to each other.
    pub traffic: fn(&Spec) -> Result<Traffic, SpecError>,
    /// In which order, if that is known.
    pub trace: Option<TraceBuilder>,
}

/// Makes a trace from a specification.
pub type TraceBuilder = fn(&Spec) -> Result<Trace, SpecError>;

/// An entry of [`PATTERNS`](super::PATTERNS).
pub type PatternEntry = Entry<PatternBuilder>;
