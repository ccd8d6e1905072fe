//! The precision of a mean of timings.

use topoloom_core::significance::student_975;

/// Timings so far, or any other numbers: their count and mean.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timings {
    count: u32,
    mean: f64,
    /// Sum of squared differences from the mean (Welford 1962).
    squares: f64,
}

impl Timings {
    /// Adds a timing.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let difference = value - self.mean;
        self.mean += difference / f64::from(self.count);
        self.squares += difference * (value - self.mean);
    }

    /// The number of timings.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Their mean; 0 if there are none.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Half of the 95 % confidence interval of the mean, as a fraction of the mean; infinite if
    /// there are fewer than two timings.
    pub fn relative_error(&self) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        let freedom = f64::from(self.count - 1);
        let deviation = (self.squares / freedom).sqrt();
        student_975(self.count - 1) * deviation / f64::from(self.count).sqrt() / self.mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_half_interval_over_the_mean() {
        let mut timings = Timings::default();
        assert_eq!(timings.relative_error(), f64::INFINITY);
        [9.0, 10.0, 11.0].into_iter().for_each(|value| timings.add(value));
        // Deviation 1; 4.3027 / sqrt(3) / 10.
        assert_eq!((timings.count(), timings.mean()), (3, 10.0));
        assert!((timings.relative_error() - 0.248_416).abs() < 1e-6);
    }
}
