//! The list of all traffic patterns.

use super::entry::PatternBuilder;
use super::{all_to_all, llm, mpdata, npb, random, ring, stencil};
use crate::registry::Registry;
use crate::spec::{Spec, SpecError};
use crate::trace::Trace;
use crate::traffic::Traffic;

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
        &llm::ENTRY,
    ],
    common: &[],
};

/// Makes the traffic that `text` describes, such as `lu:class=C,ranks=64`.
pub fn parse_pattern(text: &str) -> Result<Traffic, SpecError> {
    let spec = Spec::parse(text)?;
    (PATTERNS.find(&spec)?.build.traffic)(&spec)
}

/// The order of events of the pattern that `text` describes; `None` if only its traffic is known.
pub fn parse_trace(text: &str) -> Result<Option<Trace>, SpecError> {
    let spec = Spec::parse(text)?;
    PATTERNS.find(&spec)?.build.trace.map(|trace| trace(&spec)).transpose()
}
