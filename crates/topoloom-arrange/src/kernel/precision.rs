//! How well a mean of measurements is known.

/// Measurements so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measurements {
    count: u32,
    mean: f64,
    /// Sum of squared differences from the mean (Welford 1962).
    squares: f64,
}

impl Measurements {
    /// One more.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let difference = value - self.mean;
        self.mean += difference / f64::from(self.count);
        self.squares += difference * (value - self.mean);
    }

    /// How many.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Their mean; 0 of none.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Half of the 95 % confidence interval of the mean, as a part of the mean; infinite before
    /// there are two measurements.
    pub fn relative_error(&self) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        let freedom = f64::from(self.count - 1);
        let deviation = (self.squares / freedom).sqrt();
        student_975(self.count - 1) * deviation / f64::from(self.count).sqrt() / self.mean
    }
}

/// The quantile 0.975 of Student's t distribution with so many degrees of freedom: tables up to 10,
/// then the expansion of Cornish and Fisher, good to four digits behind the point.
fn student_975(freedom: u32) -> f64 {
    const FEW: [f64; 10] =
        [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    if let Some(quantile) = FEW.get(freedom.wrapping_sub(1) as usize) {
        return *quantile;
    }
    let (z, n) = (1.959_963_985_f64, f64::from(freedom));
    let g1 = (z.powi(3) + z) / 4.0;
    let g2 = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let g3 = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + g1 / n + g2 / n.powi(2) + g3 / n.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (freedom, quantile) in [(1, 12.7062), (10, 2.2281), (11, 2.2010), (30, 2.0423)] {
            assert!((student_975(freedom) - quantile).abs() < 2e-4, "{freedom}");
        }
        assert!((student_975(100) - 1.9840).abs() < 1e-4);
        assert!((student_975(1_000_000) - 1.95997).abs() < 1e-4);
    }

    #[test]
    fn the_error_is_the_half_interval_over_the_mean() {
        let mut measurements = Measurements::default();
        assert_eq!(measurements.relative_error(), f64::INFINITY);
        [9.0, 10.0, 11.0].into_iter().for_each(|value| measurements.add(value));
        // Deviation 1; 4.3027 / sqrt(3) / 10.
        assert_eq!((measurements.count(), measurements.mean()), (3, 10.0));
        assert!((measurements.relative_error() - 0.248_416).abs() < 1e-6);
    }
}
