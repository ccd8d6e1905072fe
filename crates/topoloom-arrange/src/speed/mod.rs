//! How fast a processor computes.

mod akima;
mod function;
mod safe;

use std::ops::RangeInclusive;
use std::sync::Arc;

pub use function::{Interpolation, InvalidSpeeds, SpeedFunction};

/// Sizes in blocks and speeds in blocks a second that can be computed with.
const REASONABLE: RangeInclusive<f64> = 1e-100..=1e100;

/// How fast a processor computes, in blocks a second.
#[derive(Debug, Clone, PartialEq)]
pub enum Speed {
    /// The same at every size: the constant performance model.
    Constant(f64),
    /// As fast as the size of its part lets it be: the functional performance model.
    Function(Arc<SpeedFunction>),
}

impl Speed {
    /// Blocks a second at `size` blocks.
    pub fn speed(&self, size: f64) -> f64 {
        match self {
            Speed::Constant(speed) => *speed,
            Speed::Function(function) => function.speed(size),
        }
    }

    /// Seconds that `size` blocks take. Strictly increasing in the size.
    pub fn time(&self, size: f64) -> f64 {
        match self {
            Speed::Constant(speed) => size / speed,
            Speed::Function(function) => function.time(size),
        }
    }

    /// How many blocks are done in `seconds`: the inverse of [`Speed::time`].
    pub fn size_in(&self, seconds: f64) -> f64 {
        match self {
            Speed::Constant(speed) => seconds * speed,
            Speed::Function(function) => function.size_in(seconds),
        }
    }

    /// Whether it is positive and within reason, as it has to be; functions always are.
    pub fn is_valid(&self) -> bool {
        match self {
            Speed::Constant(speed) => REASONABLE.contains(speed),
            Speed::Function(_) => true,
        }
    }

    /// The slowest and the fastest that it is at any size.
    pub(crate) fn range(&self) -> (f64, f64) {
        match self {
            Speed::Constant(speed) => (*speed, *speed),
            Speed::Function(function) => function.range(),
        }
    }
}
