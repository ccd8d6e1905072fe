//! The tail of the chi-square distribution, by the regularised incomplete gamma function.

/// How likely a chi-square variable with this many degrees of freedom is above `statistic`: Q(k/2,
/// x/2).
pub fn chi_square_tail(statistic: f64, degrees_of_freedom: usize) -> f64 {
    if statistic <= 0.0 || degrees_of_freedom == 0 {
        return 1.0;
    }
    upper_regularised(degrees_of_freedom, statistic / 2.0)
}

/// Q(k/2, x) for x > 0.
fn upper_regularised(k: usize, x: f64) -> f64 {
    let a = k as f64 / 2.0;
    // x^a e^-x / Gamma(a): the common factor of both methods.
    let common = (a * x.ln() - x - ln_gamma_of_half(k)).exp();
    if x < a + 1.0 { 1.0 - common * series(a, x) } else { common * fraction(a, x) }
}

/// The sum over n of x^n / (a (a+1) ... (a+n)), which converges fast for x < a + 1.
fn series(a: f64, x: f64) -> f64 {
    let mut term = 1.0 / a;
    let mut sum = term;
    let mut n = a;
    while term > sum * f64::EPSILON / 4.0 {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    sum
}

/// The continued fraction 1/(x+1-a- 1(1-a)/(x+3-a- ...)), by the method of Lentz in the version of
/// Thompson and Barnett; it converges fast for x > a + 1.
fn fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut value = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / away_from_zero(numerator * d + b, TINY);
        c = away_from_zero(b + numerator / c, TINY);
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

fn away_from_zero(value: f64, tiny: f64) -> f64 {
    if value.abs() < tiny { tiny } else { value }
}

/// ln Gamma(k/2): a product of whole or half numbers from Gamma(1) = 1 or Gamma(1/2) = sqrt(pi)
/// up, which needs no approximation.
fn ln_gamma_of_half(k: usize) -> f64 {
    let (mut ln, mut z) =
        if k.is_multiple_of(2) { (0.0, 1.0) } else { (std::f64::consts::PI.ln() / 2.0, 0.5) };
    let end = k as f64 / 2.0;
    let mut product = 1.0f64;
    while z < end {
        product *= z;
        if product > 1e200 {
            ln += product.ln();
            product = 1.0;
        }
        z += 1.0;
    }
    ln += product.ln();
    ln
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(statistic: f64, degrees: usize, expected: f64) {
        let found = chi_square_tail(statistic, degrees);
        let error = (found - expected).abs() / expected;
        assert!(error < 1e-10, "{statistic} {degrees}: {found} {expected}");
    }

    #[test]
    fn two_and_four_degrees_have_closed_forms() {
        for x in [0.01f64, 0.5, 1.0, 3.0, 7.0, 20.0, 100.0, 600.0] {
            near(x, 2, (-x / 2.0).exp());
            near(x, 4, (-x / 2.0).exp() * (1.0 + x / 2.0));
        }
    }

    #[test]
    fn published_quantiles_have_their_probabilities() {
        // Quantiles from standard tables, to 15 digits.
        near(3.841458820694124, 1, 0.05);
        near(6.634896601021213, 1, 0.01);
        near(10.827566170662733, 1, 0.001);
        near(7.814727903251179, 3, 0.05);
        near(18.307038053275146, 10, 0.05);
        near(124.34211340400407, 100, 0.05);
        // Gauss: outside one, two and three standard deviations.
        near(1.0, 1, 0.317310507862914);
        near(4.0, 1, 0.0455002638963584);
        near(9.0, 1, 0.00269979606326019);
    }

    #[test]
    fn nothing_is_certain_and_much_is_impossible() {
        assert_eq!(chi_square_tail(0.0, 3), 1.0);
        assert_eq!(chi_square_tail(-1.0, 3), 1.0);
        assert_eq!(chi_square_tail(1e9, 3), 0.0);
    }
}
