//! What the registry knows about an objective.

use std::sync::Arc;

use super::definition::Objective;
use crate::registry::Entry;
use crate::spec::{Spec, SpecError};

/// Makes an objective from a specification.
pub type ObjectiveBuilder = fn(&Spec) -> Result<Arc<dyn Objective>, SpecError>;

/// An entry of [`OBJECTIVES`](super::OBJECTIVES).
pub type ObjectiveEntry = Entry<ObjectiveBuilder>;
