//! The list of all arrangement strategies.

use topoloom_core::{Registry, Spec, SpecError};

use super::interface::{Arranger, ArrangerBuilder};
use super::{as_partitioned, asymmetric, auto, bandwidth, exhaustive, hop_count, shared_links};

/// All arrangement strategies.
pub static ARRANGERS: Registry<ArrangerBuilder> = Registry {
    kind: "arrangement strategy",
    entries: &[
        &as_partitioned::ENTRY,
        &hop_count::ENTRY,
        &bandwidth::ENTRY,
        &asymmetric::ENTRY,
        &exhaustive::ENTRY,
        &auto::ENTRY,
        &shared_links::ENTRY,
    ],
    common: &[],
};

/// The arranger that `text` describes, such as `auto`.
pub fn parse_arranger(text: &str) -> Result<Box<dyn Arranger>, SpecError> {
    let spec = Spec::parse(text)?;
    (ARRANGERS.find(&spec)?.build)(&spec)
}
