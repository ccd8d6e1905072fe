//! The best placement of a search that also accepts losses, without a copy at each new best.

use crate::mapping::Placement;

/// Remembers the best placement by the exchanges made since. Takes O(1) per exchange.
pub(super) struct Trail {
    best_cost: f64,
    since_best: Vec<(u32, u32)>,
    /// The slots of the best, once the way back to it is longer than a copy.
    kept: Option<Vec<u32>>,
}

impl Trail {
    /// Starts at a placement of this cost, the best so far.
    pub(super) fn new(cost: f64) -> Self {
        Trail { best_cost: cost, since_best: Vec::new(), kept: None }
    }

    /// The cost of the best.
    pub(super) fn best_cost(&self) -> f64 {
        self.best_cost
    }

    /// Notes that `a` and `b` were exchanged, which led to `cost` and `placement`.
    #[inline]
    pub(super) fn exchanged(&mut self, a: u32, b: u32, cost: f64, placement: &Placement) {
        // A decrease due to rounding is not a gain.
        if cost < self.best_cost - 1e-12 * self.best_cost.abs() {
            self.best_cost = cost;
            self.since_best.clear();
            self.kept = None;
        } else if self.kept.is_none() {
            self.since_best.push((a, b));
            if self.since_best.len() > placement.len() {
                self.kept = Some(self.slots_of_best(placement));
            }
        }
    }

    /// The slots of the best, of ranks and phantoms, given the present placement.
    pub(super) fn slots_of_best(&self, placement: &Placement) -> Vec<u32> {
        if let Some(kept) = &self.kept {
            return kept.clone();
        }
        let mut slots = placement.slots().to_vec();
        for &(a, b) in self.since_best.iter().rev() {
            slots.swap(a as usize, b as usize);
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Machine, Mapping, random};

    #[test]
    fn the_best_is_found_again_however_long_ago_it_was() {
        let machine = Machine::parse("mesh:9").unwrap();
        let mapping = Mapping::new((0..9).collect(), &machine).unwrap();
        let mut rng = random::stream(1, &[]);
        for length in [3, 200] {
            let mut placement = Placement::new(&mapping, &machine);
            let mut trail = Trail::new(100.0);
            let mut best = placement.slots().to_vec();
            for step in 0..length {
                let (a, b) = (random::below(&mut rng, 9), random::below(&mut rng, 9));
                placement.swap(a, b);
                let cost = if step == length / 2 { 50.0 } else { 200.0 };
                trail.exchanged(a, b, cost, &placement);
                if step == length / 2 {
                    best = placement.slots().to_vec();
                }
            }
            assert_eq!(trail.slots_of_best(&placement), best);
            assert_eq!(trail.best_cost(), 50.0);
        }
    }
}
