//! Runs of one strategy with several seeds, and whether those of two strategies differ.

use topoloom::core::significance::{Sample, kruskal_wallis, sign_test};
use topoloom::io::RepeatRecord;

/// The level at which strategies count as different.
const SIGNIFICANT: f64 = 0.05;

/// The costs of a strategy's runs.
#[derive(Debug, Clone)]
pub struct Repeats {
    costs: Vec<f64>,
    /// Whether every seed gave the same placement. Then the runs are one number, not a sample.
    same: bool,
}

impl Repeats {
    pub fn first(cost: f64) -> Repeats {
        Repeats { costs: vec![cost], same: true }
    }

    /// Adds a run; `same` if its placement is that of the others.
    pub fn add(&mut self, cost: f64, same: bool) {
        self.costs.push(cost);
        self.same &= same;
    }

    pub fn len(&self) -> usize {
        self.costs.len()
    }

    pub fn mean(&self) -> f64 {
        Sample::of(&self.costs).map_or(f64::INFINITY, |sample| sample.mean)
    }

    /// These runs, tested against `other` if there is another.
    pub fn record(&self, other: Option<&Repeats>) -> Option<RepeatRecord> {
        let sample = Sample::of(&self.costs)?;
        let (p_value, significant) = other.map_or((None, None), |other| self.test(other));
        Some(RepeatRecord {
            repeat: sample.count,
            best: sample.best,
            mean: sample.mean,
            deviation: sample.deviation,
            p_value,
            significant,
        })
    }

    /// The probability that chance alone makes such a difference, and whether it counts.
    fn test(&self, other: &Repeats) -> (Option<f64>, Option<bool>) {
        let p_value = match (self.same, other.same) {
            (false, false) => kruskal_wallis(&[&other.costs, &self.costs]).map(|test| test.p_value),
            (true, false) => sign_test(&other.costs, self.costs[0]),
            (false, true) => sign_test(&self.costs, other.costs[0]),
            // Chance plays no part in it.
            (true, true) => return (None, Some(self.costs[0] != other.costs[0])),
        };
        (p_value, Some(p_value.is_some_and(|p_value| p_value < SIGNIFICANT)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(costs: &[f64], same: bool) -> Repeats {
        Repeats { costs: costs.to_vec(), same }
    }

    #[test]
    fn strategies_without_chance_are_compared_without_a_test() {
        let (a, b) = (runs(&[3.0; 10], true), runs(&[4.0; 10], true));
        assert_eq!(b.test(&a), (None, Some(true)));
        assert_eq!(b.test(&b), (None, Some(false)));
    }

    #[test]
    fn ten_copies_of_one_number_are_not_ten_runs() {
        let (fixed, random) = (runs(&[3.0; 4], true), runs(&[4.0, 5.0, 6.0, 7.0], false));
        // All four above: 2 / 2^4, which differs from four random runs against four.
        assert_eq!(random.test(&fixed), (Some(0.125), Some(false)));
        assert_eq!(fixed.test(&random), (Some(0.125), Some(false)));
        let other = runs(&[1.0, 1.5, 2.0, 2.5], false);
        assert!(other.test(&random).0.unwrap() < 0.05);
    }
}
