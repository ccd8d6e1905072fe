//! Which number of a message pair counts.

use std::fmt;
use std::str::FromStr;

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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "bytes" => Ok(Weight::Bytes),
            "messages" => Ok(Weight::Messages),
            _ => Err(format!("unknown weight \"{text}\"; known: bytes, messages")),
        }
    }
}
