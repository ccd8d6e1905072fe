//! Everything that is shown about traffic.

use std::sync::Arc;

use topoloom::core::CollectiveMode;
use topoloom::core::insight::{CollectiveUse, Insight, Moved};
use topoloom::core::training::StepTraffic;
use topoloom::io::Recording;

/// Everything that is shown about traffic.
pub struct Shown<'a> {
    pub name: &'a str,
    pub mode: CollectiveMode,
    /// About the messages, including collectives as the mode says.
    pub insight: Insight,
    /// The bytes of messages without any collective.
    pub point_to_point_bytes: f64,
    pub operations: Vec<CollectiveUse>,
    pub recording: Option<Recording>,
    /// The groups of a training job.
    pub step: Option<Arc<StepTraffic>>,
}

impl Shown<'_> {
    /// What collectives move if every pair sends separately.
    pub fn moved(&self) -> Moved {
        let mut all = Moved { is_exact: true, ..Moved::default() };
        for operation in &self.operations {
            all.messages += operation.moved.messages;
            all.bytes += operation.moved.bytes;
            all.is_exact &= operation.moved.is_exact;
        }
        all
    }

    /// The share of collectives in all bytes.
    pub fn share_of_collectives(&self) -> f64 {
        let all = self.moved().bytes + self.point_to_point_bytes;
        if all > 0.0 { self.moved().bytes / all } else { 0.0 }
    }
}
