//! For groups in groups: the traffic that stays inside a cache, a socket, a node, a switch.

use topoloom_core::LevelWeight;

use super::content::Report;
use super::html::{Cell, Section, chart, paragraph, row, table};
use crate::figure::levels::{Levels, Placement, levels};
use crate::figure::{Frame, Unit};
use crate::numbers::{amount, percent};

/// The section, for machines that have levels.
pub fn section(report: &Report<'_>) -> Option<Section> {
    let mut shown = vec![report.default()];
    if !report.keeps_default() {
        shown.push(report.chosen());
    }
    let of_each: Vec<(&str, &[LevelWeight])> = shown
        .iter()
        .map(|placed| Some((placed.name.as_str(), placed.score.levels.as_deref()?)))
        .collect::<Option<_>>()?;
    let weight = report.problem.weight();
    let names = names(of_each[0].1);
    let input = Levels {
        unit: Unit::from(weight),
        levels: names.clone(),
        placements: of_each
            .iter()
            .map(|(name, levels)| Placement {
                name: name.to_string(),
                amounts: levels.iter().map(|level| level.weight).collect(),
            })
            .collect(),
    };
    let mut rows = Vec::new();
    for (placement, levels) in &of_each {
        let total: f64 = levels.iter().map(|level| level.weight).sum();
        for (name, level) in names.iter().zip(*levels) {
            let share = if total > 0.0 { level.weight / total } else { 0.0 };
            rows.push(row(vec![
                Cell::words(*placement),
                Cell::words(name),
                Cell::number(f64::from(level.distance), level.distance.to_string()),
                Cell::number(level.weight, amount(weight, level.weight)),
                Cell::number(share, percent(share)),
            ]));
        }
    }
    let header = ["placement", "level", "distance", "amount", "share"];
    let numbers = table("levels-table", "What travels through which level", &header, &rows);
    let mut body = paragraph(
        "The machine consists of groups in groups. What two ranks exchange counts for the smallest \
         group that holds both: the further left it is shown, the nearer it stays.",
    );
    body.push_str(&chart(
        "levels-chart",
        "How much stays in the smallest group that holds both ends.",
        |width| levels(Frame { width }, &input),
        &numbers,
    ));
    let heading = "How near it stays".to_string();
    Some(Section { id: "levels", name: "Levels", heading, body })
}

/// The names of levels; names that occur several times include the distance.
fn names(levels: &[LevelWeight]) -> Vec<String> {
    let several = |name: &str| levels.iter().filter(|level| level.name == name).count() > 1;
    let name = |level: &LevelWeight| match several(&level.name) {
        true => format!("{} at {}", level.name, level.distance),
        false => level.name.clone(),
    };
    levels.iter().map(name).collect()
}
