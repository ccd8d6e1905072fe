//! Our numbers beside those of the thesis.

use serde_json::{Value, json};

use crate::output::table::{numbers_table, wrapped};

/// One number, published and ours.
pub struct Line {
    pub table: &'static str,
    /// For people; figures use `drawn`.
    pub what: String,
    pub published: Option<f64>,
    pub ours: Option<f64>,
    /// Where figures show it, if they do.
    pub drawn: Option<Drawn>,
}

/// What a figure shows about an arrangement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// The name of the arrangement.
    pub arrangement: String,
    pub quantity: Quantity,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// A cost and its name.
    Cost(&'static str),
    /// Seconds with this flow, if links between clusters are shared.
    Seconds(&'static str),
}

impl Line {
    pub fn new(table: &'static str, what: impl Into<String>, published: f64, ours: f64) -> Line {
        Line { table, what: what.into(), published: Some(published), ours: Some(ours), drawn: None }
    }

    /// A line for which the thesis has no number.
    pub fn ours(table: &'static str, what: impl Into<String>, ours: f64) -> Line {
        Line { table, what: what.into(), published: None, ours: Some(ours), drawn: None }
    }

    pub fn json(&self) -> Value {
        json!({
            "table": self.table,
            "what": self.what,
            "published": self.published,
            "ours": self.ours,
        })
    }
}

/// A section: lines under a heading, and remarks about them.
pub struct Section {
    pub heading: String,
    pub lines: Vec<Line>,
    /// Another way to show the lines.
    pub text: Option<String>,
    pub remarks: Vec<String>,
}

impl Section {
    pub fn text(&self) -> String {
        let mut text = format!("\n{}\n\n", self.heading);
        text += &self.text.clone().unwrap_or_else(|| self.table());
        for remark in &self.remarks {
            text += &format!("{}\n", wrapped(remark, ""));
        }
        text
    }

    fn table(&self) -> String {
        let shown = |value: Option<f64>| value.map_or("-".to_string(), number);
        let rows: Vec<Vec<String>> = self
            .lines
            .iter()
            .map(|line| vec![line.what.clone(), shown(line.published), shown(line.ours)])
            .collect();
        numbers_table(&["", "published", "ours"], &rows)
    }

    pub fn json(&self) -> Vec<Value> {
        let mut records: Vec<Value> = self.lines.iter().map(Line::json).collect();
        records.extend(
            self.remarks.iter().map(|remark| json!({"heading": self.heading, "remark": remark})),
        );
        records
    }
}

/// Two decimals, as the thesis prints costs, but none for whole numbers.
fn number(value: f64) -> String {
    if value.fract() == 0.0 || value >= 1e5 { format!("{value:.0}") } else { format!("{value:.2}") }
}
