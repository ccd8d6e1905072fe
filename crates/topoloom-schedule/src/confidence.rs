//! How sure the mean of a few runs is.

use topoloom_core::significance::{Sample, student_975};

/// A mean, and how far it may be off with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Half of the 95 % confidence interval, by Student's distribution; `None` for a single number.
    pub half_width: Option<f64>,
}

impl Interval {
    /// The mean of `values` and its interval; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Interval> {
        let Sample { count, mean, deviation, .. } = Sample::of(values)?;
        let half_width =
            (count > 1).then(|| student_975(count as u32 - 1) * deviation / (count as f64).sqrt());
        Some(Interval { mean, half_width })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_student() {
        // Mean 5, deviation sqrt(32 / 7), 8 numbers: 2.3646 x 2.13809 / sqrt(8).
        let interval = Interval::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!(interval.mean, 5.0);
        assert!((interval.half_width.unwrap() - 1.787_476).abs() < 1e-5, "{interval:?}");
        assert_eq!(Interval::of(&[3.0]), Some(Interval { mean: 3.0, half_width: None }));
        assert_eq!(Interval::of(&[]), None);
    }
}
