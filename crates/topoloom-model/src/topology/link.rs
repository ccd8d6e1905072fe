//! Directed links: their properties, and how they form lines.

use crate::ids::{LinkId, Vertex};
use crate::registry::Parameter;
use crate::spec::{Spec, SpecError};

/// The properties of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkProperties {
    /// Bytes per second that can cross it.
    pub bytes_per_second: f64,
    /// The time that a byte is under way.
    pub latency_seconds: f64,
    /// The energy per byte.
    pub joules_per_byte: f64,
    /// The power it draws whether it carries anything or not.
    pub idle_watts: f64,
    /// Whether each message has the whole bandwidth, however many cross the link at once, like
    /// SimGrid's FATPIPE. Messages share every other link.
    pub is_fat_pipe: bool,
}

/// A directed link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The vertex it leaves.
    pub from: Vertex,
    /// The vertex it leads to.
    pub to: Vertex,
    /// Its properties.
    pub properties: LinkProperties,
}

impl LinkProperties {
    /// A typical electrical link: 10 GB/s, 100 ns, 10 pJ per bit. It always draws half as much as
    /// in full use.
    pub const ELECTRICAL: LinkProperties = LinkProperties {
        bytes_per_second: 10e9,
        latency_seconds: 100e-9,
        joules_per_byte: 80e-12,
        idle_watts: 0.4,
        is_fat_pipe: false,
    };

    /// The memory that ranks of one node communicate through, if nothing else is known about it:
    /// 20 GB/s for each pair, 200 ns.
    pub const MEMORY: LinkProperties = LinkProperties {
        bytes_per_second: 20e9,
        latency_seconds: 200e-9,
        joules_per_byte: 0.0,
        idle_watts: 0.0,
        is_fat_pipe: true,
    };

    /// Replaces the values that `spec` gives as `{prefix}bandwidth`, `{prefix}latency`,
    /// `{prefix}energy`, `{prefix}idle-power`.
    pub fn overridden(self, spec: &Spec, prefix: &str) -> Result<LinkProperties, SpecError> {
        Ok(self.overridden_each(spec, prefix, 1, "")?[0])
    }

    /// The same for links of `kinds` kinds: each option has one number, or one per kind, such as
    /// `10e9:20e9`. The word for a kind is `kind`.
    pub fn overridden_each(
        self,
        spec: &Spec,
        prefix: &str,
        kinds: usize,
        kind: &str,
    ) -> Result<Vec<LinkProperties>, SpecError> {
        let mut each = vec![self; kinds];
        for (name, zero_allowed, field) in FIELDS {
            let key = format!("{prefix}{name}");
            let expected =
                if zero_allowed { "a number of at least 0" } else { "a positive number" };
            let Some(text) = spec.get::<String>(&key, expected)? else { continue };
            let wrong = |expected: &str, found: &str| {
                let name = &spec.name;
                SpecError::new(format!(
                    "{name}: expected {expected} for \"{key}\", found \"{found}\""
                ))
            };
            let numbers: Vec<&str> = text.split(':').map(str::trim).collect();
            if numbers.len() > 1 && numbers.len() != kinds {
                let expected = match kinds {
                    1 => "1 number".to_string(),
                    _ => format!("1 number or {kinds}, one per {kind},"),
                };
                return Err(wrong(&expected, &text));
            }
            for (properties, found) in each.iter_mut().zip(numbers.iter().cycle()) {
                let number: f64 = found.parse().map_err(|_| wrong(expected, found))?;
                if !number.is_finite() || number < 0.0 || (number == 0.0 && !zero_allowed) {
                    return Err(wrong(expected, found));
                }
                *field(properties) = number;
            }
        }
        Ok(each)
    }

    /// Whether a link can have these properties.
    pub fn is_fine(&self) -> bool {
        let &LinkProperties {
            bytes_per_second, latency_seconds, joules_per_byte, idle_watts, ..
        } = self;
        let fine = |number: f64| number.is_finite() && number >= 0.0;
        let all = [bytes_per_second, latency_seconds, joules_per_byte, idle_watts];
        all.into_iter().all(fine) && bytes_per_second > 0.0
    }

    /// The largest bandwidth of some kinds of links, each with whether there are any.
    pub(super) fn fastest(kinds: impl IntoIterator<Item = (bool, LinkProperties)>) -> f64 {
        let present = kinds.into_iter().filter(|&(present, _)| present);
        present.map(|(_, properties)| properties.bytes_per_second).fold(0.0, f64::max)
    }
}

type Field = fn(&mut LinkProperties) -> &mut f64;

/// The options of links: name, whether 0 makes sense, and where the number goes.
const FIELDS: [(&str, bool, Field); 4] = [
    ("bandwidth", false, |link| &mut link.bytes_per_second),
    ("latency", true, |link| &mut link.latency_seconds),
    ("energy", true, |link| &mut link.joules_per_byte),
    ("idle-power", true, |link| &mut link.idle_watts),
];

/// The options of a topology whose links are all alike.
pub const UNIFORM_LINK_PARAMETERS: &[Parameter] = &[
    Parameter { name: "bandwidth", default: "10e9", summary: "bytes per second of a link" },
    Parameter { name: "latency", default: "100e-9", summary: "delay of a link, in seconds" },
    Parameter { name: "energy", default: "80e-12", summary: "joules per byte on a link" },
    Parameter {
        name: "idle-power",
        default: "0.4",
        summary: "power that a link always draws, in watts",
    },
];

/// The options of a topology whose links differ by dimension.
pub const LINK_PARAMETERS_BY_DIMENSION: &[Parameter] = &[
    Parameter {
        name: "bandwidth",
        default: "10e9",
        summary: "bytes per second of a link, or one number per dimension: 10e9:10e9:5e9",
    },
    Parameter {
        name: "latency",
        default: "100e-9",
        summary: "delay of a link, in seconds, or one number per dimension",
    },
    Parameter {
        name: "energy",
        default: "80e-12",
        summary: "joules per byte on a link, or one number per dimension",
    },
    Parameter {
        name: "idle-power",
        default: "0.4",
        summary: "power that a link always draws, in watts, or one number per dimension",
    },
];

/// The options of a topology whose links differ by level.
pub const LINK_PARAMETERS_BY_LEVEL: &[Parameter] = &[
    Parameter {
        name: "bandwidth",
        default: "10e9",
        summary: "bytes per second of a link, or one number per level, lowest first: 10e9:20e9",
    },
    Parameter {
        name: "latency",
        default: "100e-9",
        summary: "delay of a link, in seconds, or one number per level",
    },
    Parameter {
        name: "energy",
        default: "80e-12",
        summary: "joules per byte on a link, or one number per level",
    },
    Parameter {
        name: "idle-power",
        default: "0.4",
        summary: "power that a link always draws, in watts, or one number per level",
    },
];

/// Links that are in lines have the numbers below `bound`.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    /// Links in lines have numbers below this.
    pub bound: u64,
    /// The step from the number of a link to the number of the next one in its line, by link number
    /// modulo the length of this list.
    pub steps: Vec<u64>,
}

/// Links in a straight line: `first`, `first + step`, ... `count` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The first link.
    pub first: LinkId,
    /// The step from the number of one link to that of the next; may be negative.
    pub step: i64,
    /// How many links.
    pub count: u32,
}

impl Stretch {
    /// A single link.
    pub fn single(link: LinkId) -> Stretch {
        Stretch { first: link, step: 0, count: 1 }
    }

    /// The links one by one.
    pub fn links(self) -> impl Iterator<Item = LinkId> {
        (0..i64::from(self.count))
            .map(move |number| LinkId(self.first.0.wrapping_add_signed(number * self.step)))
    }
}

/// How `hops` from a coordinate along an axis are divided into stretches: up to the end of the
/// axis, and beyond the seam of the ring.
#[inline]
pub(super) fn stretch_lengths(length: u32, coordinate: u32, down: bool, hops: u32) -> [u32; 2] {
    let to_seam = if down { coordinate + 1 } else { length - coordinate };
    [hops.min(to_seam), hops.saturating_sub(to_seam)]
}
