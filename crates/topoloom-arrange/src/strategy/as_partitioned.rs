//! `none`: the arrangement as it was partitioned.

use topoloom_core::{Entry, NotApplicable, Run};

use super::interface::{Arranger, ArrangerBuilder};
use super::task::Task;
use crate::arrangement::Arrangement;

/// Leaves the arrangement as it was partitioned.
#[derive(Debug)]
struct AsPartitioned;

impl Arranger for AsPartitioned {
    fn arrange(
        &self,
        _: &Task,
        start: &Arrangement,
        _: &mut Run,
    ) -> Result<Arrangement, NotApplicable> {
        Ok(start.clone())
    }
}

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "none",
    summary: "as it was partitioned",
    example: "none",
    parameters: &[],
    build: |_| Ok(Box::new(AsPartitioned)),
};
