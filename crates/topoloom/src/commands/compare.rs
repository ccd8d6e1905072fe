//! `topoloom compare`: several strategies, best first.

use topoloom::core::objective::HopBytes;
use topoloom::core::{Objective, STRATEGIES, parse_strategy, score};
use topoloom::io::{ComparisonRecord, NotApplicableRecord, ScoreRecord, comparison_csv};

use super::score::headline;
use super::search::Searches;
use crate::cli::CompareArguments;
use crate::inputs::load_problem;
use crate::output::numbers::{duration, grouped, percent};
use crate::output::record::{record, search_record};
use crate::output::table::numbers_table;
use crate::output::{print, print_json, warn};
use crate::spec_list::split_list;

/// A strategy's place in the table.
struct Row {
    cost: f64,
    record: ScoreRecord,
}

pub fn run(arguments: CompareArguments) -> anyhow::Result<()> {
    let searches = Searches::new(arguments.search)?;
    let problem = load_problem(&arguments.problem)?;
    let specs = strategies(&arguments.strategies);
    // Every name is read before the first strategy runs.
    let parsed: Vec<_> = specs
        .iter()
        .map(|spec| parse_strategy(spec).map(|strategy| (spec, strategy)))
        .collect::<Result<_, _>>()?;
    let mut rows: Vec<Row> = Vec::new();
    let mut not_applicable = Vec::new();
    let objective = searches.objective.as_deref().unwrap_or(&HopBytes);
    for (spec, strategy) in parsed {
        if searches.interrupt.happened() {
            warn(&format!("interrupted: {spec} and what follows it were not run"));
            break;
        }
        match searches.run_strategy(spec, strategy.as_ref(), &problem) {
            Ok(found) => {
                let score = score(&problem, &found.mapping);
                let mut record = record(&problem, &arguments.problem.traffic, &score);
                record.search =
                    Some(search_record(spec, found.objective, found.seconds, &found.run));
                rows.push(Row { cost: objective.cost(&problem, &found.mapping), record });
            }
            Err(reason) => not_applicable
                .push(NotApplicableRecord { strategy: spec.clone(), not_applicable: reason.0 }),
        }
    }
    // Stable: of equal ones the first in the list stays first.
    rows.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    if arguments.json || arguments.csv {
        let scored = rows.into_iter().map(|row| ComparisonRecord::Scored(Box::new(row.record)));
        let others = not_applicable.into_iter().map(ComparisonRecord::NotApplicable);
        let records: Vec<ComparisonRecord> = scored.chain(others).collect();
        if arguments.json {
            print_json(&records);
        } else {
            print(&comparison_csv(&records));
        }
        return Ok(());
    }
    print(&show(&rows, objective, &not_applicable));
    Ok(())
}

fn strategies(texts: &[String]) -> Vec<String> {
    let known = |name: &str| STRATEGIES.entries.iter().any(|entry| entry.name == name);
    let mut specs = Vec::new();
    for spec in split_list(texts, |word| word == "all" || known(word)) {
        if spec == "all" {
            specs.extend(STRATEGIES.entries.iter().map(|entry| entry.name.to_string()));
        } else {
            specs.push(spec);
        }
    }
    specs
}

fn show(rows: &[Row], objective: &dyn Objective, not_applicable: &[NotApplicableRecord]) -> String {
    let mut text = String::new();
    if let Some(row) = rows.first() {
        text.push_str(&headline(&row.record));
        text.push_str(&table(rows, objective));
        let bound = grouped(row.record.lower_bound);
        text.push_str(&format!("\n lower bound of hop-bytes: {bound}"));
        let seed = row.record.search.as_ref().map_or(0, |search| search.seed);
        text.push_str(&format!("; sorted by {}; seed {seed}\n", objective.name()));
    }
    for other in not_applicable {
        text.push_str(&format!(" {}: not applicable: {}\n", other.strategy, other.not_applicable));
    }
    for search in rows.iter().filter_map(|row| row.record.search.as_ref()) {
        let short = shortened(&search.strategy);
        if short != search.strategy {
            text.push_str(&format!(" {short} {}\n", search.strategy));
        }
        for note in &search.notes {
            text.push_str(&format!(" {note}\n"));
        }
        if !search.complete {
            text.push_str(&format!(" {}*: cut short by a limit\n", search.strategy));
        }
    }
    text
}

/// The longest name that leaves room for the numbers in 100 columns.
const LONGEST_NAME: usize = 16;

/// A name that fits its column; the whole one stands below the table.
fn shortened(strategy: &str) -> String {
    if strategy.chars().count() <= LONGEST_NAME {
        return strategy.to_string();
    }
    let start: String = strategy.chars().take(LONGEST_NAME - 1).collect();
    format!("{start}…")
}

fn table(rows: &[Row], objective: &dyn Objective) -> String {
    // Hop-bytes, dilation and load have columns of their own; another objective gets one too.
    let has_column = objective.name() == HopBytes.name();
    let mut header = vec!["strategy"];
    if !has_column {
        header.push(objective.name());
    }
    header.extend(["hop-bytes", "dilation", "max", "busiest link", "links", "above bound", "time"]);
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let record = &row.record;
            let (mut strategy, mut time) = (String::new(), String::new());
            if let Some(search) = &record.search {
                let mark = if search.complete { "" } else { "*" };
                strategy = format!("{}{mark}", shortened(&search.strategy));
                time = duration(search.seconds);
            }
            let mut cells = vec![strategy];
            if !has_column {
                cells.push(grouped(row.cost));
            }
            let optional = |value: Option<f64>| value.map_or("-".to_string(), grouped);
            cells.extend([
                grouped(record.hop_bytes),
                format!("{:.2}", record.average_dilation),
                record.max_dilation.to_string(),
                optional(record.links.max_link_load),
                optional(record.links.links_used.map(|used| used as f64)),
                record.gap.map_or("-".to_string(), percent),
                time,
            ]);
            cells
        })
        .collect();
    numbers_table(&header, &cells)
}
