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
    /// As good as one search can make it, however long that takes.
    Strong,
    /// What `Strong` finds, improved by many searches that learn from each other. It takes about
    /// ten times as long.
    Extreme,
}

/// A text that does not name an effort.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown effort \"{0}\"; known: fast, eco, strong, extreme")]
pub struct UnknownEffort(pub String);

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effort::Fast => "fast",
            Effort::Eco => "eco",
            Effort::Strong => "strong",
            Effort::Extreme => "extreme",
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
            "extreme" => Ok(Effort::Extreme),
            _ => Err(UnknownEffort(text.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efforts_are_read_as_they_are_written() {
        for effort in [Effort::Fast, Effort::Eco, Effort::Strong, Effort::Extreme] {
            assert_eq!(effort.to_string().parse(), Ok(effort));
        }
        let message = "best".parse::<Effort>().unwrap_err().to_string();
        assert_eq!(message, "unknown effort \"best\"; known: fast, eco, strong, extreme");
    }
}
