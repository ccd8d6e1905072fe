//! All that is said about traffic.

use topoloom::core::CollectiveMode;
use topoloom::core::insight::{CollectiveUse, Insight, Moved};
use topoloom::io::Recording;

/// All that is said about traffic.
pub struct Shown<'a> {
    pub name: &'a str,
    pub mode: CollectiveMode,
    /// Of the messages, collectives among them as the mode says.
    pub insight: Insight,
    /// Of the messages without any collective.
    pub point_to_point_bytes: f64,
    pub operations: Vec<CollectiveUse>,
    pub recording: Option<Recording>,
}

impl Shown<'_> {
    /// What collectives move where every pair sends for itself.
    pub fn moved(&self) -> Moved {
        let mut all = Moved { is_exact: true, ..Moved::default() };
        for operation in &self.operations {
            all.messages += operation.moved.messages;
            all.bytes += operation.moved.bytes;
            all.is_exact &= operation.moved.is_exact;
        }
        all
    }

    /// The part of collectives in all bytes.
    pub fn share_of_collectives(&self) -> f64 {
        let all = self.moved().bytes + self.point_to_point_bytes;
        if all > 0.0 { self.moved().bytes / all } else { 0.0 }
    }
}
