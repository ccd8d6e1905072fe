//! The multilevel engine.
#![allow(missing_docs, dead_code)]
pub mod blocks;
pub mod coarsen;
pub mod flow;
pub mod fm;
pub mod graph;
pub mod initial;
pub mod max_flow;
pub mod stage;
pub mod multisection;
pub mod region;
