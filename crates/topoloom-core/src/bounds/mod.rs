//! Lower bounds that hold for every placement.

mod all_pairs;
mod best;
mod connected_groups;
mod cuts_by_level;
mod entry;
mod gilmore_lawler;
mod least_cut;
mod link_load;
mod machine_cuts;
mod meter;
mod network;
mod odd_cycles;
mod packing;
mod rank_by_rank;
mod registry;
mod routed_stars;
mod shortest;
mod view;

pub use best::{Bound, hop_bytes_bound, hop_bytes_bound_by, hop_bytes_lower_bound};
pub(crate) use best::{hop_bytes_bound_within, hop_bytes_lower_bound_within};
pub use entry::{BoundEntry, Work};
pub(crate) use link_load::max_link_load_bound_within;
pub use link_load::{max_link_load_bound, max_link_load_bounds};
pub use registry::BOUNDS;
