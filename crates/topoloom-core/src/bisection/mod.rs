//! Geometric bisection: ranks get coordinates from the traffic, then ranks and machine are
//! halved together until a part of the machine is one node.

mod coordinates;
mod exchange;
mod halving;
mod region;

pub(crate) use halving::bisect;
