//! The best order by dynamic programming over the units already placed.
//!
//! Units that are the same are not distinguished, so a state counts how many of each class are
//! placed: with n different units, 2^n states.

use super::pricing::Pricing;

/// The most numbers that are kept.
const MAX_STATES: f64 = (1 << 22) as f64;

/// This many steps of the inner loop take as long as one step elsewhere.
const STEPS_AT_ONCE: f64 = 8.0;

/// How many steps the search takes; `None` if there are far too many.
pub(super) fn work(pricing: &Pricing) -> Option<u64> {
    let classes = pricing.classes.len() as f64;
    let states: f64 = pricing.classes.iter().map(|class| class.count as f64 + 1.0).product();
    if pricing.sequence.chain.is_none() {
        return (states <= MAX_STATES).then_some((states * classes) as u64);
    }
    if states * classes > MAX_STATES {
        return None;
    }
    let firsts = if pricing.is_cyclic() { classes } else { 1.0 };
    let thresholds = thresholds(pricing).len() as f64;
    // With the first unit given, states without it do not count.
    let sweeps = thresholds * (firsts / 2.0).max(1.0);
    Some((states * classes * classes * sweeps / STEPS_AT_ONCE) as u64)
}

/// The best order of classes; among equals, the first in lexicographic order of classes.
pub(super) fn search(pricing: &Pricing) -> Vec<usize> {
    if pricing.sequence.chain.is_none() {
        return by_sets(pricing);
    }
    let mut best: Option<(f64, Vec<usize>)> = None;
    for threshold in thresholds(pricing) {
        // An order whose cheapest link costs more than the threshold is found here as well, but at
        // too high a price; it is found at its true price at its own threshold.
        let spared = threshold.map_or(0.0, |threshold| pricing.spared(threshold));
        let mut table = Table::new(pricing, threshold);
        let firsts: Vec<Option<usize>> = if pricing.is_cyclic() {
            (0..pricing.classes.len()).map(Some).collect()
        } else {
            vec![None]
        };
        for first in firsts {
            let (cost, order) = table.search(pricing, first);
            let cost = cost - spared;
            if cost.is_finite() && best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, order));
            }
        }
    }
    best.map_or_else(|| pricing.class_of.clone(), |(_, order)| order)
}

/// The possible costs of the cheapest link, if it is left out. A sum minus the cheapest link is the
/// minimum, over all thresholds not above any link, of the sum minus the threshold. So it is enough
/// to minimise sums with all cheaper links forbidden.
fn thresholds(pricing: &Pricing) -> Vec<Option<f64>> {
    if !pricing.spares_cheapest() {
        return vec![None];
    }
    let Some(chain) = pricing.sequence.chain else { return vec![None] };
    let link = |from: u32, to: u32| chain.measure.vertical_link(from, to);
    let mut values: Vec<f64> = Vec::new();
    for from in &pricing.classes {
        values.extend(pricing.classes.iter().map(|to| link(from.last, to.first)));
        values.extend(chain.before.map(|before| link(before, from.first)));
        values.extend(chain.after.map(|after| link(from.last, after)));
    }
    values.retain(|&value| value < pricing.cheapest_fixed);
    values.extend(Some(pricing.cheapest_fixed).filter(|cheapest| cheapest.is_finite()));
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    values.into_iter().map(Some).collect()
}

/// Numbers of placed units of each class, counted down from all to none. A state's number has them as its digits.
struct Countdown {
    counts: Vec<usize>,
    limits: Vec<usize>,
    heights: Vec<u32>,
    row: u32,
}

impl Countdown {
    fn from_all(pricing: &Pricing) -> Self {
        let limits: Vec<usize> = pricing.classes.iter().map(|class| class.count).collect();
        let heights = pricing.classes.iter().map(|class| class.height).collect();
        Countdown { counts: limits.clone(), limits, heights, row: pricing.span }
    }

    fn down(&mut self) {
        for (class, count) in self.counts.iter_mut().enumerate() {
            if *count > 0 {
                *count -= 1;
                self.row -= self.heights[class];
                return;
            }
            *count = self.limits[class];
            self.row += self.heights[class] * self.limits[class] as u32;
        }
    }
}

fn strides(pricing: &Pricing) -> (Vec<usize>, usize) {
    let mut states = 1;
    let strides = pricing
        .classes
        .iter()
        .map(|class| {
            let stride = states;
            states *= class.count + 1;
            stride
        })
        .collect();
    (strides, states)
}

/// If only rows count, the set of placed units is all that matters.
fn by_sets(pricing: &Pricing) -> Vec<usize> {
    let (strides, states) = strides(pricing);
    let mut rest = vec![0.0; states];
    let mut placed = Countdown::from_all(pricing);
    for state in (0..states - 1).rev() {
        placed.down();
        let mut least = f64::INFINITY;
        for (class, &stride) in strides.iter().enumerate() {
            if placed.counts[class] < placed.limits[class] {
                least = least.min(pricing.place(class, placed.row) + rest[state + stride]);
            }
        }
        rest[state] = least;
    }
    let mut order = Vec::new();
    let (mut state, mut row) = (0, 0);
    let mut counts = vec![0; strides.len()];
    while order.len() < pricing.class_of.len() {
        let left = (0..strides.len()).filter(|&class| counts[class] < pricing.classes[class].count);
        let next =
            first_least(left, |class| pricing.place(class, row) + rest[state + strides[class]]);
        counts[next] += 1;
        state += strides[next];
        row += pricing.classes[next].height;
        order.push(next);
    }
    order
}

/// A lower bound of the cost of the rest, for each set of placed units and the last of them.
struct Table {
    strides: Vec<usize>,
    states: usize,
    /// From class to class, row by row; infinite below the threshold.
    links: Vec<f64>,
    entries: Vec<f64>,
    exits: Vec<f64>,
    /// For each state, one number for each last class.
    rest: Vec<f64>,
}

impl Table {
    fn new(pricing: &Pricing, threshold: Option<f64>) -> Self {
        let (strides, states) = strides(pricing);
        let least = threshold.map_or(f64::NEG_INFINITY, |threshold| pricing.spared(threshold));
        let allowed = |cost: f64| if cost < least { f64::INFINITY } else { cost };
        let classes = strides.len();
        let all = 0..classes;
        Table {
            links: all
                .clone()
                .flat_map(|from| (0..classes).map(move |to| (from, to)))
                .map(|(from, to)| allowed(pricing.link(from, to)))
                .collect(),
            entries: all.clone().map(|c| pricing.entry(c).map_or(0.0, allowed)).collect(),
            exits: all.map(|c| pricing.exit(c).map_or(0.0, allowed)).collect(),
            rest: vec![f64::INFINITY; states * classes],
            strides,
            states,
        }
    }

    /// The best order, with a first class if the last is linked to it.
    fn search(&mut self, pricing: &Pricing, first: Option<usize>) -> (f64, Vec<usize>) {
        let classes = self.strides.len();
        let full = self.states - 1;
        for last in 0..classes {
            self.rest[full * classes + last] = match first {
                Some(first) => self.links[last * classes + first],
                None => self.exits[last],
            };
        }
        let mut placed = Countdown::from_all(pricing);
        let mut next = vec![f64::INFINITY; classes];
        for state in (1..full).rev() {
            placed.down();
            if first.is_some_and(|first| placed.counts[first] == 0) {
                continue;
            }
            for (class, next) in next.iter_mut().enumerate() {
                *next = if placed.counts[class] < placed.limits[class] {
                    pricing.place(class, placed.row)
                        + self.rest[(state + self.strides[class]) * classes + class]
                } else {
                    f64::INFINITY
                };
            }
            for last in 0..classes {
                if placed.counts[last] == 0 {
                    continue;
                }
                let links = &self.links[last * classes..(last + 1) * classes];
                self.rest[state * classes + last] =
                    links.iter().zip(&next).map(|(a, b)| a + b).fold(f64::INFINITY, f64::min);
            }
        }
        self.walk(pricing, first)
    }

    /// Follows the smallest numbers from the top.
    fn walk(&self, pricing: &Pricing, first: Option<usize>) -> (f64, Vec<usize>) {
        let classes = self.strides.len();
        let (mut order, mut counts) = (Vec::new(), vec![0; classes]);
        let (mut state, mut row, mut total) = (0, 0, f64::INFINITY);
        while order.len() < pricing.class_of.len() {
            let left = (0..classes).filter(|&class| counts[class] < pricing.classes[class].count);
            let price = |class: usize| {
                let link = match order.last() {
                    Some(&last) => self.links[last * classes + class],
                    None => self.entries[class],
                };
                let after = (state + self.strides[class]) * classes + class;
                link + pricing.place(class, row) + self.rest[after]
            };
            let next = match first {
                Some(first) if order.is_empty() => first,
                _ => first_least(left, price),
            };
            if order.is_empty() {
                total = price(next);
                if total.is_infinite() {
                    return (total, order);
                }
            }
            counts[next] += 1;
            state += self.strides[next];
            row += pricing.classes[next].height;
            order.push(next);
        }
        (total, order)
    }
}

/// The first of `items` with the lowest price.
fn first_least(items: impl Iterator<Item = usize>, price: impl Fn(usize) -> f64) -> usize {
    let mut best = (f64::INFINITY, usize::MAX);
    for item in items {
        let price = price(item);
        if price < best.0 || best.1 == usize::MAX {
            best = (price, item);
        }
    }
    best.1
}
