//! What a new placement gains, level by level.

use std::path::Path;

use serde::Serialize;
use topoloom::core::cluster::{Costs, ObjectKind};
use topoloom::core::{LevelWeight, Score, Weight};

use super::super::verify::Verdict;
use crate::output::numbers::{bytes, grouped, percent};
use crate::output::table::numbers_table;

/// Two placements of one job.
pub struct Gain {
    pub present: Score,
    pub tuned: Score,
    pub weight: Weight,
    /// How the present one is known.
    pub how_present: String,
    /// Whether ranks share places now that need not.
    pub was_crowded: bool,
}

#[derive(Serialize)]
pub struct GainRecord {
    command: String,
    mapping: String,
    verified: bool,
    right: usize,
    /// Whether the present placement could not be bettered.
    kept: bool,
    cost_before: f64,
    cost: f64,
    levels: Vec<LevelRecord>,
}

#[derive(Serialize)]
struct LevelRecord {
    level: String,
    part: &'static str,
    cost: u32,
    before: f64,
    after: f64,
}

impl Gain {
    pub fn record(
        &self,
        command: &str,
        mapping: &Path,
        verified: &Verdict,
        kept: bool,
    ) -> GainRecord {
        GainRecord {
            command: command.to_string(),
            mapping: mapping.display().to_string(),
            verified: verified.is_right,
            right: verified.right,
            kept,
            cost_before: self.present.hop_bytes,
            cost: self.tuned.hop_bytes,
            levels: self
                .levels()
                .map(|(before, after)| LevelRecord {
                    level: before.name.clone(),
                    part: part(&before.name),
                    cost: before.distance,
                    before: before.weight,
                    after: after.weight,
                })
                .collect(),
        }
    }

    fn levels(&self) -> impl Iterator<Item = (&LevelWeight, &LevelWeight)> {
        let [before, after] =
            [&self.present, &self.tuned].map(|score| score.levels.iter().flatten());
        before.zip(after)
    }

    pub fn text(&self, command: &str, verified: &Verdict, kept: bool) -> String {
        let amount = |weight: f64| match self.weight {
            Weight::Bytes => bytes(weight),
            Weight::Messages => grouped(weight),
        };
        let change = |before: f64, after: f64| match before {
            before if before == after => "-".to_string(),
            0.0 => "new".to_string(),
            _ => format!("{:+.1} %", (after / before - 1.0) * 100.0),
        };
        let mut rows: Vec<Vec<String>> = self
            .levels()
            .map(|(before, after)| {
                vec![
                    before.name.clone(),
                    part(&before.name).to_string(),
                    before.distance.to_string(),
                    amount(before.weight),
                    amount(after.weight),
                    change(before.weight, after.weight),
                ]
            })
            .collect();
        let (before, after) = (self.present.hop_bytes, self.tuned.hop_bytes);
        rows.push(vec![
            "cost".to_string(),
            String::new(),
            String::new(),
            grouped(before),
            grouped(after),
            change(before, after),
        ]);
        let header = ["level", "part", "cost", "now", "tuned", "change"];
        let verdict = match (kept, before > 0.0) {
            (true, _) => "the present placement is as good as any that was found".to_string(),
            (false, true) if self.was_crowded => {
                let change = change(before, after);
                format!(
                    "predicted: communication costs {change}, and no more ranks share a place than need to"
                )
            }
            (false, true) => {
                format!("predicted: communication costs {} less", percent(1.0 - after / before))
            }
            (false, false) => "nothing to gain".to_string(),
        };
        format!(
            "\nwhat travels through which level ({}):\n\n{}\n{verdict}\n{}\n\n{command}\n",
            self.how_present,
            numbers_table(&header, &rows),
            verified.sentence
        )
    }
}

/// What people call a level.
fn part(level: &str) -> &'static str {
    if Costs::switch_level(level).is_some() {
        return "network";
    }
    match level.parse::<ObjectKind>() {
        Ok(ObjectKind::Core | ObjectKind::Thread) => "core",
        Ok(ObjectKind::L1 | ObjectKind::L2 | ObjectKind::L3 | ObjectKind::L4) => "cache",
        Ok(ObjectKind::Die | ObjectKind::Numa | ObjectKind::Package) => "socket",
        Ok(ObjectKind::Group | ObjectKind::Node) => "node",
        Ok(ObjectKind::Gpu) | Err(_) => "",
    }
}
