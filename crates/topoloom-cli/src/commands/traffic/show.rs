//! `topoloom traffic show`: a summary of traffic on one screen.

use std::path::Path;

use topoloom::core::insight::{
    CollectiveUse, Insight, Matrix, SizeClass, SizeHistogram, by_operation,
};
use topoloom::core::{CollectiveMode, Weight};
use topoloom::show::figure::Frame;
use topoloom::show::figure::matrix::{self, Labels, MOST_CELLS};

use super::arguments::ShowArguments;
use super::short::{and_more, shortened};
use super::shown::Shown;
use super::{groups, json, recording, times};
use crate::files::read_recording;
use crate::inputs::{load_traffic_as_it_is, names_a_recording};
use crate::output::numbers::{bytes, grouped, percent, plural, plural_amount};
use crate::output::picture::{PictureFormat, write};
use crate::output::structure::{finding_in_words, parts_in_words};
use crate::output::table::{facts_table, numbers_table};
use crate::output::{inform, print, print_json};

/// The lines of a screen that tables share.
const LINES_OF_TABLES: usize = 20;

pub fn run(arguments: &ShowArguments) -> anyhow::Result<()> {
    let plotted = match &arguments.plot {
        Some(path) => Some((path, PictureFormat::of(path)?)),
        None => None,
    };
    let name = &arguments.traffic;
    let recording = match names_a_recording(name) {
        true => Some(read_recording(Path::new(name))?),
        false => None,
    };
    let whole = match &recording {
        Some(recording) => recording.traffic(),
        None => load_traffic_as_it_is(name, arguments.weight)?,
    };
    let step = whole.step().cloned();
    let operations = by_operation(whole.collectives());
    let point_to_point_bytes = whole.total(Weight::Bytes);
    let traffic = match arguments.collectives {
        CollectiveMode::None => whole,
        mode => whole.with_collectives(mode)?,
    };
    let mut insight = Insight::of(&traffic, arguments.weight);
    if let Some(classes) = recording.as_ref().and_then(recording::size_classes)
        && arguments.collectives == CollectiveMode::None
    {
        insight.sizes = SizeHistogram::exact(classes);
    }
    if let Some((path, format)) = plotted {
        let matrix = Matrix::of(&traffic, arguments.weight, MOST_CELLS);
        let (ranks, weight) = (traffic.num_ranks(), arguments.weight);
        let labels = Labels { name, ranks, weight, axis: "rank" };
        write(&matrix::matrix(Frame::WIDE, &matrix, &labels), format, None, path)?;
        inform(&format!("{}: the matrix as a picture", path.display()));
    }
    let mode = arguments.collectives;
    let shown = Shown { name, mode, insight, point_to_point_bytes, operations, recording, step };
    if arguments.json {
        print_json(&json::record(&shown));
    } else {
        print(&screen(&shown));
    }
    Ok(())
}

/// At most 40 lines of 100 columns.
fn screen(shown: &Shown<'_>) -> String {
    let mut facts: Vec<(&str, String)> = vec![("traffic", shortened(shown.name, 80))];
    if let Some(recording) = &shown.recording {
        facts.extend(recording::facts(recording));
    }
    facts.extend(structure(shown));
    facts.extend(amounts(shown));
    if let Some(step) = &shown.step {
        facts.extend(groups::facts(step));
    }
    let mut text = facts_table(&facts);
    let collectives = match &shown.recording {
        Some(recording) if !recording.collectives.is_empty() => recording.collectives.len(),
        _ => shown.operations.len(),
    };
    let in_mpi = shown.recording.as_ref().and_then(|recording| recording.times.as_ref());
    let timed = in_mpi.map_or(0, times::num_rows);
    // The lines that facts need beyond the usual number, and the head of one more table.
    let taken = text.lines().count().saturating_sub(12) + if timed > 0 { 3 } else { 0 };
    let heaviest = shown.insight.balance.ranks.len().max(shown.insight.balance.pairs.len());
    let wanted = [shown.insight.sizes.classes.len(), collectives, heaviest.min(5), timed];
    let [sizes, collectives, heaviest, timed] =
        rows_of_tables(wanted, LINES_OF_TABLES.saturating_sub(taken));
    if let Some(in_mpi) = in_mpi.filter(|_| timed > 0) {
        text.push_str(&times::table(in_mpi, timed));
    }
    text.push_str(&sizes_table(&shown.insight.sizes, sizes));
    match &shown.recording {
        Some(recording) if !recording.collectives.is_empty() => {
            text.push_str(&recording::collectives_table(recording, collectives));
        }
        _ => text.push_str(&operations_table(&shown.operations, collectives)),
    }
    text.push_str(&heaviest_table(&shown.insight, heaviest));
    text
}

/// How many rows each table gets, by the number that each wants: at least 2 each, then one more
/// each in turn.
fn rows_of_tables<const N: usize>(wanted: [usize; N], lines: usize) -> [usize; N] {
    let mut rows = wanted.map(|wanted| wanted.min(2));
    let mut left = lines.saturating_sub(rows.iter().sum());
    while left > 0 && (0..N).any(|table| rows[table] < wanted[table]) {
        for table in 0..N {
            if left > 0 && rows[table] < wanted[table] {
                rows[table] += 1;
                left -= 1;
            }
        }
    }
    rows
}

fn structure(shown: &Shown<'_>) -> Vec<(&'static str, String)> {
    let found = &shown.insight.structure;
    let unit = shown.insight.weight;
    if found.findings.is_empty() {
        let text = match (found.is_silent, shown.operations.is_empty()) {
            (false, _) => format!("irregular{}", parts_in_words(found.parts)),
            (true, true) => format!("no {unit} between different ranks"),
            (true, false) => {
                "only collectives; give --collectives direct or algorithm for their messages"
                    .to_string()
            }
        };
        return vec![("structure", text)];
    }
    let mut facts = Vec::new();
    for (number, finding) in found.findings.iter().enumerate() {
        let name = if number == 0 { "structure" } else { "  and" };
        facts.push((name, finding_in_words(finding, found.ranks, unit)));
    }
    let of_collectives = shown.share_of_collectives();
    if shown.mode == CollectiveMode::None && of_collectives > 0.5 {
        let share = percent(of_collectives);
        let text = format!("without collectives, which move {share} of all: see --collectives");
        facts.push(("", text));
    }
    if found.outside > 0.0005 {
        facts.push(("  outside", format!("{} of {unit}", percent(found.outside))));
    }
    facts
}

fn amounts(shown: &Shown<'_>) -> Vec<(&'static str, String)> {
    let insight = &shown.insight;
    let totals = &insight.totals;
    let count = |number: usize| grouped(number as f64);
    let mut facts = Vec::new();
    let idle = match (totals.send_nothing, totals.receive_nothing) {
        (0, 0) => String::new(),
        (sending, receiving) => {
            let verb = |count: usize, verb: &str| match count {
                1 => format!("1 {verb}s nothing"),
                _ => format!("{} {verb} nothing", grouped(count as f64)),
            };
            format!("; {}, {}", verb(sending, "send"), verb(receiving, "receive"))
        }
    };
    facts.push(("ranks", format!("{}{idle}", count(totals.ranks))));
    facts.push((
        "messages",
        format!(
            "{} with {} ({}) in {}",
            grouped(totals.messages),
            bytes(totals.bytes),
            plural_amount(totals.bytes, "byte"),
            plural(totals.pairs, "ordered pair")
        ),
    ));
    if totals.self_senders > 0 {
        let text = format!(
            "{} of these messages with {}, by {}",
            grouped(totals.self_messages),
            bytes(totals.self_bytes),
            plural(totals.self_senders, "rank")
        );
        facts.push(("  to itself", text));
    }
    if !shown.operations.is_empty() {
        let moved = shown.moved();
        let about = if moved.is_exact { "" } else { "about " };
        let text = format!(
            "{about}{} as direct messages: {} of all bytes, beside {} point to point",
            bytes(moved.bytes),
            percent(shown.share_of_collectives()),
            bytes(shown.point_to_point_bytes)
        );
        facts.push(("collectives", text));
    }
    let degree = &insight.degree;
    let text = format!("{} to {}, {:.1} on average", degree.fewest, degree.most, degree.mean);
    facts.push(("partners", text));
    let symmetry = if insight.symmetry.exact {
        "exactly symmetric".to_string()
    } else {
        format!(
            "{} of {} are returned; {} are in pairs with equal directions",
            percent(insight.symmetry.returned),
            insight.weight,
            percent(insight.symmetry.balanced)
        )
    };
    facts.push(("symmetry", symmetry));
    let text = format!("the busiest rank has {:.2} times the mean", insight.balance.imbalance);
    facts.push(("balance", text));
    facts
}

fn sizes_table(sizes: &SizeHistogram, most: usize) -> String {
    let Some(mean) = sizes.mean() else { return String::new() };
    let all: f64 = sizes.classes.iter().map(|class| class.messages).sum();
    let all_bytes: f64 = sizes.classes.iter().map(|class| class.bytes).sum();
    let share = |part: f64, all: f64| if all > 0.0 { percent(part / all) } else { "-".to_string() };
    let together = sizes.classes.len().div_ceil(most.max(1)).max(1);
    let row = |classes: &[SizeClass]| {
        let messages: f64 = classes.iter().map(|class| class.messages).sum();
        let carried: f64 = classes.iter().map(|class| class.bytes).sum();
        let (first, last) = (classes[0].bounds().0, classes[classes.len() - 1].bounds().1);
        vec![
            if first == last {
                grouped(first)
            } else {
                format!("{} - {}", grouped(first), grouped(last))
            },
            grouped(messages),
            share(messages, all),
            bytes(carried),
            share(carried, all_bytes),
        ]
    };
    let rows: Vec<Vec<String>> = sizes.classes.chunks(together).map(row).collect();
    let how = if sizes.is_exact { "as recorded" } else { "by the mean of each pair" };
    let title = format!("\n  message sizes, {how}; {} on average:\n", bytes(mean));
    title + &numbers_table(&["bytes", "messages", "share", "in all", "share"], &rows)
}

fn operations_table(operations: &[CollectiveUse], most: usize) -> String {
    if operations.is_empty() {
        return String::new();
    }
    let row = |operation: &CollectiveUse| {
        let (fewest, largest) = operation.members;
        let members = match fewest == largest {
            true => grouped(f64::from(fewest)),
            false => format!("{} - {}", grouped(f64::from(fewest)), grouped(f64::from(largest))),
        };
        let calls = grouped(operation.calls as f64);
        let about = if operation.moved.is_exact { "" } else { "~" };
        let moved = format!("{about}{}", bytes(operation.moved.bytes));
        vec![operation.name.to_string(), calls, members, grouped(operation.moved.messages), moved]
    };
    let rows: Vec<Vec<String>> = operations.iter().take(most).map(row).collect();
    let header = ["collective", "calls", "members", "direct messages", "bytes"];
    format!("\n{}{}", numbers_table(&header, &rows), and_more(operations.len(), most))
}

fn heaviest_table(insight: &Insight, most: usize) -> String {
    let balance = &insight.balance;
    if balance.pairs.is_empty() {
        return String::new();
    }
    let amount = |value: f64| match insight.weight {
        Weight::Bytes => bytes(value),
        Weight::Messages => grouped(value),
    };
    let others = match insight.weight {
        Weight::Bytes => insight.totals.bytes - insight.totals.self_bytes,
        Weight::Messages => insight.totals.messages - insight.totals.self_messages,
    };
    let row = |place: usize| {
        let rank = balance.ranks.get(place).map(|rank| {
            let sums = [amount(rank.sent), amount(rank.received), percent(rank.share)];
            [vec![rank.rank.to_string()], sums.to_vec()].concat()
        });
        let pair = balance.pairs.get(place).map(|pair| {
            let weight = pair.weight(insight.weight);
            let name = format!("{} -> {}", pair.from, pair.to);
            vec![name, amount(weight), percent(weight / others)]
        });
        [rank.unwrap_or(vec![String::new(); 4]), pair.unwrap_or(vec![String::new(); 3])].concat()
    };
    let rows: Vec<Vec<String>> = (0..most).map(row).collect();
    let header = ["busiest ranks", "send", "receive", "share", "heaviest pairs", "", "share"];
    format!("\n{}", numbers_table(&header, &rows))
}
