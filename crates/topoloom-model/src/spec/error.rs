//! Why a specification cannot be used.

use thiserror::Error;

use crate::budget::BudgetError;

/// Why a specification cannot be used; the text is meant for the person who wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text}")]
pub struct SpecError {
    text: String,
    reason: Reason,
}

/// What callers may want to know about an error beyond its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The registry has no entry of this name.
    UnknownName,
    /// The pattern exists, but not for this number of ranks.
    IllegalRanks,
    /// Anything else.
    Other,
}

impl SpecError {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        SpecError { text: text.into(), reason: Reason::Other }
    }

    /// An error with this text about a name that no entry of a registry has.
    pub fn unknown_name(text: impl Into<String>) -> Self {
        SpecError { text: text.into(), reason: Reason::UnknownName }
    }

    /// An error with this text about a number of ranks that a pattern cannot have.
    pub fn illegal_ranks(text: impl Into<String>) -> Self {
        SpecError { text: text.into(), reason: Reason::IllegalRanks }
    }

    /// Whether nothing of that name is known, so something else may have been meant.
    pub fn is_unknown_name(&self) -> bool {
        self.reason == Reason::UnknownName
    }

    /// Whether the pattern is possible with another number of ranks.
    pub fn is_illegal_ranks(&self) -> bool {
        self.reason == Reason::IllegalRanks
    }
}

impl From<BudgetError> for SpecError {
    fn from(error: BudgetError) -> Self {
        SpecError::new(error.to_string())
    }
}

/// A word that is not a known one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {kind} \"{found}\"; known: {known}")]
pub struct UnknownName {
    /// What it should name, such as `weight`.
    pub kind: &'static str,
    /// What was given.
    pub found: String,
    /// The known words, as a list.
    pub known: String,
}

impl UnknownName {
    /// The error about `found`, which is not a `kind`.
    pub fn new(kind: &'static str, found: &str, known: impl Into<String>) -> Self {
        UnknownName { kind, found: found.to_string(), known: known.into() }
    }
}
