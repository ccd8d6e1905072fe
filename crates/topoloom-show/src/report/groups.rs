//! For training jobs: what each kind of group sends through which level, and where groups are.

use topoloom_core::{Mapping, survey_groups};

use super::content::Report;
use super::html::{Cell, Section, chart, note, paragraph, row, table};
use crate::figure::Frame;
use crate::figure::racks::{Racks, racks};
use crate::numbers::{bytes, duration};

/// The section, for traffic with groups.
pub fn section(report: &Report<'_>) -> Option<Section> {
    report.problem.traffic().step()?;
    let mut shown = vec![report.default()];
    if !report.keeps_default() {
        shown.push(report.chosen());
    }
    let mut rows = Vec::new();
    for placed in &shown {
        for kind in survey_groups(report.problem, &placed.mapping)? {
            let crossed = kind.levels.iter().filter(|level| level.bytes > 0.0);
            for level in crossed {
                let seconds = kind.seconds.filter(|&time| time > 0.0);
                rows.push(row(vec![
                    Cell::words(placed.name.as_str()),
                    Cell::words(&kind.name),
                    Cell::words(format!("{} of {}", kind.groups, kind.size)),
                    Cell::words(&level.name),
                    Cell::number(level.bytes, bytes(level.bytes)),
                    Cell::number(level.cut as f64, level.cut.to_string()),
                    Cell::number(kind.spread as f64, kind.spread.to_string()),
                    Cell::number(seconds.unwrap_or(0.0), seconds.map_or("-".to_string(), duration)),
                ]));
            }
        }
    }
    let header =
        ["placement", "kind", "groups", "level", "bytes", "groups cut", "spread", "estimate"];
    let numbers = table("groups-table", "What groups send in a step", &header, &rows);
    let mut body = paragraph(
        "Ranks of a training job work together in groups. Bytes count for the smallest part of the \
         machine that holds both ends. A group is cut at a level if its members are in several parts \
         below it; the spread is the most parts just below the outermost level that one group is in.",
    );
    let named: Vec<(&str, &Mapping)> =
        shown.iter().map(|placed| (&placed.name[..], &placed.mapping)).collect();
    match Racks::of(report.problem, &report.traffic, None, &named) {
        Some(input) => body.push_str(&chart(
            "groups-chart",
            "Where groups are: the kind that sends most between hosts.",
            |width| racks(Frame { width }, &input),
            &numbers,
        )),
        None => body.push_str(&numbers),
    }
    body.push_str(&note(
        "The estimate is the time of the busiest link between hosts, its bytes by its bandwidth, if \
         only this kind used it. Gradients (dp-cp, expert-dp) are partly hidden behind the backward \
         pass.",
    ));
    let heading = "What groups send".to_string();
    Some(Section { id: "groups", name: "Groups", heading, body })
}
