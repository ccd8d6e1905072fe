//! How messages travel, and what that puts on each link.

mod detour;
mod dimension_order;
mod ecmp;
mod entry;
mod footprint;
mod half;
mod hosts;
mod interface;
mod kept;
mod loads;
mod minimal_adaptive;
mod mod_k;
mod none;
mod one_path;
mod registry;
mod relative;
mod shortest_way;
mod spread;
mod spreading;
mod spreading_routing;
mod table;
mod tree_shape;
mod up_down;

pub use entry::{RoutingBuilder, RoutingEntry};
pub use interface::{PacketWays, Routing};
pub use loads::{LinkLoads, UsedLink};
pub use one_path::{OnePath, one_path};
pub use registry::{ROUTINGS, default_for, routing_for};
pub use relative::RelativeRoutes;
pub use spreading::Spreading;
