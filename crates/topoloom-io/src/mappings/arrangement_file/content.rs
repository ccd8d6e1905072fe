//! What an arrangement file holds.

use topoloom_arrange::{Application, Arrangement, Cost};

pub(super) const FORMAT: &str = "topoloom-arrangement";
pub(super) const VERSION: u64 = 1;

/// What an arrangement file says.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrangementFile {
    /// What runs on it.
    pub application: Application,
    /// The name of the platform.
    pub platform: String,
    /// The names of the clusters.
    pub clusters: Vec<String>,
    /// The host of each processor.
    pub hosts: Vec<String>,
    /// The cluster of each processor.
    pub cluster_of: Vec<u32>,
    /// How long each processor computes in an iteration or step, if that is known.
    pub seconds_per_iteration: Option<Vec<f64>>,
    /// Which processor holds which part.
    pub arrangement: Arrangement,
    /// What it costs, by the name of the measure.
    pub costs: Vec<(String, Cost)>,
    /// The strategy that found it.
    pub strategy: Option<String>,
    /// The seed of the strategy.
    pub seed: Option<u64>,
}

/// Whether this is one of our arrangement files, valid or not.
pub fn is_arrangement(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(4096)];
    let label = format!("\"{FORMAT}\"");
    let has_label = start.windows(label.len()).any(|part| part == label.as_bytes());
    start.trim_ascii_start().first() == Some(&b'{') && has_label
}
