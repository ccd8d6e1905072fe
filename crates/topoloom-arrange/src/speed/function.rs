//! Speed as a function of the size of a part, from benchmarks.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use topoloom_core::spec::UnknownName;

use super::REASONABLE;
use super::akima::{self, Piece};
use super::safe::{SafePoints, made_safe};

/// The curve between benchmark points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Straight lines of the speed.
    #[default]
    Linear,
    /// Akima's curve of the time, limited such that more blocks always take longer: there are no
    /// corners.
    Akima,
}

impl Interpolation {
    /// All of them.
    pub const ALL: [Interpolation; 2] = [Interpolation::Linear, Interpolation::Akima];

    /// The name in files and options.
    pub fn name(self) -> &'static str {
        match self {
            Interpolation::Linear => "linear",
            Interpolation::Akima => "akima",
        }
    }
}

impl fmt::Display for Interpolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Interpolation {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = Interpolation::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| UnknownName::new("interpolation", text, "akima, linear"))
    }
}

/// Why points are not a speed function.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum InvalidSpeeds {
    /// Nothing was measured.
    #[error("a speed function needs at least one point")]
    Empty,
    /// A size that is not positive, or not plausible.
    #[error("expected a size between 1e-100 and 1e100 blocks, found {0}")]
    Size(f64),
    /// A speed that is not positive, or not plausible.
    #[error("expected a speed between 1e-100 and 1e100 blocks per second, found {0}")]
    Speed(f64),
}

/// Speed in blocks per second as a function of the size of a part in blocks: the functional
/// performance model.
///
/// Whatever was measured, the speed is positive and the time strictly increases with the size, so
/// each time is reached at only one size: a line through the origin meets the speed once. Points of
/// one size are averaged by their times, and times that decrease with the size are replaced by the
/// closest increasing times. Between the points, [`Interpolation::Linear`] draws lines of the
/// speed; [`Interpolation::Akima`] draws Akima's curve of the time. Before the first point and
/// after the last one the speed is constant.
///
/// ```
/// use topoloom_arrange::{Interpolation, SpeedFunction};
/// let points = vec![(100.0, 50.0), (300.0, 30.0)];
/// let function = SpeedFunction::new(points, Interpolation::Linear).unwrap();
/// assert_eq!(function.speed(200.0), 40.0);
/// assert_eq!(function.time(200.0), 5.0);
/// assert_eq!(function.size_in(5.0), 200.0);
/// assert_eq!(function.speed(10.0), 50.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedFunction {
    points: Vec<(f64, f64)>,
    interpolation: Interpolation,
    safe: SafePoints,
    sizes: Vec<f64>,
    times: Vec<f64>,
    /// The slopes of the time at the safe points; empty if the speed is interpolated.
    slopes: Vec<f64>,
}

impl SpeedFunction {
    /// A function through points of a size in blocks and a speed in blocks per second, in any
    /// order.
    pub fn new(
        points: Vec<(f64, f64)>,
        interpolation: Interpolation,
    ) -> Result<Self, InvalidSpeeds> {
        if points.is_empty() {
            return Err(InvalidSpeeds::Empty);
        }
        if let Some((size, _)) = points.iter().find(|point| !REASONABLE.contains(&point.0)) {
            return Err(InvalidSpeeds::Size(*size));
        }
        if let Some((_, speed)) = points.iter().find(|point| !REASONABLE.contains(&point.1)) {
            return Err(InvalidSpeeds::Speed(*speed));
        }
        let safe = made_safe(&points);
        let sizes: Vec<f64> = safe.points.iter().map(|point| point.0).collect();
        let times: Vec<f64> = safe.points.iter().map(|(size, speed)| size / speed).collect();
        debug_assert!(times.is_sorted_by(|a, b| a < b), "safe times increase: {times:?}");
        let (first, last) = (safe.points[0].1, safe.points[safe.points.len() - 1].1);
        let slopes = match interpolation {
            Interpolation::Linear => Vec::new(),
            Interpolation::Akima => akima::slopes(&sizes, &times, 1.0 / first, 1.0 / last),
        };
        Ok(SpeedFunction { points, interpolation, safe, sizes, times, slopes })
    }

    /// The points as they were given.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The curve between them.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The points that the function goes through, by increasing size.
    pub fn safe_points(&self) -> &[(f64, f64)] {
        &self.safe.points
    }

    /// How many of the safe points differ from the measurements, because times did not increase.
    /// Averaged sizes do not count.
    pub fn changed_points(&self) -> usize {
        self.safe.changed
    }

    /// Blocks per second at `size` blocks; at 0, the limit for small sizes.
    pub fn speed(&self, size: f64) -> f64 {
        let points = self.safe_points();
        let after = self.sizes.partition_point(|&other| other <= size);
        if after == 0 {
            return points[0].1;
        }
        let Some(&next) = points.get(after) else { return points[after - 1].1 };
        let last = points[after - 1];
        match self.interpolation {
            Interpolation::Linear => {
                last.1 + (next.1 - last.1) * ((size - last.0) / (next.0 - last.0))
            }
            Interpolation::Akima => size / self.piece(after - 1).at(size),
        }
    }

    /// Seconds that `size` blocks take. Strictly increasing, from 0 at 0.
    pub fn time(&self, size: f64) -> f64 {
        size / self.speed(size)
    }

    /// How many blocks are done in `seconds`: the inverse of [`SpeedFunction::time`].
    pub fn size_in(&self, seconds: f64) -> f64 {
        let points = self.safe_points();
        let after = self.times.partition_point(|&other| other <= seconds);
        if after == 0 {
            return seconds * points[0].1;
        }
        let last = points[after - 1];
        let Some(&next) = points.get(after) else { return seconds * last.1 };
        match self.interpolation {
            Interpolation::Linear => {
                // From size = seconds * speed(size), with the speed a line through both points.
                let slope = (next.1 - last.1) / (next.0 - last.0);
                let beyond = last.1 * (seconds - self.times[after - 1]);
                (last.0 + beyond / (1.0 - slope * seconds)).clamp(last.0, next.0)
            }
            Interpolation::Akima => self.piece(after - 1).inverse(seconds),
        }
    }

    /// A lower and an upper bound of the speed at any size.
    pub(crate) fn range(&self) -> (f64, f64) {
        let (mut slowest, mut fastest) = (f64::INFINITY, 0.0_f64);
        for &(_, speed) in self.safe_points() {
            (slowest, fastest) = (slowest.min(speed), fastest.max(speed));
        }
        if self.interpolation == Interpolation::Akima {
            // Between points, the time lies between the times at the points.
            for (size, time) in self.sizes.windows(2).zip(self.times.windows(2)) {
                slowest = slowest.min(size[0] / time[1]);
                fastest = fastest.max(size[1] / time[0]);
            }
        }
        (slowest, fastest)
    }

    fn piece(&self, at: usize) -> Piece {
        Piece {
            x: (self.sizes[at], self.sizes[at + 1]),
            y: (self.times[at], self.times[at + 1]),
            slope: (self.slopes[at], self.slopes[at + 1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Akima's formula as published, at one of at least five points; written independently of the
    /// code that it tests.
    fn published_slope(points: &[(f64, f64)], at: usize) -> f64 {
        let chord = |i: usize| {
            let ((x0, y0), (x1, y1)) = (points[i], points[i + 1]);
            (y1 - y0) / (x1 - x0)
        };
        let (m1, m2, m3, m4) = (chord(at - 2), chord(at - 1), chord(at), chord(at + 1));
        ((m4 - m3).abs() * m2 + (m2 - m1).abs() * m3) / ((m4 - m3).abs() + (m2 - m1).abs())
    }

    #[test]
    fn akima_is_the_published_curve_of_the_time_where_nothing_has_to_be_limited() {
        let points = [(10.0, 9.0), (25.0, 12.0), (40.0, 11.0), (70.0, 10.5), (120.0, 7.0)];
        let function = SpeedFunction::new(points.to_vec(), Interpolation::Akima).unwrap();
        assert_eq!(function.changed_points(), 0);
        // The lines beyond each end are two more points.
        let on_first = |size: f64| (size, size / 9.0);
        let on_last = |size: f64| (size, size / 7.0);
        let mut data = vec![on_first(2.0), on_first(5.0)];
        data.extend(points.map(|(size, speed)| (size, size / speed)));
        data.extend([on_last(150.0), on_last(200.0)]);
        for at in 2..data.len() - 3 {
            let ((x0, y0), (x1, y1)) = (data[at], data[at + 1]);
            let (s0, s1) = (published_slope(&data, at), published_slope(&data, at + 1));
            let chord = (y1 - y0) / (x1 - x0);
            assert!(s0 < 3.0 * chord && s1 < 3.0 * chord, "nothing to limit");
            for step in 0..=20 {
                let x = x0 + (x1 - x0) * f64::from(step) / 20.0;
                // The cubic in powers of x - x0, as in the paper.
                let d = x - x0;
                let p2 = (3.0 * chord - 2.0 * s0 - s1) / (x1 - x0);
                let p3 = (s0 + s1 - 2.0 * chord) / (x1 - x0).powi(2);
                let expected = y0 + s0 * d + p2 * d * d + p3 * d * d * d;
                assert!((function.time(x) / expected - 1.0).abs() < 1e-12, "at {x}");
            }
        }
    }

    #[test]
    fn slopes_of_akima_are_limited_where_the_time_would_fall() {
        // Nearly flat, then steep: Akima's own curve would dip.
        let times = [1.0, 1.001, 1.002, 9.0, 20.0, 21.0];
        let points = (1..).zip(times).map(|(size, time)| (f64::from(size), f64::from(size) / time));
        let function = SpeedFunction::new(points.collect(), Interpolation::Akima).unwrap();
        assert_eq!(function.changed_points(), 0);
        let samples: Vec<f64> = (0..7000).map(|i| function.time(f64::from(i) / 1000.0)).collect();
        assert!(samples.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn linear_draws_lines_of_the_speed_and_both_are_constant_beyond_the_ends() {
        // speed = 100 - size / 10
        let line = |size: f64| 100.0 - size / 10.0;
        let points: Vec<(f64, f64)> = [50.0, 100.0, 400.0].map(|size| (size, line(size))).to_vec();
        let linear = SpeedFunction::new(points.clone(), Interpolation::Linear).unwrap();
        for size in [50.0, 75.0, 100.0, 250.0, 399.0, 400.0] {
            assert!((linear.speed(size) - line(size)).abs() < 1e-12);
            assert!((linear.size_in(size / line(size)) / size - 1.0).abs() < 1e-14);
        }
        for interpolation in Interpolation::ALL {
            let function = SpeedFunction::new(points.clone(), interpolation).unwrap();
            for (size, speed) in [(0.0, 95.0), (20.0, 95.0), (400.0, 60.0), (1e6, 60.0)] {
                assert!((function.speed(size) - speed).abs() < 1e-12, "{interpolation} {size}");
            }
        }
    }

    #[test]
    fn what_is_no_speed_is_refused() {
        let refused = |points: &[(f64, f64)]| {
            SpeedFunction::new(points.to_vec(), Interpolation::Linear).unwrap_err()
        };
        assert_eq!(refused(&[]), InvalidSpeeds::Empty);
        assert_eq!(refused(&[(1.0, 1.0), (0.0, 1.0)]), InvalidSpeeds::Size(0.0));
        assert_eq!(refused(&[(1.0, -1.0)]), InvalidSpeeds::Speed(-1.0));
        assert_eq!(refused(&[(1.0, f64::INFINITY)]), InvalidSpeeds::Speed(f64::INFINITY));
        assert!(matches!(refused(&[(f64::NAN, 1.0)]), InvalidSpeeds::Size(_)));
    }

    fn wobbly_points() -> impl Strategy<Value = Vec<(f64, f64)>> {
        let size = prop_oneof![(1u32..30).prop_map(f64::from), 0.5..1e5];
        prop::collection::vec((size, 0.01..100.0), 1..25)
    }

    proptest! {
        #[test]
        fn whatever_was_measured_times_increase_and_the_inverse_finds_them(
            points in wobbly_points(),
            akima in any::<bool>(),
        ) {
            let interpolation =
                if akima { Interpolation::Akima } else { Interpolation::Linear };
            let function = SpeedFunction::new(points, interpolation).unwrap();
            for &(size, speed) in function.safe_points() {
                prop_assert!((function.speed(size) / speed - 1.0).abs() < 1e-12);
            }
            let (slowest, fastest) = function.range();
            let mut ends: Vec<f64> = vec![0.0];
            ends.extend(function.safe_points().iter().map(|point| point.0));
            ends.push(ends[ends.len() - 1] * 2.0);
            let mut last = -1.0;
            for pair in ends.windows(2) {
                for step in 0..50 {
                    let size = pair[0] + (pair[1] - pair[0]) * f64::from(step) / 50.0;
                    let time = function.time(size);
                    prop_assert!(time > last, "{} after {} at {}", time, last, size);
                    let speed = function.speed(size);
                    prop_assert!(speed >= slowest * (1.0 - 1e-12));
                    prop_assert!(speed <= fastest * (1.0 + 1e-12));
                    // Compared by time, because sizes are not exact if the time is nearly constant.
                    let again = function.time(function.size_in(time));
                    prop_assert!((again - time).abs() <= 1e-11 * time, "{} {}", again, time);
                    last = time;
                }
            }
        }
    }
}
