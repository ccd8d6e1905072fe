//! Why a job cannot be launched as a mapping says.

use thiserror::Error;

use crate::machines::error::MachineError;
use crate::text::error::WriteError;

/// Why there are no launch files for a mapping.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LaunchError {
    /// Neither the mapping nor the caller names hosts.
    #[error(
        "the mapping names no hosts{}",
        .machine.as_ref().map(|spec| format!(", only {spec}")).unwrap_or_default()
    )]
    NoHosts {
        /// The machine that the mapping names instead.
        machine: Option<String>,
    },
    /// The hosts are not those of the mapping.
    #[error("{0}")]
    Hosts(String),
    /// The mapping contradicts itself or its machine.
    #[error("{0}")]
    Mapping(String),
    /// The machine that the mapping names cannot be read.
    #[error("the mapping's machine: {0}")]
    Machine(#[from] MachineError),
    /// The format cannot express the mapping.
    #[error("{format} cannot express this: {reason}")]
    NotPossible {
        /// The format.
        format: &'static str,
        /// What prevents it, and what to do about it.
        reason: String,
    },
    /// The files cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}
