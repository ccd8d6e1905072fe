//! What the registry knows about a strategy.

use std::sync::Arc;

use super::definition::Strategy;
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};

/// Makes a strategy from a specification.
pub type StrategyBuilder = fn(&Spec) -> Result<Arc<dyn Strategy>, SpecError>;

/// An entry of [`STRATEGIES`](super::STRATEGIES).
pub type StrategyEntry = Entry<StrategyBuilder>;
