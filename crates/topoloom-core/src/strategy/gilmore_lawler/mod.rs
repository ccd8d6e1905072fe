//! The bound of Gilmore and Lawler for the quadratic assignment problem: no completion of a partial
//! placement costs less.

mod assignment;
mod bound;

pub(crate) use bound::Costs;
