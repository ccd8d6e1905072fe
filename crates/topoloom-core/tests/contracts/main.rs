//! What every entry of every registry promises. A new entry is checked automatically.

mod bounds;
mod distances;
mod machines;
mod objectives;
mod optima;
mod problems;
mod registries;
mod routings;
mod statistics;
mod strategies;
mod texts;
mod topologies;
