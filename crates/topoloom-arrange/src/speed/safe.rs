//! Makes benchmark points safe: more blocks always take more time.

/// Sizes that differ by less than this fraction are one size measured twice.
const SAME_SIZE: f64 = 1e-9;

/// The smallest slope of the time: twice the size takes 2^0.001 of the time, or 0.07 % more. A
/// plateau of measured times gets this slope instead of being flat, so each time has one size.
const LEAST_EXPONENT: f64 = 1e-3;

/// Points that a speed function can go through.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SafePoints {
    /// Size and speed, by increasing size; times (sizes divided by speeds) strictly increase.
    pub points: Vec<(f64, f64)>,
    /// How many of them differ from the measurements.
    pub changed: usize,
}

/// One size and its time.
#[derive(Debug, Clone, Copy)]
struct Sample {
    size: f64,
    time: f64,
    measurements: f64,
}

/// Neighbours with the same level, and its weight.
struct Pool {
    level: f64,
    weight: f64,
    samples: usize,
}

/// Repeated sizes are averaged, by their times. Then times that do not increase are pooled by
/// isotonic regression of the logarithms (errors of measurements are relative), which finds the
/// increasing times with the least squared change. Points that are already in order do not change.
pub(super) fn made_safe(points: &[(f64, f64)]) -> SafePoints {
    let samples = averaged(points);
    let level = |sample: &Sample| sample.time.ln() - LEAST_EXPONENT * sample.size.ln();
    let mut pools: Vec<Pool> = Vec::with_capacity(samples.len());
    for sample in &samples {
        let mut pool = Pool { level: level(sample), weight: sample.measurements, samples: 1 };
        while let Some(before) = pools.pop_if(|before| before.level > pool.level) {
            let weight = before.weight + pool.weight;
            pool = Pool {
                level: (before.level * before.weight + pool.level * pool.weight) / weight,
                weight,
                samples: before.samples + pool.samples,
            };
        }
        pools.push(pool);
    }
    let mut safe = SafePoints { points: Vec::with_capacity(samples.len()), changed: 0 };
    let mut rest = &samples[..];
    for pool in pools {
        let (members, others) = rest.split_at(pool.samples);
        rest = others;
        if let [sample] = members {
            safe.points.push((sample.size, sample.size / sample.time));
            continue;
        }
        safe.changed += members.len();
        safe.points.extend(members.iter().map(|sample| {
            let time = (pool.level + LEAST_EXPONENT * sample.size.ln()).exp();
            (sample.size, sample.size / time)
        }));
    }
    safe
}

/// By increasing size, each size once, with the mean of its times.
fn averaged(points: &[(f64, f64)]) -> Vec<Sample> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut samples: Vec<Sample> = Vec::with_capacity(sorted.len());
    for (size, speed) in sorted {
        match samples.last_mut() {
            Some(last) if size <= last.size * (1.0 + SAME_SIZE) => {
                // For sizes that differ by a rounding error, the time is that of the first.
                last.measurements += 1.0;
                last.time += (last.size / speed - last.time) / last.measurements;
            }
            _ => samples.push(Sample { size, time: size / speed, measurements: 1.0 }),
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_order_stay_as_they_are() {
        let points = [(64.0, 70.0), (16.0, 50.0), (256.0, 40.0)];
        let safe = made_safe(&points);
        assert_eq!(safe.changed, 0);
        let sizes: Vec<f64> = safe.points.iter().map(|point| point.0).collect();
        assert_eq!(sizes, [16.0, 64.0, 256.0]);
        for (safe, given) in safe.points.iter().zip([50.0, 70.0, 40.0]) {
            assert!((safe.1 / given - 1.0).abs() < 1e-15, "{safe:?}");
        }
    }

    #[test]
    fn a_repeated_size_has_the_mean_of_its_times() {
        // 12 blocks in 2 s and in 4 s: a mean of 3 s, or 4 blocks per second.
        let safe = made_safe(&[(12.0, 6.0), (12.0, 3.0)]);
        assert_eq!(safe, SafePoints { points: vec![(12.0, 4.0)], changed: 0 });
    }

    #[test]
    fn times_that_fall_meet_in_their_geometric_mean() {
        // 1 s, then 8 s and 2 s, then 100 s: the two in the middle become 4 s each, except for the
        // small difference by which 20 blocks must take longer than 10.
        let safe = made_safe(&[(5.0, 5.0), (10.0, 10.0 / 8.0), (20.0, 10.0), (40.0, 0.4)]);
        let times: Vec<f64> = safe.points.iter().map(|(size, speed)| size / speed).collect();
        assert_eq!(safe.changed, 2);
        assert_eq!((times[0], times[3]), (1.0, 100.0));
        assert!((times[1] * times[2] - 16.0).abs() < 1e-12, "{times:?}");
        assert!((times[2] / times[1] - 2_f64.powf(LEAST_EXPONENT)).abs() < 1e-12, "{times:?}");
    }
}
