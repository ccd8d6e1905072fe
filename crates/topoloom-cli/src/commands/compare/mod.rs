//! `topoloom compare`: several strategies, best first.

pub mod arguments;
mod repeats;

use std::path::Path;

use anyhow::bail;
use topoloom::core::objective::HopBytes;
use topoloom::core::{NotApplicable, Objective, Problem, Strategy, score_within};
use topoloom::io::{ComparisonRecord, NotApplicableRecord, ScoreRecord, comparison_csv};

use self::arguments::CompareArguments;
use self::repeats::Repeats;
use super::report::{self, Candidate, Gathered, Hosts, ReplayPlan, Told};
use crate::inputs::{CountedProblem, load_problem, present_placement};
use crate::output::numbers::{duration, grouped, percent, precise};
use crate::output::table::{numbers_table, wrapped};
use crate::output::{print, print_json, warn};
use crate::placing::baseline::{Baseline, ROUNDING, baselines, reference};
use crate::placing::from_file::strategy_or_file;
use crate::placing::record::{record, search_record};
use crate::placing::score_text::{NO_USEFUL_BOUND, bound_in_words, headline, shows_useless_bound};
use crate::placing::search::{Found, Searches};
use crate::placing::strategy_list::strategies;
use crate::placing::{costs, groups};
use crate::progress::numbered;

/// A strategy's place in the table.
struct Row {
    /// The cost of the best run.
    cost: f64,
    /// The same without the part that only decides between equals.
    shown_cost: f64,
    record: ScoreRecord,
    /// All runs.
    runs: Repeats,
    /// The time of all runs.
    seconds: f64,
    /// The best placement.
    candidate: Candidate,
}

impl Row {
    /// The mean of all runs, if there were several.
    fn mean_cost(&self) -> Option<f64> {
        self.record.repeats.as_ref().map(|repeats| repeats.mean)
    }

    /// The cost that rows are sorted by.
    fn usual_cost(&self) -> f64 {
        self.mean_cost().unwrap_or(self.cost)
    }
}

pub fn run(arguments: CompareArguments) -> anyhow::Result<()> {
    if let Some(path) = &arguments.html {
        report::check_output(path, &arguments.problem, std::iter::empty())?;
    }
    let searches = Searches::new(arguments.search.clone())?;
    let CountedProblem { problem, collectives } = load_problem(&arguments.problem)?;
    let costs = arguments.problem.costs()?;
    let searches = searches.suit(&problem, costs.as_ref());
    let specs = strategies(&arguments.strategy)?;
    // Every name is read before the first strategy runs.
    let parsed: Vec<_> = specs
        .iter()
        .map(|spec| strategy_or_file(spec, &problem).map(|strategy| (spec, strategy)))
        .collect::<Result<_, _>>()?;
    let mut rows: Vec<Row> = Vec::new();
    let mut not_applicable = Vec::new();
    let objective = searches.objective.as_deref().unwrap_or(&HopBytes);
    let count = parsed.len();
    let repeats = arguments.repeat.unwrap_or(1);
    let mut ahead = Ahead::of(&searches, &problem, parsed.iter().map(|(_, s)| s.as_ref()), repeats);
    for (number, (spec, strategy)) in parsed.iter().enumerate() {
        // Results of shared work are there, also after an interrupt.
        if ahead.is_none() && searches.interrupt.happened() {
            warn(&format!("interrupted: {spec} and the strategies after it were not run"));
            break;
        }
        let task = task(&numbered(spec, number, count), &rows);
        let one = |task: &str, seed| match &mut ahead {
            Some(ahead) => ahead.take(number, seed),
            None if seed != searches.seed() && searches.interrupt.happened() => None,
            None => Some(searches.run_with_seed(task, strategy.as_ref(), &problem, seed)),
        };
        match repeated(searches.seed(), &task, one, &problem, objective, repeats) {
            Ok(runs) => {
                let found = runs.best;
                // Not given up after Ctrl-C: the rows before this one would be lost.
                let mut rest = searches.rest_for_bounds(found.started);
                let score = score_within(&problem, &found.mapping, &mut rest);
                let traffic = &arguments.problem.traffic;
                let mut record = record(&problem, traffic, collectives.as_ref(), &score);
                record.search = Some(search_record(spec, &found));
                groups::add(&mut record, &problem, &found.mapping);
                costs::add(&mut record, &problem, &found.mapping, Some(objective), &costs)?;
                let cost = runs.cost;
                let shown_cost = objective.shown(&problem, &found.mapping, cost);
                let candidate = Candidate::found(spec, found);
                rows.push(Row {
                    cost,
                    shown_cost,
                    record,
                    runs: runs.repeats,
                    seconds: runs.seconds,
                    candidate,
                });
            }
            Err(reason) => not_applicable
                .push(NotApplicableRecord { strategy: spec.to_string(), not_applicable: reason.0 }),
        }
    }
    // Stable: among equals, the first in the list stays first.
    rows.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    if arguments.repeat.is_some() {
        sort_by_mean_and_test(&mut rows);
    }
    let present = present_placement(&arguments.problem.traffic, &problem)?;
    let baselines = baselines(&problem, objective, present);
    let baseline = reference(&baselines);
    for row in &mut rows {
        row.record.gain = baseline.map(|baseline| baseline.record(row.usual_cost(), None));
    }
    let page = arguments.html.as_ref().map(|path| (path, gathered(&rows, &not_applicable)));
    if arguments.json || arguments.csv {
        let scored = rows.into_iter().map(|row| ComparisonRecord::Scored(Box::new(row.record)));
        let others = not_applicable.into_iter().map(ComparisonRecord::NotApplicable);
        let records: Vec<ComparisonRecord> = scored.chain(others).collect();
        if arguments.json {
            print_json(&records);
        } else {
            print(&comparison_csv(&records));
        }
    } else {
        print(&show(&rows, objective, baseline, &not_applicable));
    }
    match page {
        Some((path, gathered)) => {
            let told = Told {
                problem: &problem,
                arguments: &arguments.problem,
                collectives: collectives.as_ref(),
                search: &arguments.search,
                searches: &searches,
                objective,
                baseline,
                replay: &ReplayPlan::usual(&arguments.problem, &problem)?,
                hosts: &Hosts::unknown(),
                sorted_by_mean: arguments.repeat.is_some(),
                reproducible: arguments.reproducible,
            };
            write_report(&told, gathered, path)
        }
        None => Ok(()),
    }
}

/// The content of a report on the comparison: the placement of the first row is the chosen one.
fn gathered(rows: &[Row], not_applicable: &[NotApplicableRecord]) -> Gathered {
    Gathered {
        candidates: rows
            .iter()
            .map(|row| Candidate { mean_cost: row.mean_cost(), ..row.candidate.clone() })
            .collect(),
        chosen: rows.first().map(|row| row.candidate.name.clone()),
        looked_for_better: true,
        not_applicable: not_applicable
            .iter()
            .map(|other| (other.strategy.clone(), other.not_applicable.clone()))
            .collect(),
        remarks: Vec::new(),
    }
}

/// The comparison as a page.
fn write_report(told: &Told<'_>, gathered: Gathered, path: &Path) -> anyhow::Result<()> {
    if gathered.candidates.is_empty() {
        bail!("{}: not written, because there is no placement to show", path.display());
    }
    report::write(told, gathered, path)
}

/// The name of a search on the terminal, with the best row so far.
fn task(search: &str, rows: &[Row]) -> String {
    let best = rows.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
    match best {
        Some(Row { candidate, shown_cost, .. }) => {
            format!("{search}; best so far: {} {}", candidate.name, precise(*shown_cost))
        }
        None => search.to_string(),
    }
}

/// The results of all searches, if several processes have shared them.
struct Ahead {
    first_seed: u64,
    repeats: u32,
    /// Strategy by strategy, one for each seed.
    results: Vec<Option<Result<Found, NotApplicable>>>,
}

impl Ahead {
    fn of<'a>(
        searches: &Searches,
        problem: &Problem,
        strategies: impl Iterator<Item = &'a dyn Strategy>,
        repeats: u32,
    ) -> Option<Ahead> {
        let first_seed = searches.seed();
        let seed = move |repeat: u32| first_seed.wrapping_add(u64::from(repeat));
        let with_seeds = |strategy| (0..repeats).map(move |repeat| (strategy, seed(repeat)));
        let all: Vec<(&dyn Strategy, u64)> = strategies.flat_map(with_seeds).collect();
        let results = searches.run_shared(problem, &all)?;
        Some(Ahead { first_seed, repeats, results })
    }

    /// The result of a strategy with a seed.
    fn take(&mut self, strategy: usize, seed: u64) -> Option<Result<Found, NotApplicable>> {
        let place = strategy * self.repeats as usize + seed.wrapping_sub(self.first_seed) as usize;
        self.results[place].take()
    }
}

/// The result of a strategy with one or several seeds.
struct Runs {
    best: Found,
    /// The cost of the best run.
    cost: f64,
    repeats: Repeats,
    seconds: f64,
}

/// Runs a strategy with `repeats` seeds in a row, each by `one`; fewer if that has no more results
/// because of Ctrl-C.
fn repeated(
    first_seed: u64,
    task: &str,
    mut one: impl FnMut(&str, u64) -> Option<Result<Found, NotApplicable>>,
    problem: &Problem,
    objective: &dyn Objective,
    repeats: u32,
) -> Result<Runs, NotApplicable> {
    let not_tried = || NotApplicable("interrupted before it was tried".to_string());
    let found = one(task, first_seed).ok_or_else(not_tried)??;
    let cost = objective.cost(problem, &found.mapping);
    let repeats_so_far = Repeats::first(cost);
    let mut runs = Runs { seconds: found.seconds, best: found, cost, repeats: repeats_so_far };
    for repeat in 1..u64::from(repeats) {
        let seed = first_seed.wrapping_add(repeat);
        let task = format!("{task}; seed {} of {repeats}", repeat + 1);
        let Some(found) = one(&task, seed) else { break };
        let found = found?;
        let cost = objective.cost(problem, &found.mapping);
        let same = found.mapping.slots() == runs.best.mapping.slots();
        runs.repeats.add(cost, same);
        runs.seconds += found.seconds;
        // Among equal runs the first stays.
        if cost < runs.cost {
            (runs.cost, runs.best) = (cost, found);
        }
    }
    Ok(runs)
}

/// Sorts by mean cost, and tests each strategy against the first.
fn sort_by_mean_and_test(rows: &mut [Row]) {
    rows.sort_by(|a, b| a.runs.mean().total_cmp(&b.runs.mean()));
    let Some(first) = rows.first().map(|row| row.runs.clone()) else { return };
    for (position, row) in rows.iter_mut().enumerate() {
        row.record.repeats = row.runs.record((position > 0).then_some(&first));
    }
}

fn show(
    rows: &[Row],
    objective: &dyn Objective,
    baseline: Option<&Baseline>,
    not_applicable: &[NotApplicableRecord],
) -> String {
    let mut text = String::new();
    if let Some(row) = rows.first() {
        text.push_str(&headline(&row.record));
        let repeated = row.record.repeats.is_some();
        text.push_str(&if repeated { repeat_table(rows) } else { table(rows, objective) });
        let bound = match has_useless_bound(rows) {
            true => format!("{NO_USEFUL_BOUND}, only {}", bound_in_words(&row.record)),
            false => bound_in_words(&row.record),
        };
        text.push_str(&match row.record.only_costs {
            true => format!("\n costs: {}", row.record.traffic),
            false => format!("\n lower bound of hop-bytes: {bound}"),
        });
        let seed = row.record.search.as_ref().map_or(0, |search| search.seed);
        let name = objective.name();
        text.push_str(&match row.runs.len() {
            _ if row.record.repeats.is_none() => format!("; sorted by {name}; seed {seed}\n"),
            runs => {
                format!("\n {name} over {runs} runs per strategy, sorted by mean\n{EXPLANATION}")
            }
        });
        if let Some(baseline) = baseline {
            text.push_str(&format!(" {}\n", wrapped(&verdict(row, baseline), " ")));
        }
    }
    for other in not_applicable {
        let reason = format!("{} is not applicable: {}", other.strategy, other.not_applicable);
        text.push_str(&format!(" {}\n", wrapped(&reason, "   ")));
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

/// What the best row gains, in a sentence.
fn verdict(best: &Row, baseline: &Baseline) -> String {
    let against = format!("{} {}", best.candidate.name, baseline.against(best.usual_cost()));
    match baseline.is_beaten(best.usual_cost(), ROUNDING) {
        true => format!("{against}."),
        false if best.candidate.name == baseline.name => {
            format!("No better placement was found than {}.", baseline.in_words())
        }
        false => format!("No better placement was found: {against}."),
    }
}

/// The longest name that leaves room for the numbers in 100 columns.
const LONGEST_NAME: usize = 16;

/// A name that fits its column; the whole name is below the table.
fn shortened(strategy: &str) -> String {
    if strategy.chars().count() <= LONGEST_NAME {
        return strategy.to_string();
    }
    let start: String = strategy.chars().take(LONGEST_NAME - 1).collect();
    format!("{start}…")
}

/// What the last columns of repeated runs mean.
const EXPLANATION: &str = concat!(
    " p: Kruskal-Wallis test against the strategy with the least mean; differs: p below 0.05\n",
    " A strategy that gives the same placement with every seed has one number: the runs of the\n",
    " other are compared with it by a sign test, and two such numbers need no test.\n",
);

/// Whether the bound is too low to be of use for any of these placements.
fn has_useless_bound(rows: &[Row]) -> bool {
    rows.iter().any(|row| shows_useless_bound(&row.record))
}

fn repeat_table(rows: &[Row]) -> String {
    let header = ["strategy", "best", "mean", "deviation", "p", "differs", "time"];
    let cells: Vec<Vec<String>> = rows
        .iter()
        .filter_map(|row| Some((row, row.record.search.as_ref()?, row.record.repeats.as_ref()?)))
        .map(|(row, search, repeats)| {
            let mark = if search.complete { "" } else { "*" };
            let differs = repeats.significant.map(|differs| if differs { "yes" } else { "no" });
            vec![
                format!("{}{mark}", shortened(&search.strategy)),
                precise(repeats.best),
                precise(repeats.mean),
                precise(repeats.deviation),
                repeats.p_value.map_or("-".to_string(), probability),
                differs.unwrap_or("-").to_string(),
                duration(row.seconds),
            ]
        })
        .collect();
    numbers_table(&header, &cells)
}

/// Four digits, or a power of ten if that would be 0.
fn probability(p: f64) -> String {
    if p < 0.0001 && p > 0.0 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

fn table(rows: &[Row], objective: &dyn Objective) -> String {
    // Hop-bytes, dilation and load have their own columns; another objective gets one too.
    let has_column = objective.is_hop_bytes();
    let mut header = vec!["strategy"];
    if !has_column {
        header.push(objective.name());
    }
    let only_costs = rows.iter().any(|row| row.record.only_costs);
    if !only_costs {
        header.extend(["hop-bytes", "dilation", "max", "busiest link", "links", "above bound"]);
    }
    header.push("time");
    let is_useless = has_useless_bound(rows);
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
                cells.push(precise(row.shown_cost));
            }
            let optional = |value: Option<f64>| value.map_or("-".to_string(), grouped);
            if !only_costs {
                cells.extend([
                    grouped(record.hop_bytes),
                    format!("{:.2}", record.average_dilation),
                    record.max_dilation.to_string(),
                    optional(record.links.max_link_load),
                    optional(record.links.links_used.map(|used| used as f64)),
                    record.gap.filter(|_| !is_useless).map_or("-".to_string(), percent),
                ]);
            }
            cells.push(time);
            cells
        })
        .collect();
    numbers_table(&header, &cells)
}
