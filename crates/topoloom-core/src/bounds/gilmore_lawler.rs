//! The bound of Gilmore and Lawler: for each slot, each rank is charged half of the least cost of
//! its traffic, with the heaviest partner in the slot that is nearest to this one. The cheapest
//! assignment of ranks to slots bounds the sum. Unlike *rank by rank* it knows that slots at the
//! edge of a machine have fewer slots around.

use super::entry::{BoundEntry, Work};
use super::meter::Meter;
use super::view::View;
use crate::objective::HopBytes;
use crate::strategy::gilmore_lawler::Costs;

/// The registry's entry.
pub(super) static ENTRY: BoundEntry = BoundEntry {
    name: "Gilmore-Lawler",
    summary: "the cheapest assignment of ranks to slots, each charged for its own traffic",
    work: Work::Thorough,
    compute: gilmore_lawler,
};

/// The assignment takes time with the third power of the slots: about a tenth of a second for these.
const MOST_SLOTS: usize = 320;

fn gilmore_lawler(view: &View<'_>, meter: &mut Meter<'_>) -> Option<f64> {
    let problem = view.problem;
    if problem.sharing().is_some() || problem.num_slots() > MOST_SLOTS || !meter.has_time() {
        return None;
    }
    Some(Costs::new(problem, &HopBytes)?.lower_bound(&[], 0.0, &mut u64::MAX.clone()))
}
