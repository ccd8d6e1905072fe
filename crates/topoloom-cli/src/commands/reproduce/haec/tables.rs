//! The published numbers: tables A.1 to A.3 and 4.1 of the HAEC thesis.

use std::sync::LazyLock;

use super::super::published::{Row, Sheet};

/// The file with the numbers.
pub const FILE: &str = include_str!("../../../../data/published/haec.csv");

/// One row of the tables A.1 to A.3 and its time in table 4.1: messages on the links used, as
/// total, average, minimum and maximum, and seconds. `None` if the thesis has no number.
pub struct Published {
    pub strategy: &'static str,
    pub total: Option<f64>,
    pub average: Option<f64>,
    pub minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub seconds: Option<f64>,
}

/// One benchmark on one machine.
pub struct PublishedTable {
    pub table: &'static str,
    pub benchmark: &'static str,
    pub traffic: &'static str,
    pub machine: &'static str,
    pub rows: Vec<Published>,
}

/// In the order of the thesis.
pub static TABLES: LazyLock<Vec<PublishedTable>> = LazyLock::new(|| {
    let sheet = Sheet::read(FILE);
    let mut tables: Vec<PublishedTable> = Vec::new();
    for row in sheet.rows() {
        let (benchmark, machine) = (row.text("benchmark"), row.text("machine"));
        match tables.last_mut() {
            Some(last) if last.benchmark == benchmark && last.machine == machine => {
                last.rows.push(published(&row));
            }
            _ => tables.push(PublishedTable {
                table: row.text("table"),
                benchmark,
                traffic: row.text("traffic"),
                machine,
                rows: vec![published(&row)],
            }),
        }
    }
    tables
});

fn published(row: &Row<'_>) -> Published {
    Published {
        strategy: row.text("strategy"),
        total: row.optional("total"),
        average: row.optional("average"),
        minimum: row.optional("minimum"),
        maximum: row.optional("maximum"),
        seconds: row.optional("seconds"),
    }
}
