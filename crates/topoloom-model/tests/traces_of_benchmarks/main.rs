//! The traces of the NAS benchmarks: they add up to the traffic, and their order can be run.

mod computing;
mod order;
mod replayer;
mod runs;
mod totals;
mod wavefront;
