//! Which number of a message pair counts.

use std::fmt;
use std::str::FromStr;

use crate::spec::UnknownName;

/// Which number of a message pair counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weight {
    /// Bytes sent.
    #[default]
    Bytes,
    /// Messages sent, whatever their size.
    Messages,
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Weight::Bytes => "bytes",
            Weight::Messages => "messages",
        })
    }
}

impl FromStr for Weight {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "bytes" => Ok(Weight::Bytes),
            "messages" => Ok(Weight::Messages),
            _ => Err(UnknownName::new("weight", text, "bytes, messages")),
        }
    }
}
