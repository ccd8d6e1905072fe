//! How much each rank sends to each other rank, in the order of ranks and in the order of their
//! places.

use topoloom_core::insight::Matrix;

use super::content::Report;
use super::data::OrderedMatrix;
use super::html::{Cell, Section, csv_button, details, note, paragraph, row, table};
use crate::figure::matrix::{MOST_CELLS, positions_by_slot};
use crate::numbers::{amount, bytes, grouped, plural, plural_amount};

/// The number of pairs of ranks in the table.
const HEAVIEST: usize = 20;

/// The matrix as it is, and with ranks in the order of their slots under the chosen placement.
pub fn orders(report: &Report<'_>) -> Vec<OrderedMatrix> {
    let (traffic, weight) = (report.problem.traffic(), report.problem.weight());
    let mut orders = vec![OrderedMatrix {
        name: "by rank".to_string(),
        axis: "rank",
        matrix: Matrix::of(traffic, weight, MOST_CELLS),
    }];
    let position_of = positions_by_slot(report.chosen().mapping.slots());
    if !position_of.is_sorted() {
        orders.push(OrderedMatrix {
            name: format!("by place under {}", report.chosen().name),
            axis: "place",
            matrix: Matrix::ordered(traffic, weight, MOST_CELLS, &position_of),
        });
    }
    orders
}

/// The section.
pub fn section(report: &Report<'_>, orders: &[OrderedMatrix]) -> Section {
    let traffic = report.problem.traffic();
    let mut body = paragraph(&format!(
        "{} in {}, between {} of {}.",
        bytes(traffic.total(topoloom_core::Weight::Bytes)),
        plural_amount(traffic.total(topoloom_core::Weight::Messages), "message"),
        plural(traffic.num_flows(), "ordered pair"),
        plural(traffic.num_ranks(), "rank"),
    ));
    if let Some(words) = &report.collectives {
        body.push_str(&paragraph(words));
    }
    if !report.structure.is_empty() {
        body.push_str(&paragraph(&format!("Recognised as: {}.", report.structure.join("; "))));
    }
    let ranks_per_cell = orders.first().map_or(1, |order| order.matrix.ranks_per_cell);
    body.push_str("<div id=\"matrix-view\"></div>\n");
    body.push_str(&paragraph(match orders.len() {
        1 => {
            "A dot is what a sender (its row) sends a receiver (its column). The chosen placement \
             keeps the order of ranks, so there is only one picture."
        }
        _ => {
            "A dot is what a sender (its row) sends a receiver (its column). On the right, ranks \
             are in the order of their places: dots near the diagonal are near along the first \
             dimension or in the smallest group, and bands beside it are neighbours along other \
             dimensions or in other groups."
        }
    }));
    if ranks_per_cell > 1 {
        body.push_str(&note(&format!(
            "There are too many ranks for one dot per pair: a dot is what {ranks_per_cell} ranks \
             send {ranks_per_cell} others."
        )));
    }
    let numbers = heaviest_pairs(report)
        + &csv_button("data-of=\"matrix\"", "matrix.csv")
        + &csv_button("data-of=\"matrix-by-place\"", "matrix-by-place.csv");
    body.push_str(&details("The heaviest pairs, and all cells as CSV", &numbers));
    Section { id: "traffic", name: "Traffic", heading: "Who talks to whom".to_string(), body }
}

/// The pairs that exchange most, and where they are placed.
fn heaviest_pairs(report: &Report<'_>) -> String {
    let problem = report.problem;
    let mut pairs: Vec<(u32, u32, f64)> = problem.graph().pairs().collect();
    let heavier = |a: &(u32, u32, f64), b: &(u32, u32, f64)| {
        b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1)))
    };
    if pairs.len() > HEAVIEST {
        pairs.select_nth_unstable_by(HEAVIEST, heavier);
        pairs.truncate(HEAVIEST);
    }
    pairs.sort_by(heavier);
    let distance = |mapping: &topoloom_core::Mapping, a: u32, b: u32| {
        let [a, b] = [a, b].map(|rank| mapping.node_of(topoloom_core::Rank(rank)));
        problem.machine().topology().distance(a, b)
    };
    let rows: Vec<_> = pairs
        .iter()
        .map(|&(a, b, weight)| {
            let [before, after] = [report.default(), report.chosen()]
                .map(|placed| f64::from(distance(&placed.mapping, a, b)));
            row(vec![
                Cell::number(f64::from(a), a.to_string()),
                Cell::number(f64::from(b), b.to_string()),
                Cell::number(weight, amount(problem.weight(), weight)),
                Cell::number(before, grouped(before)),
                Cell::number(after, grouped(after)),
            ])
        })
        .collect();
    let header = ["rank", "and rank", "exchange", "distance by default", "distance as chosen"];
    table("heaviest-pairs", "The heaviest pairs of ranks, both directions together", &header, &rows)
}
