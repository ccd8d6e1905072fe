//! The list of all bounds on the busiest link, cheapest first.

use super::entry::LinkBoundEntry;
use super::{busiest_flow, busiest_rank, machine_cuts, mean_load};

/// All bounds on the busiest link, cheapest first.
pub(super) static LINK_BOUNDS: &[&LinkBoundEntry] =
    &[&busiest_rank::ENTRY, &busiest_flow::ENTRY, &machine_cuts::ENTRY, &mean_load::ENTRY];
