//! Parts that processors finish at the same time.

use crate::speed::Speed;

/// How many blocks each processor gets if all are to finish at the same time, with `total` blocks
/// together, and fractions of blocks are allowed. Constant speeds give sizes in proportion to them;
/// otherwise the sizes are those that all speed functions reach in the same time. Speeds must be
/// positive.
///
/// The time is found by bisection, to the last digit. Evaluates every speed about 60 times.
///
/// ```
/// use topoloom_arrange::{Speed, balance};
/// let (slow, fast) = (Speed::Constant(1.0), Speed::Constant(3.0));
/// assert_eq!(balance(&[&slow, &fast], 100.0), [25.0, 75.0]);
/// ```
pub fn balance(speeds: &[&Speed], total: f64) -> Vec<f64> {
    if speeds.iter().all(|speed| matches!(speed, Speed::Constant(_))) {
        let all: f64 = speeds.iter().map(|speed| speed.speed(0.0)).sum();
        return speeds.iter().map(|speed| total * (speed.speed(0.0) / all)).collect();
    }
    let sizes =
        |time: f64| -> Vec<f64> { speeds.iter().map(|speed| speed.size_in(time)).collect() };
    let sum = |time: f64| -> f64 { speeds.iter().map(|speed| speed.size_in(time)).sum() };
    let (mut early, mut late) = bracket(speeds, total);
    while let Some(middle) = between(early, late) {
        match sum(middle) < total {
            true => early = middle,
            false => late = middle,
        }
    }
    // The total lies between those of two neighbouring times; this matters if times are nearly
    // constant.
    let (less, more) = (sizes(early), sizes(late));
    let (least, most): (f64, f64) = (less.iter().sum(), more.iter().sum());
    let part = if most > least { ((total - least) / (most - least)).clamp(0.0, 1.0) } else { 0.0 };
    let mixed: Vec<f64> = less.iter().zip(&more).map(|(a, b)| a + (b - a) * part).collect();
    let found: f64 = mixed.iter().sum();
    mixed.into_iter().map(|size| size * (total / found)).collect()
}

/// The time in which processors that are balanced do `total` blocks together. It cannot be shorter.
pub fn balanced_time(speeds: &[&Speed], total: f64) -> f64 {
    let sizes = balance(speeds, total);
    speeds.iter().zip(sizes).map(|(speed, size)| speed.time(size)).fold(0.0, f64::max)
}

/// A time in which less than `total` is done, and one in which at least that much is.
fn bracket(speeds: &[&Speed], total: f64) -> (f64, f64) {
    let (mut slowest, mut fastest) = (0.0, 0.0);
    for speed in speeds {
        let (least, most) = speed.range();
        slowest += least;
        fastest += most;
    }
    // A little wider, because sums are rounded.
    (total / fastest * 0.999, total / slowest * 1.001)
}

/// A number between two positive ones that roughly halves the representable numbers between them;
/// `None` if there is none.
pub(crate) fn between(low: f64, high: f64) -> Option<f64> {
    let middle = if high > 4.0 * low { low.sqrt() * high.sqrt() } else { low + (high - low) / 2.0 };
    (middle > low && middle < high).then_some(middle)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::speed::{Interpolation, SpeedFunction};

    fn function(points: &[(f64, f64)], interpolation: Interpolation) -> Speed {
        Speed::Function(Arc::new(SpeedFunction::new(points.to_vec(), interpolation).unwrap()))
    }

    #[test]
    fn a_processor_that_slows_down_gets_less_than_its_first_speed_promises() {
        // 10 blocks per second up to 100 blocks, falling to 5 at 200: with the other always at 10,
        // 300 blocks. speed = 15 - size / 20 and size / speed = (300 - size) / 10 give size^2 - 800
        // size + 90000 = 0, so size = 400 - sqrt(70000).
        let slowing = function(&[(100.0, 10.0), (200.0, 5.0)], Interpolation::Linear);
        let sizes = balance(&[&slowing, &Speed::Constant(10.0)], 300.0);
        let expected = 400.0 - 70_000_f64.sqrt();
        assert!((sizes[0] - expected).abs() < 1e-10, "{sizes:?}");
        assert!((sizes[1] - (300.0 - expected)).abs() < 1e-10, "{sizes:?}");
    }

    proptest! {
        #[test]
        fn all_are_done_at_the_same_time_and_nothing_is_left(
            points in prop::collection::vec(
                prop::collection::vec((1.0..1e4, 0.1..100.0), 1..8), 1..12),
            total in 1.0..1e5,
        ) {
            let speed = |(at, points): (usize, &Vec<(f64, f64)>)| match at % 3 {
                0 => Speed::Constant(points[0].1),
                1 => function(points, Interpolation::Linear),
                _ => function(points, Interpolation::Akima),
            };
            let speeds: Vec<Speed> = points.iter().enumerate().map(speed).collect();
            let speeds: Vec<&Speed> = speeds.iter().collect();
            let sizes = balance(&speeds, total);
            prop_assert!((sizes.iter().sum::<f64>() / total - 1.0).abs() < 1e-14);
            let time = balanced_time(&speeds, total);
            for (speed, &size) in speeds.iter().zip(&sizes) {
                prop_assert!((speed.time(size) / time - 1.0).abs() < 1e-9);
            }
        }
    }
}
