//! A placement from a file among strategies that are compared.

use std::sync::Arc;

use anyhow::Context;
use topoloom::core::{Mapping, NotApplicable, Objective, Problem, Run, Strategy, parse_strategy};

use crate::inputs::{mapping_of_file, warn_of_another_machine};
use crate::placing::placement::{Named, name_kind};

/// Finds the placement that a file holds.
#[derive(Debug)]
struct FromFile(Mapping);

impl Strategy for FromFile {
    fn shares_slots(&self) -> bool {
        true
    }

    fn map(
        &self,
        _: &Problem,
        _: Option<&dyn Objective>,
        _: &mut Run,
    ) -> Result<Mapping, NotApplicable> {
        Ok(self.0.clone())
    }
}

/// The strategy of this name, or one that gives the placement of the file of this name.
pub fn strategy_or_file(text: &str, problem: &Problem) -> anyhow::Result<Arc<dyn Strategy>> {
    let Named::File(file) = name_kind(text)? else { return Ok(parse_strategy(text)?) };
    warn_of_another_machine(&file, problem.machine());
    let mapping =
        mapping_of_file(&file, problem).with_context(|| format!("{text}: not a valid mapping"))?;
    Ok(Arc::new(FromFile(mapping)))
}
