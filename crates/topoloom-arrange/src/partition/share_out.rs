//! Shares out whole units such that the largest load is as small as possible.

use std::cmp::Ordering;

use crate::balance::between;

/// The takers of units. A load strictly increases with the number of units.
pub(super) trait Takers {
    /// How many there are.
    fn count(&self) -> usize;
    /// Calls `action` with the number of units that each can take with a load of at most `limit`;
    /// at most `total` each.
    fn within(&self, limit: f64, total: u32, action: impl FnMut(u32));
    /// The load of this many units.
    fn load(&self, taker: usize, units: u32) -> f64;
}

/// Shares `total` units out, at least one to each taker: the way with the smallest largest load,
/// then the smallest second-largest load, and so on. Among equals, the first takes more. There must
/// be a unit for each. `guess` is a load near the largest.
pub(super) fn share_out(takers: &impl Takers, total: u32, guess: f64) -> Vec<u32> {
    let taken_within = |limit: f64| {
        let mut sum = 0_u64;
        takers.within(limit, total, |units| sum += u64::from(units.max(1)));
        sum
    };
    let mut units = vec![1; takers.count()];
    if let Some(limit) = largest_limit(taken_within, u64::from(total), guess) {
        let mut taker = 0;
        takers.within(limit, total, |within| {
            units[taker] = within.max(1);
            taker += 1;
        });
    }
    settle(takers, total, &mut units);
    units
}

/// The largest limit, except for rounding, within which no more than `total` is taken; `None` if
/// more is taken under any representable limit.
fn largest_limit(taken: impl Fn(f64) -> u64, total: u64, guess: f64) -> Option<f64> {
    let (mut low, mut high) = (guess, guess);
    let mut step = 2.0;
    if taken(guess) > total {
        while taken(low) > total {
            (high, low) = (low, low / step);
            step *= step;
            if low < f64::MIN_POSITIVE {
                return None;
            }
        }
    } else {
        while taken(high) <= total {
            (low, high) = (high, high * step);
            step *= step;
            if high > f64::MAX / 2.0 {
                return Some(low);
            }
        }
    }
    while let Some(middle) = between(low, high).filter(|_| high - low > low * 1e-14) {
        match taken(middle).cmp(&total) {
            Ordering::Less => low = middle,
            Ordering::Equal => return Some(middle),
            Ordering::Greater => high = middle,
        }
    }
    Some(low)
}

/// Gives out the rest, and moves single units as long as that lowers the larger of two loads. The
/// loads are optimal exactly when no such move is left.
fn settle(takers: &impl Takers, total: u32, units: &mut [u32]) {
    let mut loads: Vec<f64> = units.iter().zip(0..).map(|(&u, i)| takers.load(i, u)).collect();
    let mut next: Vec<f64> = units.iter().zip(0..).map(|(&u, i)| takers.load(i, u + 1)).collect();
    let mut left = u64::from(total).saturating_sub(units.iter().map(|&u| u64::from(u)).sum());
    loop {
        let to = smallest(&next);
        if left > 0 {
            left -= 1;
        } else {
            let from = largest(&loads, units);
            match from {
                Some(from) if next[to] < loads[from] => {
                    units[from] -= 1;
                    next[from] = loads[from];
                    loads[from] = takers.load(from, units[from]);
                }
                _ => return,
            }
        }
        units[to] += 1;
        loads[to] = next[to];
        next[to] = takers.load(to, units[to] + 1);
    }
}

/// The first of the smallest loads.
fn smallest(loads: &[f64]) -> usize {
    let mut best = 0;
    for (taker, load) in loads.iter().enumerate() {
        if *load < loads[best] {
            best = taker;
        }
    }
    best
}

/// The last of the largest loads whose taker has a unit to give.
fn largest(loads: &[f64], units: &[u32]) -> Option<usize> {
    let givers = (0..loads.len()).filter(|&taker| units[taker] > 1);
    givers.max_by(|&a, &b| loads[a].total_cmp(&loads[b]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takers with speeds that claim that the first of them can take `more` than it should.
    struct Sloppy {
        speeds: Vec<f64>,
        more: f64,
    }

    impl Takers for Sloppy {
        fn count(&self) -> usize {
            self.speeds.len()
        }

        fn within(&self, limit: f64, total: u32, mut action: impl FnMut(u32)) {
            for (taker, speed) in self.speeds.iter().enumerate() {
                let more = if taker == 0 { self.more } else { 0.0 };
                action(((speed * limit + more) as u32).min(total));
            }
        }

        fn load(&self, taker: usize, units: u32) -> f64 {
            f64::from(units) / self.speeds[taker]
        }
    }

    #[test]
    fn units_are_shared_out_best_even_where_limits_are_not_exact() {
        // 10 units at speeds 1, 2, 2: 2, 4, 4. With 11 units the eleventh makes loads of 2.5.
        for more in [0.0, 3.0, -3.0] {
            let takers = Sloppy { speeds: vec![1.0, 2.0, 2.0], more };
            assert_eq!(share_out(&takers, 10, 1.0), [2, 4, 4]);
            assert_eq!(share_out(&takers, 11, 1e6), [2, 5, 4]);
            assert_eq!(share_out(&takers, 3, 1e-6), [1, 1, 1]);
        }
    }
}
