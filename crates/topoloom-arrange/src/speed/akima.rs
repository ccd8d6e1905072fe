//! Akima's interpolation (J. ACM 17, 1970), limited such that increasing data gives an increasing
//! curve.
//!
//! The slope at a point is a mean of the slopes of the chords left and right of it; the smoother
//! the curve is on one side, the more its chord counts. So one outlier bends the curve only next to
//! it. Between points, the curve is the cubic with these slopes.

/// Differences of chords below this fraction are rounding errors.
const VANISHING: f64 = 1e-9;

/// Slopes at the points (x, y), both strictly increasing. Before the first point and after the last
/// one the curve is a line with the given slope. With two such chords beyond each end, Akima's
/// formula ends in exactly these slopes.
pub(super) fn slopes(x: &[f64], y: &[f64], before: f64, after: f64) -> Vec<f64> {
    let between = x.windows(2).zip(y.windows(2)).map(|(x, y)| (y[1] - y[0]) / (x[1] - x[0]));
    let chords: Vec<f64> = [before; 2].into_iter().chain(between).chain([after; 2]).collect();
    chords.windows(4).map(|chords| limited(akima(chords), chords[1], chords[2])).collect()
}

/// Akima's slope between the second and the third of four chords. If the curve is a line on both
/// sides, his weights vanish. Then the weights are the chords themselves, crosswise, which gives
/// the harmonic mean.
fn akima(chords: &[f64]) -> f64 {
    let [far_left, left, right, far_right] = [chords[0], chords[1], chords[2], chords[3]];
    let (mut of_left, mut of_right) = ((far_right - right).abs(), (left - far_left).abs());
    if of_left + of_right <= VANISHING * (left + right) {
        (of_left, of_right) = (right, left);
    }
    (of_left * left + of_right * right) / (of_left + of_right)
}

/// At most three times either chord: a cubic between such slopes is monotone (de Boor and Swartz
/// 1977; Fritsch and Carlson 1980).
fn limited(slope: f64, left: f64, right: f64) -> f64 {
    slope.min(3.0 * left.min(right))
}

/// The part of a curve between two points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// The x of its start and end.
    pub x: (f64, f64),
    /// The heights there.
    pub y: (f64, f64),
    /// The slopes there.
    pub slope: (f64, f64),
}

impl Piece {
    /// The height at `x`.
    pub fn at(&self, x: f64) -> f64 {
        let part = (x - self.x.0) / (self.x.1 - self.x.0);
        (self.y.0 + self.rise(part).0).clamp(self.y.0, self.y.1)
    }

    /// The x at which the height is `y`: Newton's method, with bisection if a step leaves the known
    /// interval.
    pub fn inverse(&self, y: f64) -> f64 {
        let wanted = y - self.y.0;
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        let mut part = wanted / (self.y.1 - self.y.0);
        for _ in 0..200 {
            let (rise, slope) = self.rise(part);
            // Heights are not more exact than this.
            if (rise - wanted).abs() <= f64::EPSILON / 2.0 * y {
                break;
            }
            match rise < wanted {
                true => low = part,
                false => high = part,
            }
            let step = part - (rise - wanted) / slope;
            let next = if step > low && step < high { step } else { low + (high - low) / 2.0 };
            if next <= low || next >= high {
                break;
            }
            part = next;
        }
        self.x.0 + part.clamp(0.0, 1.0) * (self.x.1 - self.x.0)
    }

    /// How far it has risen after this fraction of the way, and its slope there.
    fn rise(&self, part: f64) -> (f64, f64) {
        let (width, height) = (self.x.1 - self.x.0, self.y.1 - self.y.0);
        let (first, last) = (width * self.slope.0, width * self.slope.1);
        let square = 3.0 * height - 2.0 * first - last;
        let cube = first + last - 2.0 * height;
        let rise = part * (first + part * (square + part * cube));
        (rise, first + part * (2.0 * square + 3.0 * part * cube))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_finds_every_point_of_the_flattest_piece() {
        // Slopes of three times the chord: flat in the middle.
        let piece = Piece { x: (2.0, 4.0), y: (1.0, 2.0), slope: (1.5, 1.5) };
        for step in 0..=1000 {
            let x = 2.0 + 2.0 * f64::from(step) / 1000.0;
            let found = piece.inverse(piece.at(x));
            // Where it is flat, a rounding error of the height becomes its cube root in x.
            assert!((found - x).abs() < 1e-4, "{x} {found}");
            assert!((piece.at(found) - piece.at(x)).abs() < 1e-14, "{x} {found}");
        }
    }

    #[test]
    fn a_bend_between_two_lines_has_the_harmonic_mean_of_their_slopes() {
        let slopes = slopes(&[0.0, 1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, 2.0, 4.0, 6.0], 1.0, 2.0);
        assert_eq!(slopes, [1.0, 1.0, 4.0 / 3.0, 2.0, 2.0]);
    }
}
