//! How fast the links of a level are, where that was given or measured.

use crate::topology::LinkProperties;

/// What is known of the links of a level; the rest is typical of such links.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Speed {
    /// Bytes per second of each link.
    pub bytes_per_second: Option<f64>,
    /// The delay of each link.
    pub latency_seconds: Option<f64>,
}

impl Speed {
    /// A link with what is known of it.
    pub fn on(self, usual: LinkProperties) -> LinkProperties {
        LinkProperties {
            bytes_per_second: self.bytes_per_second.unwrap_or(usual.bytes_per_second),
            latency_seconds: self.latency_seconds.unwrap_or(usual.latency_seconds),
            ..usual
        }
    }

    /// This, with what `other` knows in its place.
    pub fn updated(self, other: Speed) -> Speed {
        Speed {
            bytes_per_second: other.bytes_per_second.or(self.bytes_per_second),
            latency_seconds: other.latency_seconds.or(self.latency_seconds),
        }
    }

    /// Whether a link can have this bandwidth and this delay.
    pub fn is_fine(self) -> bool {
        self.on(LinkProperties::ELECTRICAL).is_fine()
    }
}
