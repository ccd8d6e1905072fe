//! The results of the jobs, for people and programs.

use serde_json::{Value, json};
use topoloom::schedule::{Interval, Measures};

use super::arguments::ScheduleArguments;
use super::experiment::Results;
use super::plan::{Plan, Row};
use crate::output::numbers::{grouped, percent, plural};
use crate::output::table::{facts_table, numbers_table, wrapped};

/// A number of a schedule: its name in JSON, and how to find it.
type Measure = (&'static str, fn(&Measures) -> f64);

const MEASURES: [Measure; 9] = [
    ("wait_seconds", |measures| measures.wait),
    ("longest_wait_seconds", |measures| measures.longest_wait),
    ("response_seconds", |measures| measures.response),
    ("bounded_slowdown", |measures| measures.bounded_slowdown),
    ("stretch", |measures| measures.stretch),
    ("utilisation", |measures| measures.utilisation),
    ("internal_fragmentation", |measures| measures.internal_fragmentation),
    ("external_fragmentation", |measures| measures.external_fragmentation),
    ("makespan_seconds", |measures| measures.makespan),
];

/// Measures whose change against the first row is shown.
const CHANGES: [Measure; 4] = [
    ("wait_change", |measures| measures.wait),
    ("response_change", |measures| measures.response),
    ("bounded_slowdown_change", |measures| measures.bounded_slowdown),
    ("makespan_change", |measures| measures.makespan),
];

/// A number of a row over all seeds.
fn of_row(results: &Results, row: usize, value: fn(&Measures) -> f64) -> Interval {
    let values: Vec<f64> = results.seeds.iter().map(|seed| value(&seed.measures[row])).collect();
    Interval::of(&values).expect("at least one seed is done")
}

/// By which fraction a number is above that of the first row, seed by seed; `None` if that is 0.
fn change(results: &Results, row: usize, value: fn(&Measures) -> f64) -> Option<Interval> {
    let of_seed = |measures: &[Measures]| value(&measures[row]) / value(&measures[0]) - 1.0;
    let changes: Vec<f64> = results.seeds.iter().map(|seed| of_seed(&seed.measures)).collect();
    Interval::of(&changes).filter(|interval| interval.mean.is_finite())
}

fn as_json(interval: Interval) -> Value {
    json!({"mean": interval.mean, "half_width": interval.half_width})
}

pub fn json(plan: &Plan, results: &Results, arguments: &ScheduleArguments) -> Value {
    let rows: Vec<Value> = (0..)
        .zip(&plan.rows)
        .map(|(at, row)| {
            let mut record = json!({
                "queue": row.queue.name(),
                "partition": row.divider.name(),
                "strategy": row.strategy,
            });
            for (name, value) in MEASURES {
                record[name] = as_json(of_row(results, at, value));
            }
            if at > 0 {
                for (name, value) in CHANGES {
                    record[name] = change(results, at, value).map_or(Value::Null, as_json);
                }
            }
            record
        })
        .collect();
    let refused: Vec<Value> = plan
        .refused
        .iter()
        .map(|(partition, reason)| json!({"partition": partition, "not_applicable": reason}))
        .collect();
    json!({
        "machine": plan.machine.spec(),
        "nodes": plan.machine.num_nodes(),
        "workload": plan.source,
        "load": arguments.load,
        "jobs": results.jobs,
        "left_out": results.left_out,
        "unknown": plan.unknown,
        "patterns": plan.patterns,
        "communication": arguments.communication,
        "objective": arguments.objective,
        "effort": arguments.effort.to_string(),
        "seed": arguments.seed,
        "seeds": results.seeds.len(),
        "seeds_done": results.seeds.iter().map(|seed| seed.seed).collect::<Vec<_>>(),
        "complete": results.seeds.len() == arguments.seeds as usize,
        "policies": rows,
        "not_applicable": refused,
    })
}

pub fn text(plan: &Plan, results: &Results, arguments: &ScheduleArguments) -> String {
    let seeds = results.seeds.len();
    let per_seed =
        if seeds > 1 { format!(", {} seeds", grouped(seeds as f64)) } else { String::new() };
    let mut text = format!(
        "{} ({}{per_seed}) on {} ({})\n",
        plan.source,
        plural(results.jobs, "job"),
        plan.machine.spec(),
        plural(plan.machine.num_nodes(), "node"),
    );
    text.push_str(&wrapped(
        &format!(
            "run times are estimates: {} communication, by {} of {}",
            percent(arguments.communication),
            arguments.objective,
            plan.patterns.join(", "),
        ),
        "  ",
    ));
    text.push_str("\n\n");
    match plan.rows.len() {
        1 => text.push_str(&one_row(plan, results)),
        _ => text.push_str(&table(plan, results)),
    }
    for (_, reason) in &plan.refused {
        let line = wrapped(&format!("not applicable: {reason}"), "   ");
        text.push_str(&format!(" {line}\n"));
    }
    text.push_str(&format!("\n {}\n", wrapped(&seeds_in_words(results, arguments), "   ")));
    text
}

/// Which seeds were simulated: listed one by one if not all are done.
fn seeds_in_words(results: &Results, arguments: &ScheduleArguments) -> String {
    const MEANING: &str = "± is the 95 % confidence interval of a mean over seeds";
    let (first, done) = (arguments.seed, results.seeds.len());
    match done {
        1 => format!("seed {}", results.seeds[0].seed),
        _ if done == arguments.seeds as usize => format!("seeds from {first}; {MEANING}"),
        _ => {
            let names: Vec<String> =
                results.seeds.iter().map(|seed| seed.seed.to_string()).collect();
            format!("seeds {}; {MEANING}", names.join(", "))
        }
    }
}

fn one_row(plan: &Plan, results: &Results) -> String {
    let row = &plan.rows[0];
    let with = |value: fn(&Measures) -> f64, show: fn(f64) -> String| {
        let interval = of_row(results, 0, value);
        match interval.half_width {
            Some(half) => format!("{} ± {}", show(interval.mean), show(half)),
            None => show(interval.mean),
        }
    };
    facts_table(&[
        ("queue", row.queue.name().to_string()),
        ("partition", row.divider.name()),
        ("strategy", row.strategy.clone()),
        ("wait, on average", with(|measures| measures.wait, long_time)),
        ("  longest", with(|measures| measures.longest_wait, long_time)),
        ("response, on average", with(|measures| measures.response, long_time)),
        ("bounded slowdown", with(|measures| measures.bounded_slowdown, hundredths)),
        ("stretch of run times", with(|measures| measures.stretch, thousandths)),
        ("utilisation", with(|measures| measures.utilisation, percent)),
        ("internal fragmentation", with(|measures| measures.internal_fragmentation, percent)),
        ("external fragmentation", with(|measures| measures.external_fragmentation, percent)),
        ("makespan", with(|measures| measures.makespan, long_time)),
    ])
}

fn table(plan: &Plan, results: &Results) -> String {
    let rows = |cells: &dyn Fn(usize) -> Vec<String>| -> Vec<Vec<String>> {
        let named = |at: usize| [vec![name(&plan.rows, at)], cells(at)].concat();
        (0..plan.rows.len()).map(named).collect()
    };
    let mean = |at: usize, value: fn(&Measures) -> f64| of_row(results, at, value).mean;
    let times = rows(&|at| {
        vec![
            long_time(mean(at, |measures| measures.wait)),
            long_time(mean(at, |measures| measures.response)),
            change_in_words(results, at),
            hundredths(mean(at, |measures| measures.bounded_slowdown)),
            long_time(mean(at, |measures| measures.makespan)),
        ]
    });
    let shares = rows(&|at| {
        vec![
            long_time(mean(at, |measures| measures.longest_wait)),
            thousandths(mean(at, |measures| measures.stretch)),
            percent(mean(at, |measures| measures.utilisation)),
            percent(mean(at, |measures| measures.internal_fragmentation)),
            percent(mean(at, |measures| measures.external_fragmentation)),
        ]
    });
    let same: Vec<String> = parts(&plan.rows[0])
        .into_iter()
        .enumerate()
        .filter(|(part, _)| is_same(&plan.rows, *part))
        .map(|(_, name)| name)
        .collect();
    let all = match same.is_empty() {
        true => String::new(),
        false => format!(" all: {}\n", same.join(", ")),
    };
    format!(
        "{}\n{}\n{all} change: of the response, against the first row, seed by seed\n \
         internal, external: fragmentation, as shares of all node seconds\n",
        numbers_table(&["", "wait", "response", "change", "slowdown", "makespan"], &times),
        numbers_table(
            &["", "longest wait", "stretch", "utilisation", "internal", "external"],
            &shares
        ),
    )
}

fn change_in_words(results: &Results, at: usize) -> String {
    let change = if at == 0 { None } else { change(results, at, |measures| measures.response) };
    match change {
        None => String::new(),
        Some(Interval { mean, half_width: None }) => format!("{:+.1} %", mean * 100.0),
        Some(Interval { mean, half_width: Some(half) }) => {
            format!("{:+.1} ± {:.1} %", mean * 100.0, half * 100.0)
        }
    }
}

fn parts(row: &Row) -> [String; 3] {
    [row.queue.name().to_string(), row.divider.name(), row.strategy.clone()]
}

fn is_same(rows: &[Row], part: usize) -> bool {
    rows.iter().all(|row| parts(row)[part] == parts(&rows[0])[part])
}

/// What distinguishes a row from the others, in as many letters as the table has room for.
fn name(rows: &[Row], at: usize) -> String {
    const LONGEST: usize = 36;
    let own: Vec<String> = parts(&rows[at])
        .into_iter()
        .enumerate()
        .filter(|(part, _)| !is_same(rows, *part))
        .map(|(_, name)| name)
        .collect();
    let name = own.join(", ");
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// Seconds, minutes or hours.
fn long_time(seconds: f64) -> String {
    match seconds {
        v if v < 99.95 => format!("{v:.1} s"),
        v if v < 5999.5 => format!("{:.1} min", v / 60.0),
        v if v < 3.6e6 => format!("{:.1} h", v / 3600.0),
        v => format!("{} h", grouped((v / 3600.0).round())),
    }
}

fn hundredths(value: f64) -> String {
    match value < 1000.0 {
        true => format!("{value:.2}"),
        false => grouped(value.round()),
    }
}

fn thousandths(value: f64) -> String {
    format!("{value:.3}")
}
