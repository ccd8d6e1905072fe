//! How long ranks were in MPI when the traffic was recorded.

use super::content::{CallTime, Report, TimeInMpi};
use super::html::{Cell, Section, chart, note, paragraph, row, table};
use crate::figure::Frame;
use crate::figure::waiting::{Waiting, in_mpi};
use crate::numbers::{duration, grouped, percent};

/// The most ranks whose times are in a table of the page.
const MOST_ROWS: usize = 4096;

/// The section, if the traffic was recorded with times.
pub fn section(report: &Report<'_>) -> Option<Section> {
    let times = report.times.as_ref()?;
    let wall: f64 = times.ranks.iter().flatten().map(|(wall, _)| wall).sum();
    let spent: f64 = times.ranks.iter().flatten().map(|(_, spent)| spent).sum();
    if wall <= 0.0 {
        return None;
    }
    let shares =
        || times.ranks.iter().flatten().filter(|(wall, _)| *wall > 0.0).map(|(w, s)| s / w);
    let mut body = paragraph(&format!(
        "When the traffic was recorded, {} of the time of all ranks was spent in MPI; per rank {} \
         to {}. A better placement can shorten only this part.",
        percent(spent / wall),
        percent(shares().fold(f64::INFINITY, f64::min)),
        percent(shares().fold(0.0, f64::max)),
    ));
    body.push_str(&calls_table(times, wall, spent));
    let drawn = [Waiting {
        name: "as recorded".to_string(),
        seconds: times.ranks.iter().map(|time| time.map_or(0.0, |(_, spent)| spent)).collect(),
    }];
    body.push_str(&chart(
        "time-in-mpi",
        "The time that each rank spent in MPI.",
        |width| in_mpi(Frame { width }, &drawn),
        &ranks_table(times),
    ));
    let heading = "The time that ranks spent in MPI".to_string();
    Some(Section { id: "times", name: "Time in MPI", heading, body })
}

fn calls_table(times: &TimeInMpi, wall: f64, spent: f64) -> String {
    let mut calls: Vec<&CallTime> = times.calls.iter().collect();
    calls.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let share = |part: f64, all: f64| Cell::optional((all > 0.0).then_some(part / all), percent);
    let rows: Vec<_> = calls
        .iter()
        .map(|call| {
            let mean = call.seconds / call.calls.max(1) as f64;
            row(vec![
                Cell::words(&call.call),
                Cell::words(call.partner),
                Cell::number(call.calls as f64, grouped(call.calls as f64)),
                Cell::number(call.seconds, duration(call.seconds)),
                Cell::number(mean, duration(mean)),
                share(call.seconds, wall),
                share(call.seconds, spent),
            ])
        })
        .collect();
    let header = ["call", "with", "calls", "in all", "a call", "of wall time", "of time in MPI"];
    table("time-in-calls", "Time in calls of MPI, all ranks together", &header, &rows)
}

/// A row for each rank, up to the limit of a page.
fn ranks_table(times: &TimeInMpi) -> String {
    let ranks = times.ranks.len();
    let rows: Vec<_> = times
        .ranks
        .iter()
        .take(MOST_ROWS)
        .enumerate()
        .map(|(rank, time)| {
            let share = time.filter(|(wall, _)| *wall > 0.0).map(|(wall, spent)| spent / wall);
            row(vec![
                Cell::number(rank as f64, rank.to_string()),
                Cell::optional(time.map(|(wall, _)| wall), duration),
                Cell::optional(time.map(|(_, spent)| spent), duration),
                Cell::optional(share, percent),
            ])
        })
        .collect();
    let header = ["rank", "wall time", "in MPI", "share"];
    let mut html = table("time-of-ranks", "The time that each rank spent in MPI", &header, &rows);
    if ranks > MOST_ROWS {
        html.push_str(&note(&format!(
            "Only the first {MOST_ROWS} of {ranks} ranks are in this table; the JSON of topoloom traffic show has all."
        )));
    }
    html
}
