//! Traffic that is known without recording it: benchmarks, stencils, rings.

mod all_to_all;
mod mpdata;
pub mod npb;
mod random;
mod ring;
mod stencil;

pub use mpdata::{InvalidMpdata, Mpdata};

use super::Traffic;
use crate::registry::{Entry, Registry};
use crate::spec::{Spec, SpecError};
use crate::trace::Trace;

/// How a pattern is made from a specification.
#[derive(Debug, Clone, Copy)]
pub struct PatternBuilder {
    /// Who sends how much to whom.
    pub traffic: fn(&Spec) -> Result<Traffic, SpecError>,
    /// In which order, where that is known.
    pub trace: Option<TraceBuilder>,
}

/// Makes a trace from a specification.
pub type TraceBuilder = fn(&Spec) -> Result<Trace, SpecError>;

/// Every known traffic pattern.
pub static PATTERNS: Registry<PatternBuilder> = Registry {
    kind: "traffic pattern",
    entries: &[
        &npb::LU,
        &npb::BT,
        &npb::SP,
        &npb::CG,
        &npb::MG,
        &npb::FT,
        &npb::IS,
        &npb::EP,
        &stencil::ENTRY,
        &mpdata::ENTRY,
        &ring::ENTRY,
        &all_to_all::ENTRY,
        &random::ENTRY,
    ],
    common: &[],
};

/// An entry of [`PATTERNS`].
pub type PatternEntry = Entry<PatternBuilder>;

/// Makes the traffic that `text` describes, such as `lu:class=C,ranks=64`.
pub fn parse_pattern(text: &str) -> Result<Traffic, SpecError> {
    let spec = Spec::parse(text)?;
    (PATTERNS.find(&spec)?.build.traffic)(&spec)
}

/// The order of events of the pattern that `text` describes; `None` where only its traffic is
/// known.
pub fn parse_trace(text: &str) -> Result<Option<Trace>, SpecError> {
    let spec = Spec::parse(text)?;
    PATTERNS.find(&spec)?.build.trace.map(|trace| trace(&spec)).transpose()
}
