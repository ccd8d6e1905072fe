//! More or less of the same traffic.

use thiserror::Error;

use super::super::{Operation, Traffic, Weight};
use super::builder_like;

/// The factors for bytes and numbers of messages; both above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// All bytes.
    pub bytes: f64,
    /// All numbers of messages, and calls of collectives.
    pub messages: f64,
}

/// Traffic that was scaled.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaled {
    /// The traffic.
    pub traffic: Traffic,
    /// Collectives whose calls or bytes had to be rounded to whole numbers, calls to at least 1.
    pub rounded: usize,
}

/// Why traffic cannot be scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ScaleError {
    /// A factor that is not a number above 0.
    #[error("expected a factor above 0")]
    NotAFactor,
    /// Values that are no longer numbers.
    #[error("scaled values are more than a number can hold")]
    TooMuch,
}

impl Traffic {
    /// The same traffic with bytes and messages multiplied. The bytes of a collective are those of
    /// one call, so they change by the factor of bytes divided by the factor of messages. Rank
    /// weights stay.
    pub fn scaled(&self, scaling: Scaling) -> Result<Scaled, ScaleError> {
        let is_factor = |factor: f64| factor > 0.0 && factor.is_finite();
        if !is_factor(scaling.bytes) || !is_factor(scaling.messages) {
            return Err(ScaleError::NotAFactor);
        }
        let totals = self.total(Weight::Bytes) * scaling.bytes
            + self.total(Weight::Messages) * scaling.messages;
        if !totals.is_finite() {
            return Err(ScaleError::TooMuch);
        }
        let mut builder = builder_like(self);
        for flow in self.flows() {
            let (messages, bytes) = (flow.messages * scaling.messages, flow.bytes * scaling.bytes);
            builder.add(flow.from.0, flow.to.0, messages, bytes);
        }
        let mut rounded = 0;
        for collective in self.collectives() {
            let calls = (collective.calls as f64 * scaling.messages).round().max(1.0);
            let bytes = collective.bytes as f64 * (scaling.bytes / scaling.messages);
            if calls >= u64::MAX as f64 || bytes >= u64::MAX as f64 {
                return Err(ScaleError::TooMuch);
            }
            let mut changed = collective.clone();
            if scaling.messages != 1.0 {
                changed.calls = calls as u64;
            }
            if scaling.bytes != scaling.messages {
                changed.bytes = bytes.round() as u64;
            }
            if let Operation::AllToAllVariable(sizes) = &collective.operation
                && scaling.bytes != 1.0
            {
                // These are the sizes of all calls together.
                let sizes = sizes.map(|bytes| bytes * scaling.bytes);
                changed.operation = Operation::AllToAllVariable(sizes);
            }
            let is_exact = changed.calls as f64 == collective.calls as f64 * scaling.messages
                && (changed.bytes as f64 == bytes || scaling.bytes == scaling.messages);
            rounded += usize::from(!is_exact);
            builder.add_collective(changed);
        }
        Ok(Scaled { traffic: builder.build(), rounded })
    }
}
