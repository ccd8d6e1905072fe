//! Costs that are sums over all flows: weight times the cost of the pair of nodes.
//!
//! Two trackers follow them, each specialised for the cost. If the cost or the traffic is the same
//! both ways, both directions of a pair are taken together. Only if neither is, the two directions
//! must be distinguished.

mod by_table;
mod definition;
mod directed;
mod flow_sum;
mod offsets;
mod pair_cost;
mod symmetric;
mod table;

pub(crate) use by_table::{symmetric_table, track_table};
pub(crate) use definition::sum_over_flows;
pub(crate) use directed::DirectedTracker;
pub(crate) use flow_sum::{FlowSum, Part};
pub(crate) use offsets::{OffsetCosts, hops_by_dimension, with_offset_costs};
pub(crate) use pair_cost::{Hops, PairCost};
pub(crate) use symmetric::SymmetricTracker;
pub(crate) use table::CostTable;
