//! The options of the flow model.

use std::fmt;
use std::str::FromStr;

use topoloom_model::spec::{Spec, SpecError};

use crate::protocol::{Protocol, positive};

/// How flows that meet on a link share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sharing {
    /// All equally.
    #[default]
    Equal,
    /// In inverse proportion to the latency of their routes, as TCP flows do and as SimGrid models
    /// it.
    Latency,
}

impl fmt::Display for Sharing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sharing::Equal => "equal",
            Sharing::Latency => "latency",
        })
    }
}

impl FromStr for Sharing {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "equal" => Ok(Sharing::Equal),
            "latency" => Ok(Sharing::Latency),
            _ => Err(()),
        }
    }
}

/// The options of the flow model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FlowOptions {
    /// How flows that meet on a link share it.
    pub sharing: Sharing,
    /// What a node sends or receives at once, in bandwidths of the fastest link; `None` for as much
    /// as its links take.
    pub injection: Option<f64>,
    /// How messages are handed over.
    pub protocol: Protocol,
}

impl FlowOptions {
    pub(super) fn from_spec(spec: &Spec) -> Result<FlowOptions, SpecError> {
        Ok(FlowOptions {
            sharing: spec.get("sharing", "equal or latency")?.unwrap_or_default(),
            injection: positive(spec, "injection")?,
            protocol: Protocol::from_spec(spec)?,
        })
    }
}
