//! Strategies that find arrangements.

mod as_partitioned;
mod asymmetric;
mod auto;
mod bandwidth;
#[cfg(test)]
pub(crate) mod cases;
mod column_by_column;
mod column_order;
mod equal_cells;
mod exhaustive;
mod gain;
mod grid;
mod groups;
mod hop_count;
mod interface;
mod parts;
mod registry;
mod row_costs;
mod shared_links;
mod task;
mod unit_order;

pub use equal_cells::Grids;
pub(crate) use gain::gains;
pub use interface::{Arranger, ArrangerBuilder};
pub use parts::Parts;
pub use registry::{ARRANGERS, parse_arranger};
pub use task::{Form, Task};
