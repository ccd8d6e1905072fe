//! Exchanges of two units and moves of one, until none helps.

use super::Pricing;
use crate::strategy::gains;

/// Improves `order` with about `max_work` steps; returns how many it took.
pub(super) fn improve(pricing: &Pricing, order: &mut [usize], max_work: u64) -> u64 {
    let number = order.len();
    let mut work = 0;
    loop {
        let mut improved = false;
        // Near ones first: they cost little to judge, and long columns have too many others.
        for distance in 1..number {
            for upper in 0..number - distance {
                let lower = upper + distance;
                if order[upper] == order[lower] {
                    continue;
                }
                for step in [Step::Exchange, Step::Down, Step::Up] {
                    if distance == 1 && step != Step::Exchange {
                        continue;
                    }
                    work += if pricing.spares_cheapest() { number } else { distance + 1 } as u64;
                    improved |= try_step(pricing, order, upper, lower, step);
                }
                if work > max_work {
                    return work;
                }
            }
        }
        if !improved {
            return work;
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Exchange,
    /// The upper one goes below the lower one.
    Down,
    /// The lower one goes above the upper one.
    Up,
}

fn apply(order: &mut [usize], upper: usize, lower: usize, step: Step) {
    match step {
        Step::Exchange => order.swap(upper, lower),
        Step::Down => order[upper..=lower].rotate_left(1),
        Step::Up => order[upper..=lower].rotate_right(1),
    }
}

/// Keeps the step if it gains.
fn try_step(
    pricing: &Pricing,
    order: &mut [usize],
    upper: usize,
    lower: usize,
    step: Step,
) -> bool {
    let cost = |order: &[usize]| {
        if pricing.spares_cheapest() {
            pricing.cost(order)
        } else {
            stretch_cost(pricing, order, upper, lower)
        }
    };
    let before = cost(order);
    apply(order, upper, lower, step);
    if gains(cost(order), before) {
        return true;
    }
    let back = match step {
        Step::Exchange => Step::Exchange,
        Step::Down => Step::Up,
        Step::Up => Step::Down,
    };
    apply(order, upper, lower, back);
    false
}

/// What the units from `upper` to `lower` cost with the links to both sides.
fn stretch_cost(pricing: &Pricing, order: &[usize], upper: usize, lower: usize) -> f64 {
    let last = order.len() - 1;
    let mut row: u32 = order[..upper].iter().map(|&class| pricing.classes[class].height).sum();
    let mut cost = match upper {
        0 if pricing.is_cyclic() => pricing.link(order[last], order[0]),
        0 => pricing.entry(order[0]).unwrap_or(0.0),
        _ => pricing.link(order[upper - 1], order[upper]),
    };
    for at in upper..=lower {
        cost += pricing.place(order[at], row);
        row += pricing.classes[order[at]].height;
        if at < last {
            cost += pricing.link(order[at], order[at + 1]);
        } else if !pricing.is_cyclic() {
            cost += pricing.exit(order[at]).unwrap_or(0.0);
        } else if upper > 0 {
            cost += pricing.link(order[last], order[0]);
        }
    }
    cost
}
