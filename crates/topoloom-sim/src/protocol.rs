//! How messages are handed over, whatever the model.

use topoloom_model::registry::Parameter;
use topoloom_model::spec::{Spec, SpecError};
use topoloom_model::topology::LinkProperties;

use crate::send_queues::SendQueues;

/// The options of every model.
pub(crate) const PROTOCOL_PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "eager",
        default: "65536",
        summary: "bytes of the largest message that is sent before its receiver is ready",
    },
    Parameter {
        name: "queues",
        default: "pair",
        summary: "send queues per rank: pair (one per partner), a number, or none (nothing waits)",
    },
    Parameter {
        name: "memory-bandwidth",
        default: "20e9",
        summary: "bytes per second between ranks of one node",
    },
    Parameter {
        name: "memory-latency",
        default: "200e-9",
        summary: "minimum time of a message between ranks of one node, in seconds",
    },
];

/// What both models share: how messages are handed over, and what happens on one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Protocol {
    /// The largest message that leaves before its receiver is ready, and that its sender need not
    /// wait for.
    pub eager_bytes: u64,
    /// Which messages of a rank are sent one after the other.
    pub queues: SendQueues,
    /// Between ranks of one node.
    pub memory_bytes_per_second: f64,
    /// The shortest time of a message between ranks of one node.
    pub memory_latency_seconds: f64,
}

impl Default for Protocol {
    fn default() -> Self {
        Protocol {
            eager_bytes: 65_536,
            queues: SendQueues::Pair,
            memory_bytes_per_second: LinkProperties::MEMORY.bytes_per_second,
            memory_latency_seconds: LinkProperties::MEMORY.latency_seconds,
        }
    }
}

impl Protocol {
    pub(crate) fn from_spec(spec: &Spec) -> Result<Protocol, SpecError> {
        let usual = Protocol::default();
        Ok(Protocol {
            eager_bytes: whole(spec, "eager", 0)?.unwrap_or(usual.eager_bytes),
            queues: spec.get("queues", SendQueues::EXPECTED)?.unwrap_or(usual.queues),
            memory_bytes_per_second: positive(spec, "memory-bandwidth")?
                .unwrap_or(usual.memory_bytes_per_second),
            memory_latency_seconds: number(
                spec,
                "memory-latency",
                "a number of at least 0",
                |n| n >= 0.0,
            )?
            .unwrap_or(usual.memory_latency_seconds),
        })
    }

    /// How long a message between ranks of one node takes.
    pub(crate) fn memory_seconds(&self, bytes: u64) -> f64 {
        self.memory_latency_seconds + self.copy_seconds(bytes)
    }

    /// How much of this is spent on its bytes.
    pub(crate) fn copy_seconds(&self, bytes: u64) -> f64 {
        bytes as f64 / self.memory_bytes_per_second
    }
}

/// An option that is a positive number.
pub(crate) fn positive(spec: &Spec, key: &str) -> Result<Option<f64>, SpecError> {
    number(spec, key, "a positive number", |number| number > 0.0)
}

fn number(
    spec: &Spec,
    key: &str,
    expected: &str,
    fits: impl Fn(f64) -> bool,
) -> Result<Option<f64>, SpecError> {
    let found: Option<f64> = spec.get(key, expected)?;
    match found {
        Some(number) if !number.is_finite() || !fits(number) => Err(wrong(spec, key, expected)),
        found => Ok(found),
    }
}

/// An option that is a whole number of at least `least`.
pub(crate) fn whole(spec: &Spec, key: &str, least: u64) -> Result<Option<u64>, SpecError> {
    let expected = format!("a whole number of at least {least}");
    match spec.get(key, &expected)? {
        Some(number) if number < least => Err(wrong(spec, key, &expected)),
        found => Ok(found),
    }
}

fn wrong(spec: &Spec, key: &str, expected: &str) -> SpecError {
    let found = spec.options.iter().find(|(name, _)| name == key);
    let found = found.and_then(|(_, value)| value.clone()).unwrap_or_default();
    SpecError::new(format!("{}: expected {expected} for \"{key}\", found \"{found}\"", spec.name))
}
