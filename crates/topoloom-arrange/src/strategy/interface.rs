//! What every strategy of arrangement can do.

use std::fmt::Debug;

use topoloom_core::{NotApplicable, Run, Spec, SpecError};

use super::task::Task;
use crate::arrangement::Arrangement;

/// Finds an arrangement.
pub trait Arranger: Debug + Send + Sync {
    /// A better order of `start`, by the strategy's lights.
    fn arrange(
        &self,
        task: &Task,
        start: &Arrangement,
        run: &mut Run,
    ) -> Result<Arrangement, NotApplicable>;
}

/// Makes an arranger from a specification.
pub type ArrangerBuilder = fn(&Spec) -> Result<Box<dyn Arranger>, SpecError>;
