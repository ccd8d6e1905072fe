//! Arrangements as people and programs see them.

use serde_json::{Value, json};
use topoloom::arrange::application::Application;
use topoloom::arrange::{Arrangement, Form, imbalance};
use topoloom::core::NotApplicable;
use topoloom::core::traffic::patterns::Mpdata;

use super::plan::Plan;
use super::search::Found;
use crate::output::numbers::{duration, grouped, percent, plural, precise};
use crate::output::table::{numbers_table, wrapped};

/// The results in order; the first is the arrangement as it was partitioned.
pub struct Shown<'a> {
    pub plan: &'a Plan,
    pub found: &'a [Found],
    pub refused: &'a [(String, NotApplicable)],
}

impl Shown<'_> {
    pub fn text(&self) -> String {
        let Plan { platform, measures, start, .. } = self.plan;
        let mut text = format!(
            "{}: {} on {}\n{}\n\n",
            platform.name(),
            plural(platform.num_processors(), "processor"),
            plural(platform.clusters().len(), "cluster"),
            wrapped(&self.what(start), "  ")
        );
        let measure = &measures[0];
        let unarranged = self.found[0].costs[0].total();
        let rows: Vec<Vec<String>> =
            self.found.iter().map(|found| self.row(found, unarranged)).collect();
        let mut header = vec!["", measure.kind(), measure.names.0, measure.names.1, "less"];
        header.extend(measures[1..].iter().map(|measure| measure.kind()));
        header.extend(["shape", "found in"]);
        text += &numbers_table(&header, &rows);
        for (name, reason) in self.refused {
            text +=
                &format!("{}\n", wrapped(&format!(" {name} is not applicable: {reason}"), "   "));
        }
        for found in self.found {
            for note in &found.notes {
                text += &format!("{}\n", wrapped(&format!(" {}: {note}", found.strategy), "   "));
            }
        }
        text
    }

    /// What is arranged, in a sentence.
    fn what(&self, start: &Arrangement) -> String {
        match self.plan.application {
            Application::Summa(summa) => {
                format!(
                    "{n} x {n} blocks of {block} x {block} in {}, pivots by {flow}; half-perimeters add up to {} blocks; \
                     the last processor takes {} longer than in perfect balance",
                    plural(start.columns().len(), "column"),
                    grouped(half_perimeters(start) as f64),
                    percent(imbalance(&self.plan.platform, start) - 1.0),
                    n = start.height(),
                    block = summa.block,
                    flow = summa.flow,
                )
            }
            Application::Mpdata(Mpdata { domain: [rows, columns, layers], ihalo, .. }) => {
                let late = imbalance(&self.plan.platform, start) - 1.0;
                let balance = match self.plan.form {
                    // Equal processors with equal parts are in balance.
                    Form::Grids(_) if late < 1e-9 => String::new(),
                    _ => format!(
                        "; the last processor takes {} longer than in perfect balance",
                        percent(late)
                    ),
                };
                format!(
                    "a domain of {rows} x {columns} x {layers}, halo {ihalo}, in {}{balance}",
                    self.part_sizes()
                )
            }
        }
    }

    fn part_sizes(&self) -> &'static str {
        match self.plan.form {
            Form::Parts(_) => "parts in proportion to speeds",
            _ => "equal parts",
        }
    }

    fn row(&self, found: &Found, unarranged: f64) -> Vec<String> {
        let cost = &found.costs[0];
        let name = match found.strategy.as_str() {
            "none" => "as partitioned",
            name => name,
        };
        let less = if unarranged > 0.0 { 1.0 - cost.total() / unarranged } else { 0.0 };
        let mut row = vec![
            name.to_string(),
            precise(cost.total()),
            precise(cost.horizontal),
            precise(cost.vertical),
            percent(less),
        ];
        row.extend(found.costs[1..].iter().map(|cost| precise(cost.total())));
        row.push(shape(&found.arrangement));
        row.push(duration(found.seconds));
        row
    }

    pub fn json(&self) -> Value {
        let Plan { platform, application, start, .. } = self.plan;
        let arrangements: Vec<Value> = self.found.iter().map(|found| self.record(found)).collect();
        let refused: Vec<Value> = self
            .refused
            .iter()
            .map(|(name, reason)| json!({"strategy": name, "reason": reason.to_string()}))
            .collect();
        let mut record = json!({
            "platform": platform.name(),
            "processors": platform.num_processors(),
            "clusters": platform.clusters().len(),
            "measure": self.plan.measures[0].name,
            "arrangements": arrangements,
            "not_applicable": refused,
        });
        match application {
            Application::Summa(summa) => {
                record["application"] = json!("summa");
                record["blocks"] = json!(start.height());
                record["block"] = json!(summa.block);
                record["flow"] = json!(summa.flow.to_string());
                record["half_perimeters"] = json!(half_perimeters(start));
                record["imbalance"] = json!(imbalance(platform, start));
            }
            Application::Mpdata(mpdata) => {
                record["application"] = json!("mpdata");
                record["domain"] = json!(mpdata.domain);
                record["halo"] = json!(mpdata.ihalo);
                let by_speed = matches!(self.plan.form, Form::Parts(_));
                record["parts"] = json!(if by_speed { "by-speed" } else { "equal" });
                record["imbalance"] = json!(imbalance(platform, start));
            }
        }
        record
    }

    fn record(&self, found: &Found) -> Value {
        let costs: Vec<Value> = self
            .plan
            .measures
            .iter()
            .zip(&found.costs)
            .map(|(measure, cost)| {
                json!({
                    "measure": measure.name,
                    "total": cost.total(),
                    measure.names.0: cost.horizontal,
                    measure.names.1: cost.vertical,
                })
            })
            .collect();
        let columns: Vec<Value> = found
            .arrangement
            .columns()
            .iter()
            .map(|column| {
                let rectangles: Vec<Value> = column
                    .rectangles
                    .iter()
                    .map(|rectangle| json!([rectangle.processor, rectangle.height]))
                    .collect();
                json!({"width": column.width, "rectangles": rectangles})
            })
            .collect();
        json!({
            "strategy": found.strategy,
            "costs": costs,
            "columns": columns,
            "seconds": found.seconds,
            "cut_short": found.cut_short,
            "notes": found.notes,
        })
    }
}

/// Rows and columns of a grid, or the number of columns.
pub fn shape(arrangement: &Arrangement) -> String {
    let columns = arrangement.columns();
    let rows = columns[0].rectangles.len();
    if columns.iter().all(|column| column.rectangles.len() == rows) {
        format!("{rows}x{}", columns.len())
    } else {
        plural(columns.len(), "column")
    }
}

/// The sum over all rectangles, in blocks: an iteration sends an amount in proportion to it.
fn half_perimeters(arrangement: &Arrangement) -> u64 {
    let of_column = |column: &topoloom::arrange::Column| {
        let heights: u64 = column.rectangles.iter().map(|r| u64::from(r.height)).sum();
        heights + u64::from(column.width) * column.rectangles.len() as u64
    };
    arrangement.columns().iter().map(of_column).sum()
}
