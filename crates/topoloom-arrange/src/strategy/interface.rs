//! The interface of all arrangement strategies.

use std::fmt::Debug;

use topoloom_core::{NotApplicable, Run, Spec, SpecError};

use super::task::Task;
use crate::arrangement::Arrangement;

/// Finds an arrangement.
pub trait Arranger: Debug + Send + Sync {
    /// A better order of `start`, as the strategy judges it.
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable>;
}

/// Makes an arranger from a specification.
pub type ArrangerBuilder = fn(&Spec) -> Result<Box<dyn Arranger>, SpecError>;
