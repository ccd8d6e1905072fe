//! The cost of a unit at a position.

use std::collections::BTreeMap;

use super::sequence::{Order, Sequence};
use crate::measure::Ring;
use crate::strategy::gains;

/// A table of places is not worth its memory beyond this many numbers.
const MAX_TABLE: usize = 1 << 22;

/// Up to this many classes have a table of their links.
const MAX_LINKED: usize = 64;

/// Units that are the same for a measure.
#[derive(Debug)]
pub(super) struct Class<'a> {
    /// The first of them.
    pub(super) unit: usize,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) height: u32,
    pub(super) count: usize,
    /// The cost of all rows above each row, if all rectangles belong to one cluster and the cost is
    /// known.
    pub(super) above: &'a [f64],
}

/// The cost of a unit at a position.
#[derive(Debug)]
pub(super) struct Pricing<'a> {
    pub(super) sequence: &'a Sequence<'a>,
    pub(super) classes: Vec<Class<'a>>,
    /// The cost of links from class to class. Empty if there are many.
    pub(super) links: Vec<f64>,
    pub(super) class_of: Vec<usize>,
    /// The cost of rows if a class begins at a row: one line per class. Empty if it is not worth
    /// it.
    pub(super) places: Vec<f64>,
    pub(super) span: u32,
    /// The cheapest link that is part of every order.
    pub(super) cheapest_fixed: f64,
}

impl<'a> Pricing<'a> {
    pub(super) fn new(sequence: &'a Sequence<'a>) -> Self {
        let mut known: BTreeMap<&[(u32, u32)], usize> = BTreeMap::new();
        let mut classes: Vec<Class<'a>> = Vec::new();
        let mut class_of = Vec::with_capacity(sequence.units.len());
        let mut cheapest_fixed = sequence.chain.map_or(f64::INFINITY, |c| c.cheapest_elsewhere);
        for (number, unit) in sequence.units.iter().enumerate() {
            let class = *known.entry(unit).or_insert_with(|| {
                classes.push(Class {
                    unit: number,
                    first: unit[0].0,
                    last: unit[unit.len() - 1].0,
                    height: unit.iter().map(|&(_, height)| height).sum(),
                    count: 0,
                    above: sequence
                        .rows
                        .filter(|_| unit.iter().all(|&(cluster, _)| cluster == unit[0].0))
                        .map_or(&[], |rows| rows.above_each_row(unit[0].0)),
                });
                classes.len() - 1
            });
            classes[class].count += 1;
            class_of.push(class);
            if let Some(chain) = sequence.chain {
                let inside =
                    unit.windows(2).map(|pair| chain.measure.vertical_link(pair[0].0, pair[1].0));
                cheapest_fixed = inside.fold(cheapest_fixed, f64::min);
            }
        }
        let span = classes.iter().map(|class| class.height * class.count as u32).sum();
        let mut pricing = Pricing {
            sequence,
            classes,
            links: Vec::new(),
            class_of,
            places: Vec::new(),
            span,
            cheapest_fixed,
        };
        let number = pricing.classes.len();
        if number <= MAX_LINKED {
            let pairs = (0..number).flat_map(|from| (0..number).map(move |to| (from, to)));
            pricing.links = pairs.map(|(from, to)| pricing.link(from, to)).collect();
        }
        pricing
    }

    /// Stores the costs of places, if this is worth it for this many questions.
    pub(super) fn tabulate(&mut self, questions: u64) {
        let line = self.span as usize + 1;
        let size = self.classes.len() * line;
        let known = self.classes.iter().all(|class| !class.above.is_empty());
        if self.sequence.rows.is_none() || known || size > MAX_TABLE || size as u64 > questions {
            return;
        }
        let mut places = vec![0.0; size];
        for (class, places) in places.chunks_mut(line).enumerate() {
            let lowest = (self.span - self.classes[class].height) as usize;
            for (row, place) in places[..=lowest].iter_mut().enumerate() {
                *place = self.place(class, row as u32);
            }
        }
        self.places = places;
    }

    /// The cost of rows if a unit of `class` begins `row` rows below the top of the sequence.
    #[inline]
    pub(super) fn place(&self, class: usize, row: u32) -> f64 {
        if !self.places.is_empty() {
            return self.places[class * (self.span as usize + 1) + row as usize];
        }
        let Some(rows) = self.sequence.rows else { return 0.0 };
        let Class { above, height, .. } = self.classes[class];
        if !above.is_empty() {
            let top = (self.sequence.top + row) as usize;
            return above[top + height as usize] - above[top];
        }
        let mut y = self.sequence.top + row;
        let mut cost = 0.0;
        for &(cluster, height) in &self.sequence.units[self.classes[class].unit] {
            cost += rows.between(cluster, y, y + height);
            y += height;
        }
        cost
    }

    /// The cost of a link between clusters of the column.
    #[inline]
    pub(super) fn cluster_link(&self, from: u32, to: u32) -> f64 {
        self.sequence
            .chain
            .map_or(0.0, |chain| f64::from(chain.width) * chain.measure.vertical_link(from, to))
    }

    #[inline]
    pub(super) fn link(&self, from: usize, to: usize) -> f64 {
        if !self.links.is_empty() {
            return self.links[from * self.classes.len() + to];
        }
        self.cluster_link(self.classes[from].last, self.classes[to].first)
    }

    /// Whether the last unit is linked to the first.
    pub(super) fn is_cyclic(&self) -> bool {
        self.sequence.chain.is_some_and(|chain| chain.whole && chain.measure.ring != Ring::Open)
    }

    /// Whether the cheapest link of the column is left out.
    pub(super) fn spares_cheapest(&self) -> bool {
        self.sequence.chain.is_some_and(|chain| chain.measure.ring == Ring::AllButCheapest)
    }

    /// The cost of the link into the first unit, if it does not come from the last one.
    pub(super) fn entry(&self, class: usize) -> Option<f64> {
        let before = self.sequence.chain?.before?;
        Some(self.cluster_link(before, self.classes[class].first))
    }

    /// The cost of the link out of the last unit, if it does not lead to the first one.
    pub(super) fn exit(&self, class: usize) -> Option<f64> {
        let after = self.sequence.chain?.after?;
        Some(self.cluster_link(self.classes[class].last, after))
    }

    /// The cost that is left out if `cheapest` is the cheapest link, given as the measure's price
    /// of a block.
    pub(super) fn spared(&self, cheapest: f64) -> f64 {
        let width = self.sequence.chain.map_or(0.0, |chain| f64::from(chain.width));
        if cheapest.is_finite() { width * cheapest } else { 0.0 }
    }

    /// The definition: the cost of an order of classes, without the part that no order changes.
    pub(super) fn cost(&self, order: &[usize]) -> f64 {
        let (first, last) = (order[0], order[order.len() - 1]);
        let mut cost = self.entry(first).unwrap_or(0.0) + self.exit(last).unwrap_or(0.0);
        let mut row = 0;
        for &class in order {
            cost += self.place(class, row);
            row += self.classes[class].height;
        }
        cost += order.windows(2).map(|pair| self.link(pair[0], pair[1])).sum::<f64>();
        if self.is_cyclic() {
            cost += self.link(last, first);
        }
        if self.spares_cheapest() {
            cost -= self.spared(self.cheapest(order));
        }
        cost
    }

    /// The cheapest link, including those that no order changes, as the price of a block.
    pub(super) fn cheapest(&self, order: &[usize]) -> f64 {
        let Some(chain) = self.sequence.chain else { return f64::INFINITY };
        let link = |from: u32, to: u32| chain.measure.vertical_link(from, to);
        let (first, last) = (&self.classes[order[0]], &self.classes[order[order.len() - 1]]);
        let mut least = self.cheapest_fixed;
        for pair in order.windows(2) {
            if least <= 0.0 {
                return least;
            }
            least = least.min(link(self.classes[pair[0]].last, self.classes[pair[1]].first));
        }
        if self.is_cyclic() {
            least = least.min(link(last.last, first.first));
        }
        if let Some(before) = chain.before {
            least = least.min(link(before, first.first));
        }
        if let Some(after) = chain.after {
            least = least.min(link(last.last, after));
        }
        least
    }

    pub(super) fn order(&self, classes: &[usize], exact: bool, work: u64) -> Order {
        let gains =
            classes != self.class_of && gains(self.cost(classes), self.cost(&self.class_of));
        Order { units: self.units(classes), exact, work, gains }
    }

    /// The units of an order of classes; among equal units, the first one first.
    pub(super) fn units(&self, order: &[usize]) -> Vec<usize> {
        let mut of_class: Vec<Vec<usize>> = vec![Vec::new(); self.classes.len()];
        for (unit, &class) in self.class_of.iter().enumerate().rev() {
            of_class[class].push(unit);
        }
        let units: Vec<usize> = order.iter().filter_map(|&class| of_class[class].pop()).collect();
        debug_assert_eq!(units.len(), self.class_of.len());
        units
    }
}
