//! Why something that a user named cannot be loaded.

use thiserror::Error;
use topoloom_core::SpecError;

use crate::machines::error::MachineError;
use crate::text::error::ReadError;

/// Why something that a user named cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The specification is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The file is wrong.
    #[error(transparent)]
    File(#[from] ReadError),
    /// It is neither a known name nor a file.
    #[error("{error} (and there is no file \"{name}\")")]
    Neither {
        /// Why it is not a specification.
        error: SpecError,
        /// What was given.
        name: String,
    },
    /// A file holds a wrong specification.
    #[error("{file}:{line}: {error}{hint}")]
    Line {
        /// The file.
        file: String,
        /// The line of the specification, from 1.
        line: usize,
        /// What is wrong with it.
        error: Box<LoadError>,
        /// What the user may have meant.
        hint: String,
    },
    /// The totals of this traffic are known, but not the order of its events.
    #[error("{0}: the order of events is not known")]
    NoOrder(String),
}

impl LoadError {
    /// The error for a text that may have been meant as a file.
    pub(super) fn of_text(error: SpecError, text: &str) -> LoadError {
        match error.is_unknown_name() {
            true => LoadError::Neither { error, name: text.to_string() },
            false => LoadError::Spec(error),
        }
    }

    /// Whether no entry of the registry has the name that was given.
    pub(super) fn is_unknown_name(&self) -> bool {
        matches!(self, LoadError::Spec(error) if error.is_unknown_name())
    }
}

impl From<MachineError> for LoadError {
    fn from(error: MachineError) -> LoadError {
        match error {
            MachineError::Spec(error) => LoadError::Spec(error),
            MachineError::File(error) => LoadError::File(error),
        }
    }
}
