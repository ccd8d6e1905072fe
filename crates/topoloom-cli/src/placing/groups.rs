//! What a placement does to the groups of a training job, for people and programs.

use topoloom::core::objective::GroupBytes;
use topoloom::core::{KindSurvey, Mapping, Objective, Problem, survey_groups};
use topoloom::io::{GroupLevelRecord, GroupRecord, ScoreRecord};

use crate::output::numbers::{bytes, duration};
use crate::output::table::{numbers_table, wrapped};

/// Adds what a placement does to the groups of a training job, and what that costs.
pub fn add(record: &mut ScoreRecord, problem: &Problem, mapping: &Mapping) {
    record.groups = records(problem, mapping);
    record.group_bytes = record.groups.as_ref().map(|_| GroupBytes.cost(problem, mapping));
}

/// What a placement does to the groups of the problem's traffic; none if it has no groups.
pub fn records(problem: &Problem, mapping: &Mapping) -> Option<Vec<GroupRecord>> {
    let record = |kind: KindSurvey| GroupRecord {
        name: kind.name,
        groups: kind.groups,
        size: kind.size,
        weight: kind.weight,
        bytes: kind.bytes,
        levels: kind
            .levels
            .into_iter()
            .map(|level| GroupLevelRecord { name: level.name, bytes: level.bytes, cut: level.cut })
            .collect(),
        spread: kind.spread,
        estimated_seconds: kind.seconds,
        busiest_link: kind
            .busiest
            .and_then(|(link, _)| problem.machine().topology().link_name(link)),
    };
    Some(survey_groups(problem, mapping)?.into_iter().map(record).collect())
}

/// The most columns of levels: inner ones are joined if there are more.
const MOST_LEVELS: usize = 4;

/// Bytes by level, kind by kind, with those of another placement below if there is one.
pub fn table(after: &[GroupRecord], before: Option<(&str, &[GroupRecord])>) -> String {
    let Some(first) = after.first() else { return String::new() };
    // Levels that nothing crosses are left out.
    let crossed = |place: usize| {
        let all = after.iter().chain(before.iter().flat_map(|(_, records)| records.iter()));
        all.into_iter().any(|record| record.levels[place].bytes > 0.0)
    };
    let mut shown: Vec<usize> = (0..first.levels.len()).filter(|&place| crossed(place)).collect();
    let hidden = shown.len().saturating_sub(MOST_LEVELS);
    let inner: Vec<usize> = shown.drain(..hidden).collect();
    let mut header: Vec<String> = vec!["".into(), "groups".into()];
    if !inner.is_empty() {
        header.push("inside".into());
    }
    header.extend(shown.iter().map(|&place| first.levels[place].name.clone()));
    // The innermost level of the network, and the one above it.
    let network = first.levels.iter().position(|level| level.name == "node").map_or(0, |at| at + 1);
    let above = network + 1;
    let leaving = (above < first.levels.len()).then(|| (&first.levels[network].name, above));
    let cut = leaving.map_or("cut".to_string(), |(name, _)| format!("leave {name}"));
    header.extend([cut, "spread".into(), "estimate".into()]);
    let row = |name: String, record: &GroupRecord| {
        let mut row = vec![name, format!("{} of {}", record.groups, record.size)];
        let sum = |places: &[usize]| places.iter().map(|&place| record.levels[place].bytes).sum();
        if !inner.is_empty() {
            row.push(shown_bytes(sum(&inner)));
        }
        row.extend(shown.iter().map(|&place| shown_bytes(record.levels[place].bytes)));
        row.push(
            leaving.map_or("-".to_string(), |(_, place)| record.levels[place].cut.to_string()),
        );
        row.push(record.spread.to_string());
        row.push(
            record.estimated_seconds.filter(|&time| time > 0.0).map_or("-".to_string(), duration),
        );
        row
    };
    let mut rows = Vec::new();
    for record in after {
        rows.push(row(record.name.clone(), record));
        let old = before.and_then(|(name, records)| {
            Some((name, records.iter().find(|old| old.name == record.name)?))
        });
        if let Some((name, old)) = old {
            rows.push(row(format!("  {name}"), old));
        }
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let leave = match leaving {
        Some((name, _)) => format!("leave {name}: groups with members in several of them; "),
        None => String::new(),
    };
    let note = format!(
        "{leave}spread: the most parts just below the highest level that one group is in; estimate: \
         bytes of the busiest link between hosts by its bandwidth, if only this kind used it. Bytes \
         of gradients (dp-cp, expert-dp) count by their weight, because they are partly hidden \
         behind the backward pass."
    );
    format!(
        "\nwhat groups send in a step, by the smallest part of the machine that holds both \
         ends:\n\n{}\n{}\n",
        numbers_table(&header, &rows),
        wrapped(&note, " ")
    )
}

fn shown_bytes(amount: f64) -> String {
    if amount == 0.0 { "-".to_string() } else { bytes(amount) }
}
