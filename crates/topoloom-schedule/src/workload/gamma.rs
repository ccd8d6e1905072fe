//! Random numbers from gamma distributions, and the probability of intervals.

use rand::RngExt;
use topoloom_core::random::Stream;

/// The gamma distribution of shape `alpha` and scale `beta`: mean alpha x beta.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gamma {
    pub(super) alpha: f64,
    pub(super) beta: f64,
}

impl Gamma {
    /// A random number from it, for a shape of at least 1: G. Marsaglia and W. W. Tsang, "A simple
    /// method for generating gamma variables" (2000).
    pub(super) fn draw(&self, rng: &mut Stream) -> f64 {
        debug_assert!(self.alpha >= 1.0);
        let d = self.alpha - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = normal(rng);
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 {
                let u: f64 = 1.0 - rng.random::<f64>();
                if u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                    return d * v * self.beta;
                }
            }
        }
    }

    /// The probability between two numbers of at least 0, times a factor that is the same for all
    /// intervals. It is computed by Simpson's rule on the density.
    pub(super) fn relative_share(&self, from: f64, to: f64) -> f64 {
        const STEPS: usize = 64;
        let density = |x: f64| match x > 0.0 {
            true => ((self.alpha - 1.0) * x.ln() - x / self.beta).exp(),
            false => 0.0,
        };
        let step = (to - from) / STEPS as f64;
        let inner: f64 = (1..STEPS)
            .map(|at| if at % 2 == 1 { 4.0 } else { 2.0 } * density(from + at as f64 * step))
            .sum();
        (density(from) + inner + density(to)) * step / 3.0
    }
}

/// A number from the standard normal distribution, by Marsaglia's polar method.
fn normal(rng: &mut Stream) -> f64 {
    loop {
        let x = 2.0 * rng.random::<f64>() - 1.0;
        let y = 2.0 * rng.random::<f64>() - 1.0;
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use topoloom_core::random::stream;

    #[test]
    fn mean_and_variance_are_those_of_the_distribution() {
        for (alpha, beta) in [(1.0, 2.0), (4.2, 0.94), (312.0, 0.03)] {
            let gamma = Gamma { alpha, beta };
            let mut rng = stream(1, &[2]);
            let drawn: Vec<f64> = (0..100_000).map(|_| gamma.draw(&mut rng)).collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let squares = drawn.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            let variance = squares / drawn.len() as f64;
            // Five deviations of the mean: beta x sqrt(alpha / count).
            assert!((mean - alpha * beta).abs() < 5.0 * beta * (alpha / 1e5).sqrt(), "{mean}");
            assert!((variance / (alpha * beta * beta) - 1.0).abs() < 0.05, "{variance}");
        }
    }

    #[test]
    fn shares_of_intervals_are_those_of_the_density() {
        // For alpha 2, beta 1: (1 + a) e^-a - (1 + b) e^-b, and gamma(2) is 1.
        let gamma = Gamma { alpha: 2.0, beta: 1.0 };
        let expected = |a: f64, b: f64| (1.0 + a) * (-a).exp() - (1.0 + b) * (-b).exp();
        for (a, b) in [(0.0, 1.0), (1.0, 2.0), (5.0, 5.5)] {
            assert!((gamma.relative_share(a, b) - expected(a, b)).abs() < 1e-8);
        }
    }
}
