//! The numbers that the thesis prints.

use super::super::published::{Sheet, number};

/// Bandwidths of tables 3.4 to 3.7.
pub const BANDWIDTHS: &str =
    include_str!("../../../../data/published/heterogeneous_bandwidths.csv");
/// Costs of all tables.
pub const COSTS: &str = include_str!("../../../../data/published/heterogeneous_costs.csv");
/// Arrangements of figures 3.6 to 3.8.
pub const ARRANGEMENTS: &str =
    include_str!("../../../../data/published/heterogeneous_arrangements.csv");
/// Tables 3.10 and 3.12.
pub const EXPERIMENTS: &str =
    include_str!("../../../../data/published/heterogeneous_experiments.csv");

/// One row of tables 3.4 to 3.7: blocks of width or height, and the bandwidths whose inverses are
/// added.
pub type Row = (u32, Vec<f64>);

/// One of tables 3.4 to 3.7.
pub struct CostTable {
    pub number: &'static str,
    pub rows: Vec<Row>,
    pub total: f64,
}

/// The table of this number.
pub fn cost_table(table: &'static str) -> CostTable {
    let sheet = Sheet::read(BANDWIDTHS);
    let rows = sheet
        .rows()
        .filter(|row| row.text("table") == table)
        .map(|row| {
            let bandwidths = row.text("bandwidths").split(' ').map(number);
            (row.number("blocks") as u32, bandwidths.collect())
        })
        .collect();
    CostTable { number: table, rows, total: cost(table, "total") }
}

/// A cost that a table prints.
pub fn cost(table: &str, what: &str) -> f64 {
    let sheet = Sheet::read(COSTS);
    sheet.find(&[table, what]).map_or(f64::NAN, |row| row.number("cost"))
}

/// A column of rectangles: its width, and (cluster, height) from top to bottom.
pub type ColumnOf = (u32, Vec<(u32, u32)>);

/// The arrangement of a figure.
pub fn arrangement_of(name: &str) -> Vec<ColumnOf> {
    let rectangle = |text: &str| {
        let (cluster, height) = text.split_once(':').unwrap_or((text, text));
        (number(cluster) as u32, number(height) as u32)
    };
    let sheet = Sheet::read(ARRANGEMENTS);
    sheet
        .rows()
        .filter(|row| row.text("arrangement") == name)
        .map(|row| {
            let rectangles = row.text("rectangles").split(' ').map(rectangle);
            (row.number("width") as u32, rectangles.collect())
        })
        .collect()
}

/// A row of tables 3.10 and 3.12.
pub struct Experiment {
    pub name: &'static str,
    pub strategy: &'static str,
    pub hops: f64,
    pub bandwidth: f64,
    /// Seconds with rings and with one-to-all.
    pub seconds: [f64; 2],
}

/// Table 3.10 or 3.12.
pub fn experiments(table: &str) -> Vec<Experiment> {
    let sheet = Sheet::read(EXPERIMENTS);
    sheet
        .rows()
        .filter(|row| row.text("table") == table)
        .map(|row| Experiment {
            name: row.text("name"),
            strategy: row.text("strategy"),
            hops: row.number("hops"),
            bandwidth: row.number("bandwidth"),
            seconds: ["ring", "one-to-all"].map(|column| row.number(column)),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_there() {
        let rows = ["3.4", "3.5", "3.6", "3.7"].map(|number| cost_table(number).rows.len());
        assert_eq!(rows, [4, 4, 11, 13]);
        for name in ["3.6 worst case", "3.7 optimal", "3.8 worst case", "3.8 optimal"] {
            assert!(arrangement_of(name).len() >= 3, "{name}");
        }
        assert_eq!(["3.10", "3.12"].map(|number| experiments(number).len()), [3, 3]);
        for row in Sheet::read(COSTS).rows() {
            assert!(cost(row.text("table"), row.text("what")) > 0.0);
        }
    }
}
