//! Geometric bisection: ranks get coordinates from the traffic, then ranks and machine are
//! halved together until a part of the machine is one node.

mod coordinates;
mod direction;
mod dividing;
mod exchange;
mod halving;
mod layout;
mod region;
mod room;

pub(crate) use halving::bisect;
