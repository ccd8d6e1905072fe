//! The report: one page that holds everything, and asks for nothing from outside.
//!
//! Text, tables and charts stand in the page as they are; its script (`page/`) adds the matrix and the machine,
//! which have to move.

mod apply;
mod content;
mod data;
mod html;
mod levels;
mod machine;
mod page;
mod simulation;
mod strategies;
mod times;
mod traffic;
mod verdict;

pub use apply::MAPPING;
pub use content::{
    CallTime, File, Launch, Placed, Report, SimulatedRun, Simulation, Step, TimeInMpi,
};
