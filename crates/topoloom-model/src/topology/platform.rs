//! Platforms of clusters: networks that are made from files elsewhere, as a
//! [`Graph`](super::Graph).

use super::entry::TopologyEntry;
use crate::spec::{Spec, SpecError};

/// The name in specifications.
pub const PLATFORM: &str = "platform";

/// Platforms from files.
pub static ENTRY: TopologyEntry = TopologyEntry {
    name: PLATFORM,
    summary: "clusters with a table of bandwidths, from TOML or SimGrid XML; one switch per cluster",
    example: "platform:FILE",
    parameters: &[],
    build: |spec| {
        let file = platform_file(spec)?;
        Err(SpecError::new(format!("platform: the file {file} must first be read")))
    },
};

/// The file that a specification of a platform names.
pub fn platform_file(spec: &Spec) -> Result<&str, SpecError> {
    spec.shape
        .as_deref()
        .ok_or_else(|| SpecError::new("platform: expected a file such as platform:grid.toml"))
}
