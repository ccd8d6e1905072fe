//! Exchanges of two units and moves of one, until none helps.

use super::pricing::Pricing;
use crate::strategy::gains;

/// Improves `order` with about `max_work` steps, by changes of units that are at most
/// `max_distance` apart; returns how many steps it took.
pub(super) fn improve(
    pricing: &Pricing,
    order: &mut [usize],
    max_distance: usize,
    max_work: u64,
) -> u64 {
    let number = order.len();
    let mut standing = Standing::new(pricing, order);
    let mut work = number as u64;
    loop {
        let mut improved = false;
        // Near ones first: they are cheap to evaluate, and long columns have too many others.
        for distance in 1..number.min(max_distance + 1) {
            for upper in 0..number - distance {
                let lower = upper + distance;
                if order[upper] == order[lower] {
                    continue;
                }
                let steps = if distance == 1 { &STEPS[..1] } else { &STEPS };
                work += steps.len() as u64 * (distance as u64 + 1);
                for &step in steps {
                    if try_step(pricing, order, &standing, (upper, lower), step) {
                        improved = true;
                        standing = Standing::new(pricing, order);
                        work += number as u64;
                        break;
                    }
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

/// The positions of the units of an order, and their costs there.
struct Standing {
    /// Where each unit begins.
    rows: Vec<u32>,
    /// The cost of the link into each unit; one more for the link out of the last.
    links: Vec<f64>,
    /// The cost of all units before each one, with the links into them; one more for all of them.
    sums: Vec<f64>,
}

impl Standing {
    fn new(pricing: &Pricing, order: &[usize]) -> Self {
        let (first, last) = (order[0], order[order.len() - 1]);
        let around = pricing.is_cyclic().then(|| pricing.link(last, first));
        let mut links = vec![around.or_else(|| pricing.entry(first)).unwrap_or(0.0)];
        links.extend(order.windows(2).map(|pair| pricing.link(pair[0], pair[1])));
        let (mut row, mut sum) = (0, 0.0);
        let (mut rows, mut sums) = (Vec::with_capacity(order.len()), vec![0.0]);
        for (&class, link) in order.iter().zip(&links) {
            rows.push(row);
            sum += link + pricing.place(class, row);
            sums.push(sum);
            row += pricing.classes[class].height;
        }
        links.push(around.or_else(|| pricing.exit(last)).unwrap_or(0.0));
        Standing { rows, links, sums }
    }

    /// The cost of the units of a range, with the links to both sides.
    fn stretch_cost(&self, pricing: &Pricing, (upper, lower): (usize, usize)) -> f64 {
        // The link around is both into the first and out of the last; it counts once.
        let whole = upper == 0 && lower + 1 == self.rows.len() && pricing.is_cyclic();
        let out = if whole { 0.0 } else { self.links[lower + 1] };
        self.sums[lower + 1] - self.sums[upper] + out
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

const STEPS: [Step; 3] = [Step::Exchange, Step::Down, Step::Up];

impl Step {
    /// The unit at `at` after the step.
    fn unit(self, order: &[usize], (upper, lower): (usize, usize), at: usize) -> usize {
        order[match self {
            Step::Exchange if at == upper => lower,
            Step::Exchange if at == lower => upper,
            Step::Down if at == lower => upper,
            Step::Down => at + 1,
            Step::Up if at == upper => lower,
            Step::Up => at - 1,
            _ => at,
        }]
    }

    fn apply(self, order: &mut [usize], (upper, lower): (usize, usize)) {
        match self {
            Step::Exchange => order.swap(upper, lower),
            Step::Down => order[upper..=lower].rotate_left(1),
            Step::Up => order[upper..=lower].rotate_right(1),
        }
    }

    fn back(self) -> Step {
        match self {
            Step::Down => Step::Up,
            Step::Up => Step::Down,
            other => other,
        }
    }
}

/// Takes the step if it gains.
fn try_step(
    pricing: &Pricing,
    order: &mut [usize],
    standing: &Standing,
    range: (usize, usize),
    step: Step,
) -> bool {
    let before = standing.stretch_cost(pricing, range);
    let row = standing.rows[range.0];
    if !pricing.spares_cheapest() {
        let gained = gains(stretch_cost(pricing, order, row, range, step, before), before);
        if gained {
            step.apply(order, range);
        }
        return gained;
    }
    let after = stretch_cost(pricing, order, row, range, step, f64::INFINITY);
    let spared = pricing.spared(pricing.cheapest(order));
    step.apply(order, range);
    let gained = gains(after - pricing.spared(pricing.cheapest(order)), before - spared);
    if !gained {
        step.back().apply(order, range);
    }
    gained
}

/// The cost of the units of a range after a step, with the links to both sides; `row` is where the
/// first of them begins. Gives up beyond `limit`, because costs are never negative.
fn stretch_cost(
    pricing: &Pricing,
    order: &[usize],
    mut row: u32,
    (upper, lower): (usize, usize),
    step: Step,
    limit: f64,
) -> f64 {
    let unit = |at: usize| {
        if (upper..=lower).contains(&at) { step.unit(order, (upper, lower), at) } else { order[at] }
    };
    let last = order.len() - 1;
    let mut class = unit(upper);
    let mut cost = match upper {
        0 if pricing.is_cyclic() => pricing.link(unit(last), class),
        0 => pricing.entry(class).unwrap_or(0.0),
        _ => pricing.link(order[upper - 1], class),
    };
    for at in upper..=lower {
        cost += pricing.place(class, row);
        row += pricing.classes[class].height;
        if at < last {
            let next = unit(at + 1);
            cost += pricing.link(class, next);
            class = next;
        } else if !pricing.is_cyclic() {
            cost += pricing.exit(class).unwrap_or(0.0);
        } else if upper > 0 {
            cost += pricing.link(class, order[0]);
        }
        if cost > limit {
            return f64::INFINITY;
        }
    }
    cost
}
