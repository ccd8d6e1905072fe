//! Every order of columns and of rectangles in them; one column is left to dynamic programming.

use std::collections::BTreeMap;

use topoloom_core::{NotApplicable, Run};

use super::counting::{orders, too_many};
use super::dealings::for_each_dealing;
use crate::arrangement::{Arrangement, Column, Rectangle};
use crate::measure::{Measure, Ring};
use crate::strategy::gains;
use crate::strategy::row_costs::{RowCosts, for_each_stretch, total_cost, vertical_cost};
use crate::strategy::unit_order::Sequence;

/// The most orders of a column that are kept.
const MAX_ORDERS: f64 = 1e6;

struct Search<'a> {
    measure: &'a Measure,
    start: &'a [Column],
    /// The column whose best order is found by dynamic programming once all others are fixed.
    last: usize,
    /// For every other column its orders, with the cost of its ring, cheapest first.
    choices: Vec<Vec<(f64, Vec<Rectangle>)>>,
    /// A lower bound of the cost of each column's ring.
    least_ring: Vec<f64>,
    /// The best arrangement if it is better than everything before.
    best: Option<Vec<Column>>,
    least: f64,
}

pub(super) fn search(
    measure: &Measure,
    start: &Arrangement,
    max_work: f64,
    run: &mut Run,
) -> Result<Arrangement, NotApplicable> {
    let columns = start.columns();
    let Amount { work, arrangements } = amount(measure, columns, max_work);
    if work > max_work {
        return Err(too_many(arrangements));
    }
    let mut best = (total_cost(measure, columns), columns.to_vec());
    improve(measure, columns, &mut best, run);
    Ok(Arrangement::new(best.1).expect("equal rectangles exchanged tile as before"))
}

/// How many arrangements there are, and the work.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amount {
    /// Steps.
    pub work: f64,
    /// How many arrangements there are.
    pub arrangements: f64,
}

/// The amount of all orders of these columns, with equal rectangles exchanged in every way;
/// counting ends beyond `max_work`.
pub(super) fn amount(measure: &Measure, columns: &[Column], max_work: f64) -> Amount {
    let mut amount = Amount::default();
    for_each_dealing(measure, columns, |dealt| {
        let size = Size::of(measure, dealt);
        amount.work += size.work;
        amount.arrangements += size.arrangements;
        amount.work <= max_work
    });
    amount
}

/// Searches all of them for one that costs less than `best`.
pub(super) fn improve(
    measure: &Measure,
    columns: &[Column],
    best: &mut (f64, Vec<Column>),
    run: &mut Run,
) {
    for_each_dealing(measure, columns, |dealt| {
        let mut search = Search::new(measure, dealt, best.0);
        search.run(run);
        if let Some(found) = search.best {
            *best = (search.least, found);
        }
        !run.was_cut_short()
    });
}

/// The amount of work once the content of each column is fixed.
struct Size {
    /// The column with the most orders.
    last: usize,
    /// How many arrangements there are.
    arrangements: f64,
    /// The steps to examine them; infinite if there are too many for one column.
    work: f64,
}

impl Size {
    fn of(measure: &Measure, columns: &[Column]) -> Size {
        let cluster = |r: &Rectangle| measure.cluster_of()[r.processor as usize];
        let orders_of: Vec<f64> = columns
            .iter()
            .map(|column| {
                let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
                for rectangle in &column.rectangles {
                    *counts.entry((cluster(rectangle), rectangle.height)).or_default() += 1;
                }
                orders(counts.into_values())
            })
            .collect();
        let last = (0..columns.len())
            .max_by(|&a, &b| orders_of[a].total_cmp(&orders_of[b]))
            .expect("an arrangement has columns");
        // A round trip may start anywhere: it starts with the column after the last one.
        let turning = columns.len() - usize::from(measure.ring != Ring::Open);
        let column_orders = orders((0..turning).map(|_| 1));
        let others: f64 = (0..columns.len()).filter(|&c| c != last).map(|c| orders_of[c]).product();
        let kept = (0..columns.len()).filter(|&c| c != last).all(|c| orders_of[c] <= MAX_ORDERS);
        let work = Sequence::of_rectangles(measure, &columns[last], None).exact_work();
        let work = match work.filter(|_| kept) {
            Some(work) => column_orders * others * (work as f64 + 100.0),
            None => f64::INFINITY,
        };
        Size { last, arrangements: column_orders * others * orders_of[last], work }
    }
}

fn in_order(column: &Column, order: &[usize]) -> Vec<Rectangle> {
    order.iter().map(|&unit| column.rectangles[unit]).collect()
}

/// All orders of a column's rectangles that differ for a measure, those with the cheapest ring
/// first.
fn distinct_orders(measure: &Measure, column: &Column) -> Vec<(f64, Vec<Rectangle>)> {
    fn extend(
        left: &mut Vec<(u32, u32, Vec<Rectangle>)>,
        order: &mut Vec<Rectangle>,
        see: &mut impl FnMut(&[Rectangle]),
    ) {
        let mut end = true;
        for class in 0..left.len() {
            let Some(rectangle) = left[class].2.pop() else { continue };
            end = false;
            order.push(rectangle);
            extend(left, order, see);
            order.pop();
            left[class].2.push(rectangle);
        }
        if end {
            see(order);
        }
    }
    let mut left: Vec<(u32, u32, Vec<Rectangle>)> = Vec::new();
    for &rectangle in &column.rectangles {
        let cluster = measure.cluster_of()[rectangle.processor as usize];
        let same = left.iter_mut().find(|(c, h, _)| (*c, *h) == (cluster, rectangle.height));
        match same {
            Some((.., rectangles)) => rectangles.push(rectangle),
            None => left.push((cluster, rectangle.height, vec![rectangle])),
        }
    }
    let mut found = Vec::new();
    let mut tried = column.clone();
    extend(&mut left, &mut Vec::new(), &mut |order| {
        tried.rectangles.copy_from_slice(order);
        found.push((vertical_cost(measure, &tried), order.to_vec()));
    });
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

impl<'a> Search<'a> {
    /// All orders of these columns and in them that cost less than `least`.
    fn new(measure: &'a Measure, columns: &'a [Column], least: f64) -> Self {
        let last = Size::of(measure, columns).last;
        let mut search = Search {
            measure,
            start: columns,
            last,
            choices: Vec::new(),
            least_ring: Vec::new(),
            best: None,
            least,
        };
        for (number, column) in columns.iter().enumerate() {
            let sequence = Sequence::of_rectangles(measure, column, None);
            let mut cheapest = column.clone();
            cheapest.rectangles = in_order(column, &sequence.best_order(u64::MAX).units);
            search.least_ring.push(vertical_cost(measure, &cheapest));
            let choices =
                if number == last { Vec::new() } else { distinct_orders(measure, column) };
            search.choices.push(choices);
        }
        search
    }

    fn run(&mut self, run: &mut Run) {
        if !gains(self.least_ring.iter().sum(), self.least) {
            return;
        }
        let mut order: Vec<usize> = (0..self.start.len()).filter(|&c| c != self.last).collect();
        if self.measure.ring == Ring::Open {
            order.push(self.last);
        }
        self.every_order(&mut order, 0, run);
    }

    /// Every order of columns that begins like the first `fixed` of `order`.
    fn every_order(&mut self, order: &mut [usize], fixed: usize, run: &mut Run) {
        if fixed == order.len() {
            let mut order = order.to_vec();
            if order.len() < self.start.len() {
                order.push(self.last);
            }
            let mut columns: Vec<Column> = order.iter().map(|&c| self.start[c].clone()).collect();
            let rings = order.iter().map(|&column| self.least_ring[column]).sum();
            self.every_choice(&order, 0, rings, &mut columns, run);
            return;
        }
        for next in fixed..order.len() {
            if fixed == 0 {
                run.progress("first columns", next as u64, order.len() as u64);
                run.found(self.least);
            }
            order.swap(fixed, next);
            self.every_order(order, fixed + 1, run);
            order.swap(fixed, next);
        }
    }

    /// Every order inside columns, of which those before `at` are fixed; `rings` is a lower bound
    /// of the cost of all rings.
    fn every_choice(
        &mut self,
        order: &[usize],
        at: usize,
        rings: f64,
        columns: &mut Vec<Column>,
        run: &mut Run,
    ) {
        if at == order.len() {
            self.settle_last(order, rings, columns, run);
            return;
        }
        if order[at] == self.last {
            return self.every_choice(order, at + 1, rings, columns, run);
        }
        for choice in 0..self.choices[order[at]].len() {
            let (ring, rectangles) = &self.choices[order[at]][choice];
            let rings = rings - self.least_ring[order[at]] + ring;
            if !gains(rings, self.least) {
                // Later ones have more expensive rings.
                return;
            }
            columns[at].rectangles.copy_from_slice(rectangles);
            let bound = rings + self.rows_so_far(order, at, &columns[..=at]);
            if !run.spend(1) {
                return;
            }
            if gains(bound, self.least) {
                self.every_choice(order, at + 1, rings, columns, run);
            }
        }
    }

    /// A lower bound of the cost of rows between the fixed columns.
    fn rows_so_far(&self, order: &[usize], at: usize, columns: &[Column]) -> f64 {
        let mut cost = 0.0;
        let spares = self.measure.ring == Ring::AllButCheapest;
        for_each_stretch(self.measure.cluster_of(), columns.iter(), |top, bottom, row| {
            let (mut sum, mut cheapest) = (0.0, f64::INFINITY);
            for right in 1..=at {
                if order[right] != self.last && order[right - 1] != self.last {
                    let link = self.measure.horizontal_link(row[right - 1], row[right]);
                    sum += link;
                    cheapest = cheapest.min(link);
                }
            }
            // The cost of a ring without its cheapest link never falls when links are added.
            let spared = if spares && cheapest.is_finite() { cheapest } else { 0.0 };
            cost += f64::from(bottom - top) * (sum - spared);
        });
        cost
    }

    /// The best order of the last column, with all others given.
    fn settle_last(&mut self, order: &[usize], rings: f64, columns: &mut [Column], run: &mut Run) {
        let Some(at) = order.iter().position(|&column| column == self.last) else { return };
        let rows = RowCosts::through(self.measure, columns, at);
        let height = columns[at].rectangles.iter().map(|rectangle| rectangle.height).sum();
        let mut others = 0.0;
        for_each_stretch(self.measure.cluster_of(), columns.iter(), |top, bottom, row| {
            let links = (1..row.len()).filter(|&right| right != at && right != at + 1);
            let sum: f64 =
                links.map(|right| self.measure.horizontal_link(row[right - 1], row[right])).sum();
            others += f64::from(bottom - top) * sum;
        });
        // With the last column at the end, the link that closes the ring touches it.
        if !gains(others + rings + rows.least_between(0, height), self.least) {
            return;
        }
        let found =
            Sequence::of_rectangles(self.measure, &columns[at], Some(&rows)).best_order(u64::MAX);
        columns[at].rectangles = in_order(&columns[at], &found.units);
        let cost = total_cost(self.measure, columns);
        if gains(cost, self.least) {
            self.least = cost;
            self.best = Some(columns.to_vec());
        }
        run.spend(found.work);
    }
}
