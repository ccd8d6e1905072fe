//! What is to be arranged.

use super::equal_cells::Grids;
use super::parts::Parts;
use crate::measure::Measure;
use crate::platform::Platform;

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
