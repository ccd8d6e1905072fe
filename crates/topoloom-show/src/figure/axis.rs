//! The positions of values along an axis, and the round numbers written beside it.

/// An axis from one coordinate of the picture to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    is_log: bool,
    start: f64,
    end: f64,
}

impl Axis {
    /// Values between `low` and `high`, which may be equal, lie between the coordinates `start` and
    /// `end`.
    pub fn linear((low, high): (f64, f64), (start, end): (f64, f64)) -> Axis {
        let low = low.clamp(f64::MIN / 4.0, f64::MAX / 4.0);
        let high = if high > low { high.min(f64::MAX / 2.0) } else { low + low.abs().max(1.0) };
        Axis { low, high, is_log: false, start, end }
    }

    /// The same with a logarithmic scale; `low` is above 0.
    pub fn log((low, high): (f64, f64), (start, end): (f64, f64)) -> Axis {
        let low = low.clamp(f64::MIN_POSITIVE, f64::MAX / 10.0);
        let high = if high > low { high.min(f64::MAX) } else { low * 10.0 };
        Axis { low, high, is_log: true, start, end }
    }

    /// The coordinate of a value; values beyond an end are drawn at that end.
    pub fn at(&self, value: f64) -> f64 {
        let part = if self.is_log {
            (value.max(f64::MIN_POSITIVE) / self.low).ln() / (self.high / self.low).ln()
        } else {
            value / (self.high - self.low) - self.low / (self.high - self.low)
        };
        let part = if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) };
        self.start + part * (self.end - self.start)
    }

    /// Round values along it, about this many.
    pub fn ticks(&self, about: usize) -> Vec<f64> {
        if self.is_log {
            log_ticks(self.low, self.high, about)
        } else {
            linear_ticks(self.low, self.high, about)
        }
    }

    pub fn is_log(&self) -> bool {
        self.is_log
    }
}

/// Multiples of 1, 2 or 5 times a power of ten, at most about this many.
pub(super) fn linear_ticks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let wanted = high / about.max(1) as f64 - low / about.max(1) as f64;
    let Some(step) = round_step(wanted) else { return vec![low] };
    let first = (low / step - 1e-9).ceil();
    let count = (high / step - first + 1e-9).floor();
    // If a range is tiny compared with its numbers, no round values can be told apart.
    if !(0.0..=4.0 * about.max(1) as f64 + 4.0).contains(&count) || first.abs() > 1e12 {
        return vec![low];
    }
    (0..=count as usize).map(|number| (first + number as f64) * step).collect()
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `wanted`.
fn round_step(wanted: f64) -> Option<f64> {
    if !(wanted.is_finite() && wanted > 0.0) {
        return None;
    }
    let power = wanted.log10().floor() as i32;
    let step = |times: f64| match power {
        // A division gives tenths that are closer to the decimal number than a multiplication.
        power if power < 0 => times / 10f64.powi(-power),
        power => times * 10f64.powi(power),
    };
    let steps = [step(1.0), step(2.0), step(5.0), step(10.0)];
    steps.into_iter().find(|&step| step >= wanted * (1.0 - 1e-9)).filter(|step| step.is_normal())
}

/// Powers of ten. If there are few, 2 and 5 times them too; if there are many, every second, third
/// and so on.
pub(super) fn log_ticks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let within = |value: f64| value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9);
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let decades = (high.log10() - low.log10()).max(0.0);
    let factors: &[f64] = match decades * 3.0 <= about as f64 {
        true => &[1.0, 2.0, 5.0],
        false => &[1.0],
    };
    let every = (decades / about.max(1) as f64).ceil().max(1.0) as i32;
    let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
    let values = powers.flat_map(|power| {
        factors.iter().map(move |factor| match power {
            power if power < 0 => factor / 10f64.powi(-power),
            power => factor * 10f64.powi(power),
        })
    });
    values.filter(|&value| value.is_finite() && within(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(linear_ticks(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(linear_ticks(0.0, 970.0, 4), [0.0, 500.0]);
        assert_eq!(linear_ticks(0.0, 970.0, 5), [0.0, 200.0, 400.0, 600.0, 800.0]);
        assert_eq!(linear_ticks(130.0, 182.0, 6), [130.0, 140.0, 150.0, 160.0, 170.0, 180.0]);
        assert_eq!(linear_ticks(-5.0, 5.0, 2), [-5.0, 0.0, 5.0]);
    }

    #[test]
    fn ticks_of_logarithms_are_powers_of_ten_and_more_where_these_are_few() {
        assert_eq!(log_ticks(0.5, 2000.0, 6), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(log_ticks(1.0, 10.0, 6), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(log_ticks(0.001, 1.0, 4), [0.001, 0.01, 0.1, 1.0]);
        // Twelve powers, but about four ticks.
        assert_eq!(log_ticks(1.0, 1e12, 4), [1.0, 1e3, 1e6, 1e9, 1e12]);
    }

    #[test]
    fn odd_ranges_have_few_finite_ticks() {
        let odd = [0.0, 1.0, 5e-324, 1e-300, 1e300, f64::MAX, 1.0 + f64::EPSILON, 1e17];
        for low in odd {
            for high in odd.into_iter().filter(|&high| high >= low) {
                for about in [0, 1, 5, 12] {
                    let linear = Axis::linear((low, high), (0.0, 100.0));
                    let log = Axis::log((low, high), (0.0, 100.0));
                    for axis in [linear, log] {
                        let ticks = axis.ticks(about);
                        assert!(ticks.len() <= 60, "{low} {high} {about}: {}", ticks.len());
                        assert!(ticks.iter().all(|tick| tick.is_finite()), "{low} {high}");
                        for value in odd {
                            assert!(
                                (0.0..=100.0).contains(&axis.at(value)),
                                "{low} {high} {value}"
                            );
                        }
                    }
                }
            }
        }
        assert_eq!(Axis::linear((0.0, 4.0), (10.0, 50.0)).at(f64::NAN), 10.0);
    }

    #[test]
    fn places_follow_values_or_their_logarithms() {
        assert_eq!(Axis::linear((0.0, 4.0), (10.0, 50.0)).at(1.0), 20.0);
        // Upwards: 10 is halfway between 1 and 100.
        assert!((Axis::log((1.0, 100.0), (80.0, 20.0)).at(10.0) - 50.0).abs() < 1e-9);
    }
}
