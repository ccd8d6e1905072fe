//! How arrangements are found.

mod asymmetric;
mod auto;
mod bandwidth;
#[cfg(test)]
pub(crate) mod cases;
mod column_by_column;
mod column_order;
mod exhaustive;
mod grid;
mod groups;
mod hop_count;
mod parts;
mod row_costs;
mod shared_links;
mod unit_order;

use std::fmt::Debug;

use topoloom_core::{Entry, NotApplicable, Registry, Run, Spec, SpecError};

use crate::arrangement::Arrangement;
use crate::measure::Measure;
use crate::platform::Platform;
pub use parts::Parts;

/// What may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The order of rectangles in their columns, and of columns.
    Columns,
    /// Everything: cells are equal, so that rows and columns may be any that hold them.
    Grids(Grids),
    /// Everything, where processors differ: who shares a column, and the order of columns and in
    /// them. Each rectangle is as large as its processor is fast.
    Parts(Parts),
}

/// Rows and columns of equal cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grids {
    /// Rows and columns of the domain that is cut into cells.
    pub domain: (u32, u32),
    /// The fewest rows of cells.
    pub min_rows: usize,
    /// The fewest columns of cells.
    pub min_columns: usize,
}

impl Grids {
    /// Every (rows, columns) that holds so many processors, least rows first.
    pub fn shapes(&self, processors: usize) -> Vec<(usize, usize)> {
        (1..=processors)
            .filter(|rows| processors.is_multiple_of(*rows))
            .map(|rows| (rows, processors / rows))
            .filter(|&(rows, columns)| rows >= self.min_rows && columns >= self.min_columns)
            .filter(|&(rows, columns)| {
                rows <= self.domain.0 as usize && columns <= self.domain.1 as usize
            })
            .collect()
    }

    /// Height and width of a cell, what is left over cut off, as in the thesis.
    pub fn cell(&self, shape: (usize, usize)) -> (u32, u32) {
        (self.domain.0 / shape.0 as u32, self.domain.1 / shape.1 as u32)
    }
}

/// What is to be arranged, and what it costs.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Clusters and their groups.
    pub platform: &'a Platform,
    /// What is to be small.
    pub measure: &'a Measure,
    /// What may be changed.
    pub form: Form,
}

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

/// As it was partitioned.
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

static AS_PARTITIONED: Entry<ArrangerBuilder> = Entry {
    name: "none",
    summary: "as it was partitioned",
    example: "none",
    parameters: &[],
    build: |_| Ok(Box::new(AsPartitioned)),
};

/// Every way to arrange.
pub static ARRANGERS: Registry<ArrangerBuilder> = Registry {
    kind: "arrangement strategy",
    entries: &[
        &AS_PARTITIONED,
        &hop_count::ENTRY,
        &bandwidth::ENTRY,
        &asymmetric::ENTRY,
        &exhaustive::ENTRY,
        &auto::ENTRY,
        &shared_links::ENTRY,
    ],
    common: &[],
};

/// The arranger that `text` describes, such as `auto`.
pub fn parse_arranger(text: &str) -> Result<Box<dyn Arranger>, SpecError> {
    let spec = Spec::parse(text)?;
    (ARRANGERS.find(&spec)?.build)(&spec)
}

/// Whether a cost is less than another by more than rounding explains.
pub(crate) fn gains(cost: f64, than: f64) -> bool {
    cost < than - 1e-10 * than.abs()
}
