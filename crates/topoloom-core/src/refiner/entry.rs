//! What the registry knows about a refiner.

use std::sync::Arc;

use super::definition::Refiner;
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};

/// Makes a refiner from a specification.
pub type RefinerBuilder = fn(&Spec) -> Result<Arc<dyn Refiner>, SpecError>;

/// An entry of [`REFINERS`](super::REFINERS).
pub type RefinerEntry = Entry<RefinerBuilder>;
