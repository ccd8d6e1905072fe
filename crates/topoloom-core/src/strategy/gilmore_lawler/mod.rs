//! The bound of Gilmore and Lawler for the quadratic assignment problem: what no completion of a
//! partial placement costs less than.

mod assignment;
mod bound;

pub(super) use bound::Costs;
