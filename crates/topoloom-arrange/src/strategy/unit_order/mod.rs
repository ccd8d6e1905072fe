//! The best order of the parts of a column, with all other columns given.
//!
//! A unit is a part that stays together: a rectangle, or the rectangles of a cluster or a site. The
//! cost of rows depends on where a unit begins, which depends on the set of units above it, not on
//! their order. The cost of the column's own ring depends on neighbours. So the set of placed units
//! and the last of them are enough to find the best order of the rest.

mod beam;
mod exact;
mod exchange;
mod pricing;
mod sequence;

pub(crate) use sequence::{Chain, Order, Sequence};

use crate::strategy::gains;
use pricing::Pricing;

impl Sequence<'_> {
    /// How many steps it takes to find the best order; `None` if there are far too many.
    pub(crate) fn exact_work(&self) -> Option<u64> {
        exact::work(&Pricing::new(self))
    }

    /// The best order if it can be found with `max_work` steps, a good one otherwise.
    pub(crate) fn best_order(&self, max_work: u64) -> Order {
        self.order(max_work, |pricing| {
            let number = pricing.class_of.len() as u64;
            let mut work = beam::WIDTH as u64 * number * number;
            // Sometimes one of the two gets stuck when the other does not.
            let mut orders = [beam::search(pricing), pricing.class_of.clone()];
            for order in &mut orders {
                work += exchange::improve(pricing, order, usize::MAX - 1, max_work);
            }
            let [beam, given] = orders;
            let best = if gains(pricing.cost(&given), pricing.cost(&beam)) { given } else { beam };
            (best, work)
        })
    }

    /// The best order if it can be found with `max_work` steps; otherwise the given one, improved by
    /// changes of units that are at most `max_distance` apart.
    pub(crate) fn best_or_better_order(&self, max_distance: usize, max_work: u64) -> Order {
        self.order(max_work, |pricing| {
            let mut order = pricing.class_of.clone();
            let work = exchange::improve(pricing, &mut order, max_distance, max_work);
            (order, work)
        })
    }

    fn order(&self, max_work: u64, search: impl FnOnce(&Pricing) -> (Vec<usize>, u64)) -> Order {
        if self.units.len() < 2 {
            let units = (0..self.units.len()).collect();
            return Order { units, exact: true, work: 0, gains: false };
        }
        let mut pricing = Pricing::new(self);
        if let Some(work) = exact::work(&pricing).filter(|&work| work <= max_work) {
            pricing.tabulate(work);
            let order = exact::search(&pricing);
            return pricing.order(&order, true, work);
        }
        let number = self.units.len() as u64;
        pricing.tabulate(number * number * number);
        let (order, work) = search(&pricing);
        pricing.order(&order, false, work)
    }

    /// The cost of the order in which the units are given, without the part that no order changes.
    #[cfg(test)]
    fn cost_as_given(&self) -> f64 {
        let pricing = Pricing::new(self);
        pricing.cost(&pricing.class_of)
    }
}

#[cfg(test)]
mod tests;
