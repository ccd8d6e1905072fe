//! Positions in the plane with roughly the given distances.
//!
//! Classical scaling gives the start, stress majorisation the rest: Gansner, Koren and North,
//! "Graph Drawing by Stress Majorization" (2004). Nothing is random.

/// Rounds of moving every point once.
const ROUNDS: usize = 150;

/// Steps of the power iteration.
const STEPS: usize = 60;

/// Positions for things that should have these distances: `distance[a * count + b]`, symmetric,
/// positive except from a thing to itself. Takes O(count^2) per round.
pub fn places(count: usize, distance: &[f64]) -> Vec<[f64; 2]> {
    let mut places = scaled(count, distance);
    for _ in 0..ROUNDS {
        for at in 0..count {
            places[at] = moved(at, &places, &distance[at * count..(at + 1) * count]);
        }
    }
    places
}

/// Where a point would have to be for all others to be at the right distance, on average.
fn moved(at: usize, places: &[[f64; 2]], distance: &[f64]) -> [f64; 2] {
    let [x, y] = places[at];
    let (mut sum, mut weights) = ([0.0; 2], 0.0);
    for (other, (&[other_x, other_y], &wanted)) in places.iter().zip(distance).enumerate() {
        if other == at {
            continue;
        }
        let weight = 1.0 / (wanted * wanted);
        let [dx, dy] = [x - other_x, y - other_y];
        let apart = (dx * dx + dy * dy).sqrt();
        // Two at the same position are separated in their own direction.
        let [dx, dy] = match apart > 1e-9 {
            true => [dx / apart, dy / apart],
            false => {
                let angle = at as f64 * 2.4;
                [angle.cos(), angle.sin()]
            }
        };
        sum[0] += weight * (other_x + wanted * dx);
        sum[1] += weight * (other_y + wanted * dy);
        weights += weight;
    }
    if weights > 0.0 { sum.map(|sum| sum / weights) } else { [x, y] }
}

/// The two main directions of the doubly centred squares of the distances.
fn scaled(count: usize, distance: &[f64]) -> Vec<[f64; 2]> {
    let mut squares: Vec<f64> = distance.iter().map(|distance| distance * distance).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let of_row: Vec<f64> = squares.chunks(count.max(1)).map(mean).collect();
    let of_all = mean(&of_row);
    for (row, values) in squares.chunks_mut(count.max(1)).enumerate() {
        for (column, value) in values.iter_mut().enumerate() {
            *value = -0.5 * (*value - of_row[row] - of_row[column] + of_all);
        }
    }
    let mut axes: Vec<Vec<f64>> = Vec::new();
    for axis in 0..2 {
        let mut vector: Vec<f64> =
            (0..count).map(|at| (at as f64 * 1.7 + 0.3 + axis as f64).sin()).collect();
        let mut size = 0.0;
        for _ in 0..STEPS {
            for before in &axes {
                let norm: f64 = before.iter().map(|value| value * value).sum();
                let along: f64 = before.iter().zip(&vector).map(|(a, b)| a * b).sum();
                let share = if norm > 0.0 { along / norm } else { 0.0 };
                vector.iter_mut().zip(before).for_each(|(value, before)| *value -= share * before);
            }
            let row = |values: &[f64]| values.iter().zip(&vector).map(|(a, b)| a * b).sum::<f64>();
            let next: Vec<f64> = squares.chunks(count.max(1)).map(row).collect();
            size = next.iter().map(|value| value * value).sum::<f64>().sqrt();
            if size < 1e-12 {
                break;
            }
            vector = next.into_iter().map(|value| value / size).collect();
        }
        axes.push(vector.into_iter().map(|value| value * size.sqrt()).collect());
    }
    (0..count).map(|at| [axes[0][at], axes[1][at]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
        ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
    }

    #[test]
    fn what_lies_in_the_plane_is_found_again() {
        // A grid of 3 x 4 points.
        let grid: Vec<[f64; 2]> = (0..12).map(|at| [(at % 3) as f64, (at / 3) as f64]).collect();
        let distance: Vec<f64> =
            grid.iter().flat_map(|&a| grid.iter().map(move |&b| apart(a, b))).collect();
        let places = places(12, &distance);
        for a in 0..12 {
            for b in 0..12 {
                assert!((apart(places[a], places[b]) - distance[a * 12 + b]).abs() < 0.01);
            }
        }
    }

    #[test]
    fn equals_are_not_put_on_top_of_each_other() {
        // Twelve points, all with the same distance from each other.
        let distance: Vec<f64> =
            (0..144).map(|at| f64::from(u8::from(at / 12 != at % 12))).collect();
        let places = places(12, &distance);
        for a in 0..12 {
            for b in 0..a {
                assert!(apart(places[a], places[b]) > 0.1, "{a} {b}");
            }
        }
    }

    #[test]
    fn nothing_and_one_thing_have_places() {
        assert!(places(0, &[]).is_empty());
        assert!(places(1, &[0.0])[0].iter().all(|value| value.is_finite()));
    }
}
