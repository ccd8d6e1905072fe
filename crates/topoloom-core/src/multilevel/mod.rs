//! The multilevel engine: spreads a graph over a machine.
//!
//! Stage by stage, the machine's slowest level first (`multisection`), a graph is coarsened
//! (`coarsen`), divided when it is small, and refined level by level (`stage`) by moves of single
//! vertices (`fm`) and by minimum cuts between blocks (`flow`).

mod arrange;
mod block_anneal;
mod blocks;
mod coarsen;
mod common;
mod flow;
mod fm;
mod graph;
mod heritage;
mod islands;
mod labels;
mod max_flow;
mod multisection;
mod pulls;
mod region;
mod slots;
mod stage;
mod work;

pub(crate) use crate::clock::Clock;
pub(crate) use blocks::Uniform;
pub(crate) use graph::Graph;
pub(crate) use islands::evolve;
pub(crate) use region::{Hierarchy, Region};
pub(crate) use slots::{breadth_first, graph_of, place, slots_of_nodes};
pub(crate) use stage::Stage;
pub(crate) use work::Work;
