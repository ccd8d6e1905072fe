//! The report: one page that contains everything, and loads nothing from outside.
//!
//! Text, tables and charts are part of the page. Its script (`page/`) adds the matrix and the
//! machine, which are interactive.

mod apply;
mod content;
mod data;
mod groups;
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
