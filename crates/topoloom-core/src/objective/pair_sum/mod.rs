//! Costs that are sums over all flows: weight times what the pair of nodes costs.
//!
//! Two trackers follow them, each compiled for the cost. Where the cost is the same both ways, or
//! the traffic is, both directions of a pair are taken together; only where neither is are there
//! flows one way and the other to tell apart.

mod by_table;
mod definition;
mod directed;
mod offsets;
mod pair_cost;
mod symmetric;
mod table;

pub(crate) use by_table::{symmetric_table, track_table};
pub(crate) use definition::sum_over_flows;
pub(crate) use directed::DirectedTracker;
pub(crate) use offsets::{OffsetCosts, hops_by_dimension, with_offset_costs};
pub(crate) use pair_cost::{Hops, PairCost};
pub(crate) use symmetric::SymmetricTracker;
pub(crate) use table::CostTable;
