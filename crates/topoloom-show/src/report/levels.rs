//! For groups in groups: what stays inside a cache, a socket, a node, a switch.

use super::Report;
use super::html::{Cell, Section, paragraph, row, table};
use super::verdict::amount;
use crate::numbers::percent;

/// The section, for machines that have levels.
pub fn section(report: &Report<'_>) -> Option<Section> {
    let chosen = report.chosen().score.levels.as_ref()?;
    let default = report.default().score.levels.as_ref()?;
    let body = paragraph("levels");
    let _ = (chosen, default, amount, percent);
    let _ = (Cell::words(""), row, table);
    let heading = "How near it stays".to_string();
    Some(Section { id: "levels", name: "Levels", heading, body })
}
