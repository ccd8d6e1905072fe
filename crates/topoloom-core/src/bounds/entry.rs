//! One bound: its name and how it is computed.

use super::meter::Meter;
use super::view::View;

/// How long a bound takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// About as long as scoring a placement. It is always computed, also for huge problems.
    Quick,
    /// Up to some tenths of a second, and only for problems of some size.
    Thorough,
}

/// A lower bound on hop-bytes.
pub struct BoundEntry {
    /// What it is called in tables and JSON.
    pub name: &'static str,
    /// What it counts, in one line.
    pub summary: &'static str,
    /// How long it takes.
    pub work: Work,
    /// The bound, possibly 0; `None` if the run must stop first, or if the bound does not suit the
    /// problem.
    pub(super) compute: fn(&View<'_>, &mut Meter<'_>) -> Option<f64>,
}
