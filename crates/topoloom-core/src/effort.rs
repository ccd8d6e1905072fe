//! How much work a search may do.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How much work a search may do. It is counted in steps of work, never in seconds, so the same
/// effort gives the same placement everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Effort {
    /// A good placement quickly.
    Fast,
    /// A better one in a few times as long.
    #[default]
    Eco,
    /// As good as possible, however long it takes.
    Strong,
}

/// A text that does not name an effort.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown effort \"{0}\"; known: fast, eco, strong")]
pub struct UnknownEffort(pub String);

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effort::Fast => "fast",
            Effort::Eco => "eco",
            Effort::Strong => "strong",
        })
    }
}

impl FromStr for Effort {
    type Err = UnknownEffort;

    fn from_str(text: &str) -> Result<Self, UnknownEffort> {
        match text {
            "fast" => Ok(Effort::Fast),
            "eco" => Ok(Effort::Eco),
            "strong" => Ok(Effort::Strong),
            _ => Err(UnknownEffort(text.to_string())),
        }
    }
}
