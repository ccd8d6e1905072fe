//! The power mean of all loads: close to the largest, but with a slope everywhere.

use super::{Loads, Measure};

/// A sum that falls below this share of its earlier value is computed again.
const MOST_CANCELLED: f64 = 1e-3;

/// The power mean of the loads of this many links.
pub fn power_mean(loads: &[f64], power: i32, links: u64) -> f64 {
    let largest = loads.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    let sum: f64 = loads.iter().map(|load| (load / largest).powi(power)).sum();
    largest * (sum / links as f64).powf(1.0 / f64::from(power))
}

/// Powers for inner loops: the default power needs no call.
#[inline]
fn raised(value: f64, power: i32) -> f64 {
    if power == 8 {
        let square = value * value;
        let fourth = square * square;
        return fourth * fourth;
    }
    value.powi(power)
}

/// Follows the power mean.
pub struct Power {
    power: i32,
    links: u64,
    /// The divisor of loads before they are raised: it keeps numbers near 1.
    scale: f64,
    sum: f64,
}

impl Power {
    /// For a machine with this many links.
    pub fn new(power: i32, links: u64) -> Power {
        Power { power, links, scale: 1.0, sum: 0.0 }
    }

    fn mean(&self, sum: f64) -> f64 {
        if sum <= 0.0 {
            return 0.0;
        }
        self.scale * (sum / self.links as f64).powf(1.0 / f64::from(self.power))
    }

    fn sum_after(&self, loads: &Loads) -> f64 {
        let (load, change, by) = (loads.now(), loads.changes(), 1.0 / self.scale);
        let more = |&link: &u32| {
            let (load, change) = (load[link as usize], change[link as usize]);
            raised((load + change) * by, self.power) - raised(load * by, self.power)
        };
        let sum = self.sum + loads.touched().iter().map(more).sum::<f64>();
        if sum > MOST_CANCELLED * self.sum {
            return sum;
        }
        // Almost no digits of it would be left.
        load.iter().zip(change).map(|(load, change)| raised((load + change) * by, self.power)).sum()
    }
}

impl Measure for Power {
    fn count(&mut self, load: &[f64]) {
        let largest = load.iter().copied().fold(0.0, f64::max);
        self.scale = if largest > 0.0 { largest } else { 1.0 };
        self.sum = load.iter().map(|load| raised(load / self.scale, self.power)).sum();
    }

    fn value(&self) -> f64 {
        self.mean(self.sum)
    }

    fn after(&mut self, loads: &Loads) -> f64 {
        self.mean(self.sum_after(loads))
    }

    fn accept(&mut self, loads: &Loads) {
        self.sum = self.sum_after(loads);
    }
}
