//! The list of all bounds on hop-bytes, cheapest first.

use super::entry::BoundEntry;
use super::{
    all_pairs, connected_groups, cuts_by_level, gilmore_lawler, machine_cuts, odd_cycles,
    rank_by_rank, routed_stars,
};

/// All bounds on hop-bytes, cheapest first.
pub static BOUNDS: &[&BoundEntry] = &[
    &rank_by_rank::ENTRY,
    &all_pairs::ENTRY,
    &connected_groups::ENTRY,
    &gilmore_lawler::ENTRY,
    &odd_cycles::ENTRY,
    &cuts_by_level::ENTRY,
    &machine_cuts::ENTRY,
    &routed_stars::ENTRY,
];
