//! The direction in which points spread most.

use rayon::prelude::*;

use super::coordinates::{DIMENSIONS, Point};
use crate::side_by_side;

/// Points that one thread adds up before it takes more.
const CHUNK: usize = 1 << 14;

type Spread = [[f64; DIMENSIONS]; DIMENSIONS];

/// The direction in which the points spread most.
pub(super) fn main_direction(points: &[Point]) -> Point {
    let mut mean = [0.0f64; DIMENSIONS];
    for sums in by_chunk(points, sum) {
        mean.iter_mut().zip(sums).for_each(|(all, some)| *all += some);
    }
    mean.iter_mut().for_each(|sum| *sum /= points.len() as f64);
    let mut spread: Spread = Default::default();
    for sums in by_chunk(points, |points| spread_around(&mean, points)) {
        for (all, some) in spread.iter_mut().flatten().zip(sums.iter().flatten()) {
            *all += some;
        }
    }
    // Power iteration from the coordinate of the largest spread, which is already close.
    let widest = (0..DIMENSIONS).max_by(|&a, &b| spread[a][a].total_cmp(&spread[b][b]));
    let mut direction = [0.0f64; DIMENSIONS];
    direction[widest.unwrap_or(0)] = 1.0;
    for _ in 0..if points.len() > 16 { 16 } else { 2 } {
        let product = each(|d| side_by_side(&spread[d], &direction).map(|(s, x)| s * x).sum());
        let length = product.iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(length > 0.0 && length.is_finite()) {
            break;
        }
        direction = each(|d| product[d] / length);
    }
    direction.map(|x| x as f32)
}

/// The sums of chunks, in order; small numbers of points are not worth the way to another thread.
fn by_chunk<T: Send>(points: &[Point], sums: impl Fn(&[Point]) -> T + Send + Sync) -> Vec<T> {
    match points.len() > CHUNK {
        true => points.par_chunks(CHUNK).map(sums).collect(),
        false => vec![sums(points)],
    }
}

fn sum(points: &[Point]) -> [f64; DIMENSIONS] {
    let mut sums = [0.0; DIMENSIONS];
    for point in points {
        (0..DIMENSIONS).for_each(|d| sums[d] += f64::from(point[d]));
    }
    sums
}

fn spread_around(mean: &[f64; DIMENSIONS], points: &[Point]) -> Spread {
    let mut spread: Spread = Default::default();
    for point in points {
        let offset = each(|d| f64::from(point[d]) - mean[d]);
        for x in 0..DIMENSIONS {
            for y in 0..DIMENSIONS {
                spread[x][y] += offset[x] * offset[y];
            }
        }
    }
    spread
}

/// A number for each dimension. `from_fn` gives the same, but a profile of a release build showed
/// calls of its steps.
#[inline]
fn each(value: impl Fn(usize) -> f64) -> [f64; DIMENSIONS] {
    let mut all = [0.0; DIMENSIONS];
    for (d, number) in all.iter_mut().enumerate() {
        *number = value(d);
    }
    all
}
