//! Directed links: what one can do, and how they lie in lines.

use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};

/// What a link can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkProperties {
    /// Bytes that cross it in a second.
    pub bytes_per_second: f64,
    /// The time a byte is under way.
    pub latency_seconds: f64,
    /// The energy a byte costs.
    pub joules_per_byte: f64,
}

/// A directed link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Where it leaves.
    pub from: Vertex,
    /// Where it leads.
    pub to: Vertex,
    /// What it can do.
    pub properties: LinkProperties,
}

impl LinkProperties {
    /// A usual electrical link: 10 GB/s, 100 ns, 10 pJ a bit.
    pub const ELECTRICAL: LinkProperties =
        LinkProperties { bytes_per_second: 10e9, latency_seconds: 100e-9, joules_per_byte: 80e-12 };

    /// Replaces what `spec` gives as `{prefix}bandwidth`, `{prefix}latency`, `{prefix}energy`.
    pub fn overridden(mut self, spec: &Spec, prefix: &str) -> Result<LinkProperties, SpecError> {
        let read = |name: &str, field: &mut f64, zero_allowed: bool| {
            let key = format!("{prefix}{name}");
            let expected =
                if zero_allowed { "a number of at least 0" } else { "a positive number" };
            let Some(value) = spec.get::<f64>(&key, expected)? else { return Ok(()) };
            if !value.is_finite() || value < 0.0 || (value == 0.0 && !zero_allowed) {
                return Err(SpecError::new(format!(
                    "{}: expected {expected} for \"{key}\", found \"{value}\"",
                    spec.name
                )));
            }
            *field = value;
            Ok(())
        };
        read("bandwidth", &mut self.bytes_per_second, false)?;
        read("latency", &mut self.latency_seconds, true)?;
        read("energy", &mut self.joules_per_byte, true)?;
        Ok(self)
    }
}

/// The options of a topology whose links are all alike.
pub const UNIFORM_LINK_PARAMETERS: &[Parameter] = &[
    Parameter { name: "bandwidth", default: "10e9", summary: "bytes per second of a link" },
    Parameter { name: "latency", default: "100e-9", summary: "seconds a byte takes over a link" },
    Parameter { name: "energy", default: "80e-12", summary: "joules a byte costs on a link" },
];

/// Links that lie in lines have the numbers below `bound`.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    /// Links in lines have numbers below this.
    pub bound: u64,
    /// The step from the number of a link to that of the next in its line, by link number modulo
    /// the length of this list.
    pub steps: Vec<u64>,
}

/// Links in a straight line: `first`, `first + step`, ... `count` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The first link.
    pub first: LinkId,
    /// From the number of one link to that of the next; may be negative.
    pub step: i64,
    /// How many links.
    pub count: u32,
}

impl Stretch {
    /// One link alone.
    pub fn single(link: LinkId) -> Stretch {
        Stretch { first: link, step: 0, count: 1 }
    }

    /// The links one by one.
    pub fn links(self) -> impl Iterator<Item = LinkId> {
        (0..i64::from(self.count))
            .map(move |number| LinkId(self.first.0.wrapping_add_signed(number * self.step)))
    }
}
