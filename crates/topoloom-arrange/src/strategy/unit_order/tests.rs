use topoloom_core::random::{below, stream};

use super::*;
use crate::arrangement::{Arrangement, Column};
use crate::measure::{Measure, Ring};
use crate::strategy::cases::{close, columns, for_each_order, measures, platform};
use crate::strategy::row_costs::{RowCosts, total_cost};

/// Each rectangle as its own unit, with the whole column as their ring.
fn singles<'a>(
    measure: &'a Measure,
    columns: &[Column],
    at: usize,
    rows: Option<&'a RowCosts>,
    ring: bool,
) -> Sequence<'a> {
    let mut sequence = Sequence::of_rectangles(measure, &columns[at], rows);
    sequence.chain = sequence.chain.filter(|_| ring);
    sequence
}

fn clusters_of(measure: &Measure, column: &Column) -> Vec<u32> {
    column.rectangles.iter().map(|r| measure.cluster_of()[r.processor as usize]).collect()
}

fn reordered(columns: &[Column], at: usize, order: &[usize]) -> Vec<Column> {
    let mut columns = columns.to_vec();
    columns[at].rectangles = order.iter().map(|&unit| columns[at].rectangles[unit]).collect();
    columns
}

#[test]
fn costs_by_stretches_are_those_of_the_definition() {
    for case in 0..200 {
        let mut rng = stream(1, &[case]);
        let sizes: Vec<usize> =
            (0..1 + case % 4).map(|_| 1 + below(&mut rng, 5) as usize).collect();
        let total: usize = sizes.iter().sum();
        let platform = platform(&mut rng, &[total - total / 2, total / 2], case as usize % 3);
        let columns = columns(&mut rng, &sizes);
        let arrangement = Arrangement::new(columns.clone()).unwrap();
        for measure in measures(&platform) {
            let cost = measure.cost(&arrangement).total();
            assert!(close(cost, total_cost(&measure, &columns)), "case {case} {measure:?}");
        }
    }
}

#[test]
fn the_best_order_of_rectangles_is_that_of_plain_enumeration() {
    for case in 0..300 {
        let mut rng = stream(2, &[case]);
        let number = 1 + case as usize % 4;
        let sizes: Vec<usize> = (0..number).map(|_| 1 + below(&mut rng, 6) as usize).collect();
        let total: usize = sizes.iter().sum();
        let parts = [total - total / 3 - total / 4, total / 3, total / 4];
        let platform = platform(&mut rng, &parts, case as usize % 3);
        let columns = columns(&mut rng, &sizes);
        let at = below(&mut rng, number as u32) as usize;
        for measure in measures(&platform) {
            let rows = RowCosts::new(&measure, &columns, at, &clusters_of(&measure, &columns[at]));
            let mut least = (f64::INFINITY, f64::INFINITY);
            let mut items: Vec<usize> = (0..sizes[at]).collect();
            for_each_order(&mut items, 0, &mut |order| {
                let arrangement = Arrangement::new(reordered(&columns, at, order)).unwrap();
                let cost = measure.cost(&arrangement);
                least = (least.0.min(cost.total()), least.1.min(cost.horizontal));
            });
            let both = singles(&measure, &columns, at, Some(&rows), true).best_order(u64::MAX);
            assert!(both.exact);
            let found = Arrangement::new(reordered(&columns, at, &both.units)).unwrap();
            assert!(close(measure.cost(&found).total(), least.0), "case {case} {measure:?}");
            let rows_only =
                singles(&measure, &columns, at, Some(&rows), false).best_order(u64::MAX);
            let found = Arrangement::new(reordered(&columns, at, &rows_only.units)).unwrap();
            assert!(close(measure.cost(&found).horizontal, least.1), "case {case} {measure:?}");
        }
    }
}

#[test]
fn units_between_fixed_rectangles_are_ordered_as_by_plain_enumeration() {
    for case in 0..200 {
        let mut rng = stream(3, &[case]);
        let total = 6 + case as usize % 3;
        let platform = platform(&mut rng, &[total - 3, 2, 1, 3], case as usize % 3);
        let columns = columns(&mut rng, &[total, 3]);
        let (from, to) = (case as usize % 3, total - 1 - case as usize % 2);
        for measure in measures(&platform) {
            let clusters = clusters_of(&measure, &columns[0]);
            let rows = RowCosts::new(&measure, &columns, 0, &clusters);
            let closed = measure.ring != Ring::Open;
            let whole = to - from == total;
            let others: Vec<u32> = (to..total + from).map(|at| clusters[at % total]).collect();
            let sequence = Sequence {
                units: (from..to)
                    .map(|at| vec![(clusters[at], columns[0].rectangles[at].height)])
                    .collect(),
                top: columns[0].rectangles[..from].iter().map(|r| r.height).sum(),
                rows: Some(&rows),
                chain: Some(Chain {
                    measure: &measure,
                    width: columns[0].width,
                    before: (!whole && (closed || from > 0))
                        .then(|| clusters[(from + total - 1) % total]),
                    after: (!whole && (closed || to < total)).then(|| clusters[to % total]),
                    whole,
                    cheapest_elsewhere: others
                        .windows(2)
                        .map(|pair| measure.vertical_link(pair[0], pair[1]))
                        .fold(f64::INFINITY, f64::min),
                }),
            };
            let mut least = f64::INFINITY;
            let mut items: Vec<usize> = (from..to).collect();
            let whole_order = |order: &[usize]| {
                let order: Vec<usize> =
                    (0..from).chain(order.iter().copied()).chain(to..total).collect();
                reordered(&columns, 0, &order)
            };
            for_each_order(&mut items, 0, &mut |order| {
                least = least.min(total_cost(&measure, &whole_order(order)));
            });
            let found = sequence.best_order(u64::MAX);
            let order: Vec<usize> = found.units.iter().map(|unit| unit + from).collect();
            let cost = total_cost(&measure, &whole_order(&order));
            assert!(found.exact && close(cost, least), "case {case} {measure:?}: {cost} {least}");
        }
    }
}

#[test]
fn search_beyond_the_exact_one_is_good_and_never_worse_than_the_start() {
    let mut worst: f64 = 1.0;
    for case in 0..60 {
        let mut rng = stream(4, &[case]);
        let platform = platform(&mut rng, &[4, 4, 4], 0);
        let columns = columns(&mut rng, &[8, 4]);
        for measure in measures(&platform) {
            let rows = RowCosts::new(&measure, &columns, 0, &clusters_of(&measure, &columns[0]));
            let sequence = singles(&measure, &columns, 0, Some(&rows), true);
            let cost = |order: &Order| total_cost(&measure, &reordered(&columns, 0, &order.units));
            let best = cost(&sequence.best_order(u64::MAX));
            let beam = sequence.best_order(500);
            let descent = sequence.best_or_better_order(8, 500);
            let start = total_cost(&measure, &columns);
            assert!(cost(&descent) <= start * (1.0 + 1e-9), "case {case} {measure:?}");
            assert!(cost(&beam) >= best * (1.0 - 1e-9), "case {case} {measure:?}");
            worst = worst.max(cost(&beam) / best);
        }
    }
    assert!(worst < 1.05, "{worst}");
}

#[test]
fn the_cost_as_given_differs_from_the_total_by_what_no_order_changes() {
    let mut rng = stream(5, &[]);
    let platform = platform(&mut rng, &[4, 3, 3], 2);
    let columns = columns(&mut rng, &[5, 5]);
    for measure in measures(&platform) {
        let rows = RowCosts::new(&measure, &columns, 0, &clusters_of(&measure, &columns[0]));
        let difference = |order: &[usize]| {
            let columns = reordered(&columns, 0, order);
            let given = singles(&measure, &columns, 0, Some(&rows), true).cost_as_given();
            total_cost(&measure, &columns) - given
        };
        let same = difference(&[0, 1, 2, 3, 4]);
        for_each_order(&mut [0, 1, 2, 3, 4], 0, &mut |order| {
            assert!((difference(order) - same).abs() < 1e-6, "{measure:?} {order:?}");
        });
    }
}

#[test]
fn twelve_clusters_in_a_column_are_ordered_exactly_with_few_steps() {
    let mut rng = stream(6, &[]);
    let platform = platform(&mut rng, &[4; 12], 0);
    let columns = columns(&mut rng, &[12, 12, 12, 12]);
    let mut columns = columns;
    // One of each cluster in the first column: columns that hold its processors get others instead.
    for number in 0..12_u32 {
        let wanted = number * 4;
        let holder = columns
            .iter()
            .enumerate()
            .find_map(|(c, column)| {
                column.rectangles.iter().position(|r| r.processor == wanted).map(|at| (c, at))
            })
            .unwrap();
        let other = columns[0].rectangles[number as usize].processor;
        columns[holder.0].rectangles[holder.1].processor = other;
        columns[0].rectangles[number as usize].processor = wanted;
    }
    let measure = Measure::bandwidth(&platform, 512.0);
    let rows = RowCosts::new(&measure, &columns, 0, &clusters_of(&measure, &columns[0]));
    let found = singles(&measure, &columns, 0, Some(&rows), true).best_order(3_000_000);
    // 12 first units, 2^12 / 2 sets, 12 x 12 pairs, 8 at once: not 479 million orders.
    assert!(found.exact && found.work < 450_000, "{}", found.work);
}
