//! Why a machine cannot be made.

use thiserror::Error;
use topoloom_core::SpecError;

use crate::text::error::ReadError;

/// Why a machine cannot be made: its specification is wrong, or the file that it names.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MachineError {
    /// The specification is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The file is wrong.
    #[error(transparent)]
    File(#[from] ReadError),
}
