//! How much work a search may take.

use std::fmt;
use std::str::FromStr;

/// How much work a search may take. It is counted in work and never in seconds, so that the same
/// effort gives the same placement everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Effort {
    /// A good placement soon.
    Fast,
    /// A better one in a few times that.
    #[default]
    Eco,
    /// As good as can be, in as long as it takes.
    Strong,
}

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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fast" => Ok(Effort::Fast),
            "eco" => Ok(Effort::Eco),
            "strong" => Ok(Effort::Strong),
            _ => Err(format!("unknown effort \"{text}\"; known: fast, eco, strong")),
        }
    }
}
