//! Whether results of repeated runs differ by more than chance: the test of Kruskal and Wallis.
//!
//! W. H. Kruskal and W. A. Wallis, "Use of ranks in one-criterion variance analysis", Journal of
//! the American Statistical Association 47 (1952), 583-621.

mod gamma;
mod student;

use gamma::chi_square_tail;
pub use student::student_975;

/// The minimum, the mean and the spread of some numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// How many there are.
    pub count: usize,
    /// The minimum.
    pub best: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation of a sample, with count - 1 as the divisor under the root; 0 for a
    /// single number.
    pub deviation: f64,
}

impl Sample {
    /// A summary of `values`; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Sample> {
        let best = values.iter().copied().reduce(f64::min)?;
        let count = values.len();
        // Computed from the minimum up: then the mean of equal numbers is exactly their value.
        let mean = best + values.iter().map(|value| value - best).sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        Some(Sample { count, best, mean, deviation })
    }
}

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KruskalWallis {
    /// The statistic H, corrected for ties.
    pub statistic: f64,
    /// The number of groups minus 1.
    pub degrees_of_freedom: usize,
    /// The probability of an H this large if all groups are alike, by the chi-square distribution.
    pub p_value: f64,
}

/// Numbers that differ by less are equal: they are sums of the same parts in another order.
const ROUNDING: f64 = 1e-12;

/// Compares groups of numbers by their ranks; `None` for fewer than two groups, or an empty one. If
/// all numbers are equal, nothing differs: H is 0 and its probability is 1.
///
/// ```
/// use topoloom_core::significance::kruskal_wallis;
/// // Ranks 1, 2, 3 against 4, 5, 6: H = 12 / (6 * 7) * (6^2 / 3 + 15^2 / 3) - 3 * 7 = 27 / 7.
/// let test = kruskal_wallis(&[&[0.1, 0.2, 0.3], &[7.0, 8.0, 9.0]]).unwrap();
/// assert!((test.statistic - 27.0 / 7.0).abs() < 1e-12);
/// assert!((test.p_value - 0.0495346).abs() < 1e-7);
/// ```
pub fn kruskal_wallis(groups: &[&[f64]]) -> Option<KruskalWallis> {
    if groups.len() < 2 || groups.iter().any(|group| group.is_empty()) {
        return None;
    }
    let mut pooled: Vec<(f64, usize)> = Vec::new();
    for (group, values) in groups.iter().enumerate() {
        pooled.extend(values.iter().map(|&value| (value, group)));
    }
    pooled.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = pooled.len() as f64;
    let mut rank_sums = vec![0.0; groups.len()];
    let mut ties = 0.0;
    let mut first = 0;
    while first < pooled.len() {
        let least = pooled[first].0;
        let equal = pooled[first..]
            .iter()
            .take_while(|(value, _)| *value == least || *value - least <= ROUNDING * least.abs());
        let length = equal.count().max(1);
        // Ranks count from 1; equal numbers get the mean of their ranks.
        let rank = first as f64 + (length as f64 + 1.0) / 2.0;
        for &(_, group) in &pooled[first..first + length] {
            rank_sums[group] += rank;
        }
        ties += (length as f64).powi(3) - length as f64;
        first += length;
    }
    let degrees_of_freedom = groups.len() - 1;
    let correction = 1.0 - ties / (count.powi(3) - count);
    if correction <= 0.0 {
        return Some(KruskalWallis { statistic: 0.0, degrees_of_freedom, p_value: 1.0 });
    }
    // The distance of each group's mean rank from the overall mean: 12 / N(N+1) * sum of R^2/n
    // minus 3(N+1), without subtracting large numbers.
    let middle = (count + 1.0) / 2.0;
    let spread: f64 = rank_sums
        .iter()
        .zip(groups)
        .map(|(sum, group)| group.len() as f64 * (sum / group.len() as f64 - middle).powi(2))
        .sum();
    let statistic = 12.0 / (count * (count + 1.0)) * spread / correction;
    let p_value = chi_square_tail(statistic, degrees_of_freedom);
    Some(KruskalWallis { statistic, degrees_of_freedom, p_value })
}

/// The probability, if `values` are as often above `fixed` as below it, that one side has as few of
/// them as here or fewer (two-sided sign test). Values equal to `fixed` give no information and are
/// left out; `None` if all are equal to it.
///
/// ```
/// use topoloom_core::significance::sign_test;
/// // All of five below: 2 / 2^5.
/// assert_eq!(sign_test(&[1.0, 2.0, 3.0, 4.0, 5.0], 6.0), Some(0.0625));
/// ```
pub fn sign_test(values: &[f64], fixed: f64) -> Option<f64> {
    let differs = |value: &&f64| (**value - fixed).abs() > ROUNDING * fixed.abs();
    let different: Vec<f64> = values.iter().filter(differs).copied().collect();
    let below = different.iter().filter(|&&value| value < fixed).count();
    let count = different.len();
    if count == 0 {
        return None;
    }
    // The probability of each number below: a row of Pascal's triangle, divided by the number of
    // all cases.
    let mut probability = 0.5_f64.powi(count as i32);
    let mut tail = 0.0;
    for fewer in 0..=below.min(count - below) {
        tail += probability;
        probability *= (count - fewer) as f64 / (fewer + 1) as f64;
    }
    Some((2.0 * tail).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(groups: &[&[f64]], statistic: f64, p_value: f64, tolerance: f64) {
        let test = kruskal_wallis(groups).unwrap();
        assert!((test.statistic - statistic).abs() < tolerance * statistic, "{test:?}");
        assert!((test.p_value - p_value).abs() < tolerance * p_value, "{test:?}");
    }

    #[test]
    fn what_differs_by_rounding_alone_is_a_tie() {
        let (a, b) = (0.010_441_727_999_999_996, 0.010_441_727_999_999_994);
        assert_eq!(kruskal_wallis(&[&[a; 10], &[b; 10]]).unwrap().p_value, 1.0);
    }

    #[test]
    fn bottle_caps_of_three_machines() {
        // Table 3 of Kruskal and Wallis: H = 5.656, and 0.059 by chi-square with 2 degrees.
        let standard: &[f64] = &[340.0, 345.0, 330.0, 342.0, 338.0];
        let first: &[f64] = &[339.0, 333.0, 344.0];
        let second: &[f64] = &[347.0, 343.0, 349.0, 355.0];
        // Rank sums 24, 14 and 40 of N = 12: 12/156 (24^2/5 + 14^2/3 + 40^2/4) - 39 = 5.65641...,
        // and exp(-H / 2) of it.
        let h: f64 = 12.0 / 156.0 * (576.0 / 5.0 + 196.0 / 3.0 + 400.0) - 39.0;
        assert!((h - 5.656).abs() < 5e-4);
        check(&[standard, first, second], h, (-h / 2.0).exp(), 1e-12);
        check(&[standard, first, second], 5.656, 0.059, 5e-3);
    }

    #[test]
    fn mucociliary_clearance_as_in_hollander_and_wolfe() {
        // kruskal.test of R prints four or five digits: chi-squared = 0.77143, df = 2, p-value =
        // 0.68. Rank sums 36, 36 and 33 of N = 14: 12/210 (36^2/5 + 36^2/4 + 33^2/5) - 45 = 27/35.
        let normal: &[f64] = &[2.9, 3.0, 2.5, 2.6, 3.2];
        let obstructive: &[f64] = &[3.8, 2.7, 4.0, 2.4];
        let asbestosis: &[f64] = &[2.8, 3.4, 3.7, 2.2, 2.0];
        let h: f64 = 27.0 / 35.0;
        check(&[normal, obstructive, asbestosis], h, (-h / 2.0).exp(), 1e-12);
        check(&[normal, obstructive, asbestosis], 0.77143, 0.68, 1e-4);
    }

    #[test]
    fn ozone_by_month_with_many_ties() {
        // kruskal.test(Ozone ~ Month, airquality) of R: 29.267, df = 4, p-value = 6.901e-06.
        let months: [&[f64]; 5] = [
            &[
                41., 36., 12., 18., 28., 23., 19., 8., 7., 16., 11., 14., 18., 14., 34., 6., 30.,
                11., 1., 11., 4., 32., 23., 45., 115., 37.,
            ],
            &[29., 71., 39., 23., 21., 37., 20., 12., 13.],
            &[
                135., 49., 32., 64., 40., 77., 97., 97., 85., 10., 27., 7., 48., 35., 61., 79.,
                63., 16., 80., 108., 20., 52., 82., 50., 64., 59.,
            ],
            &[
                39., 9., 16., 78., 35., 66., 122., 89., 110., 44., 28., 65., 22., 59., 23., 31.,
                44., 21., 9., 45., 168., 73., 76., 118., 84., 85.,
            ],
            &[
                96., 78., 73., 91., 47., 32., 20., 23., 21., 24., 44., 21., 28., 9., 13., 46., 18.,
                13., 24., 16., 13., 23., 36., 7., 14., 30., 14., 18., 20.,
            ],
        ];
        check(&months, 29.267, 6.901e-6, 2e-4);
    }

    #[test]
    fn equal_numbers_differ_in_nothing() {
        let test = kruskal_wallis(&[&[5.0, 5.0], &[5.0, 5.0, 5.0]]).unwrap();
        assert_eq!((test.statistic, test.p_value), (0.0, 1.0));
        assert_eq!(kruskal_wallis(&[&[1.0]]), None);
        assert_eq!(kruskal_wallis(&[&[1.0], &[]]), None);
    }

    #[test]
    fn a_sample_has_its_least_mean_and_deviation() {
        // Mean 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32 over 7.
        let sample = Sample::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((sample.count, sample.best, sample.mean), (8, 2.0, 5.0));
        assert!((sample.deviation - (32.0f64 / 7.0).sqrt()).abs() < 1e-15);
        assert_eq!(Sample::of(&[3.5]).unwrap().deviation, 0.0);
        assert_eq!(Sample::of(&[]), None);
    }

    #[test]
    fn a_sign_test_counts_what_is_above_and_below() {
        // 1 of 4 below: 2 * (1 + 4) / 16.
        assert_eq!(sign_test(&[1.0, 3.0, 4.0, 5.0], 2.0), Some(0.625));
        assert_eq!(sign_test(&[1.0, 3.0, 2.0], 2.0), Some(1.0));
        assert_eq!(sign_test(&[2.0, 2.0], 2.0), None);
        assert_eq!(sign_test(&[], 2.0), None);
        let ten = sign_test(&[7.0; 10], 8.0).unwrap();
        assert!((ten - 2.0 / 1024.0).abs() < 1e-15);
    }
}
