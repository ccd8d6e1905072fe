//! The task of a strategy.

use super::equal_cells::Grids;
use super::parts::Parts;
use crate::measure::Measure;
use crate::platform::Platform;

/// What may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The order of rectangles in their columns, and of columns.
    Columns,
    /// Everything: cells are equal, so any rows and columns that hold them are allowed.
    Grids(Grids),
    /// Everything, if processors differ: which processors share a column, and the order of columns
    /// and inside them. Each rectangle is in proportion to the speed of its processor.
    Parts(Parts),
}

/// What to arrange, and its cost.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// Clusters and their groups.
    pub platform: &'a Platform,
    /// What to minimise.
    pub measure: &'a Measure,
    /// What may be changed.
    pub form: Form,
}
