//! Our values for the tables.

use topoloom::core::{Mapping, Summary};

use super::simulated::{Simulated, TooManyMessages};
use super::tables::PublishedTable;

/// One row of ours.
pub struct Ours {
    pub name: String,
    pub strategy: &'static str,
    /// What was optimised, if the strategy itself does not determine it.
    pub objective: Option<&'static str>,
    pub links: Summary,
    pub hops: f64,
    /// Pairs of processes that are neighbours on the machine.
    pub neighbours: u64,
    /// `None` for rows that are only simulated.
    pub seconds: Option<f64>,
    pub complete: bool,
    pub mapping: Mapping,
    pub simulated: Option<Simulated>,
}

/// A benchmark on a machine: first the rows of the thesis, then those of [`BY_HOPS`], then, if it
/// is simulated, those of [`super::simulated::AUTO`].
pub struct Computed {
    pub table: &'static PublishedTable,
    /// What the application sends, which does not depend on the placement.
    pub pairs: Summary,
    pub rows: Vec<Ours>,
    /// The steps that were simulated and the machine, or why nothing was.
    pub simulation: Result<(u32, String), TooManyMessages>,
}

/// What the genetic algorithm of the thesis maximises, and, as we read it, its random sampling too.
pub const CARDINALITY: &str = "cardinality";

/// The two strategies that are also run with the measure of the tables: messages times hops.
pub const BY_HOPS: [&str; 2] = ["genetic", "random-sampling"];

/// Messages times hops.
pub const HOPS: &str = "hop-bytes";

/// The machines of each benchmark.
pub const MACHINES: [&str; 3] = ["mesh", "torus", "haec"];
