use topoloom_core::random::stream;

use super::*;
use crate::arrangement::Arrangement;
use crate::strategy::cases::{close, columns, for_each_order, measures, platform};

fn in_order(columns: &[Column], order: &[usize]) -> Arrangement {
    Arrangement::new(order.iter().map(|&number| columns[number].clone()).collect()).unwrap()
}

#[test]
fn the_best_order_of_columns_is_that_of_plain_enumeration() {
    for case in 0..250 {
        let mut rng = stream(11, &[case]);
        let number = 1 + case as usize % 7;
        let sizes: Vec<usize> = (0..number).map(|at| 1 + (at + case as usize) % 4).collect();
        let total: usize = sizes.iter().sum();
        let parts = [total - total / 3 - total / 4, total / 3, total / 4];
        let platform = platform(&mut rng, &parts, case as usize % 3);
        let columns = columns(&mut rng, &sizes);
        for measure in measures(&platform) {
            let mut least = f64::INFINITY;
            let mut items: Vec<usize> = (0..number).collect();
            for_each_order(&mut items, 0, &mut |order| {
                least = least.min(measure.cost(&in_order(&columns, order)).total());
            });
            let found = best_order(&measure, &columns, 10_000_000);
            let cost = measure.cost(&in_order(&columns, &found.columns)).total();
            assert!(found.exact && close(cost, least), "case {case} {measure:?}: {cost} {least}");
        }
    }
}

#[test]
fn the_cost_of_an_order_is_that_of_the_definition() {
    let mut rng = stream(12, &[]);
    let platform = platform(&mut rng, &[6, 5, 4], 2);
    let columns = columns(&mut rng, &[3, 4, 3, 5]);
    for measure in measures(&platform) {
        let known = Columns::new(&measure, &columns);
        for_each_order(&mut [0, 1, 2, 3], 0, &mut |order| {
            let cost = measure.cost(&in_order(&columns, order)).horizontal;
            assert!(close(known.cost(order), cost), "{measure:?} {order:?}");
        });
    }
}

#[test]
fn many_columns_are_searched_and_said_not_to_be_proven() {
    let mut rng = stream(13, &[]);
    let platform = platform(&mut rng, &[20, 20, 20], 0);
    let columns = columns(&mut rng, &[3; 20]);
    let given: Vec<usize> = (0..20).collect();
    for measure in measures(&platform) {
        let found = best_order(&measure, &columns, 10_000_000);
        let cost = |order: &[usize]| measure.cost(&in_order(&columns, order)).total();
        assert!(!found.exact && cost(&found.columns) < cost(&given), "{measure:?}");
    }
}

#[test]
fn a_search_cut_short_still_gives_every_column_once() {
    let mut rng = stream(14, &[]);
    let platform = platform(&mut rng, &[9, 9, 9], 0);
    let columns = columns(&mut rng, &[3; 9]);
    for measure in measures(&platform) {
        let mut found = best_order(&measure, &columns, 10).columns;
        found.sort_unstable();
        assert_eq!(found, (0..9).collect::<Vec<_>>());
    }
}
