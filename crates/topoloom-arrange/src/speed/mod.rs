//! The speed of a processor.

mod akima;
mod function;
mod safe;

use std::ops::RangeInclusive;
use std::sync::Arc;

pub use function::{Interpolation, InvalidSpeeds, SpeedFunction};

/// The range of sizes in blocks and speeds in blocks per second that are supported.
const REASONABLE: RangeInclusive<f64> = 1e-100..=1e100;

/// The speed of a processor, in blocks per second.
#[derive(Debug, Clone, PartialEq)]
pub enum Speed {
    /// The same at every size: the constant performance model.
    Constant(f64),
    /// It depends on the size of its part: the functional performance model.
    Function(Arc<SpeedFunction>),
}

impl Speed {
    /// Blocks per second at `size` blocks.
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

    /// Whether it is positive and plausible, as required; functions always are.
    pub fn is_valid(&self) -> bool {
        match self {
            Speed::Constant(speed) => REASONABLE.contains(speed),
            Speed::Function(_) => true,
        }
    }

    /// The lowest and the highest speed at any size.
    pub(crate) fn range(&self) -> (f64, f64) {
        match self {
            Speed::Constant(speed) => (*speed, *speed),
            Speed::Function(function) => function.range(),
        }
    }
}
