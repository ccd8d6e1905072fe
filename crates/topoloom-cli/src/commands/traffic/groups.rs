//! `topoloom traffic groups`: who is in which group of a training job, and what groups send.

use std::sync::Arc;

use anyhow::bail;
use serde_json::{Value, json};
use topoloom::core::traffic::Group;
use topoloom::core::training::{GroupKind, StepTraffic, TrainingJob};
use topoloom::core::{PATTERNS, Spec, Weight};

use super::arguments::GroupsArguments;
use super::short::shortened;
use crate::inputs::load_traffic_as_it_is;
use crate::output::numbers::{bytes, grouped, plural};
use crate::output::table::{numbers_table, wrapped};
use crate::output::{print, print_json};

pub fn run(arguments: &GroupsArguments) -> anyhow::Result<()> {
    let step = step(&arguments.traffic)?;
    match arguments.json {
        true => print_json(&record(&step)),
        false => print(&screen(&arguments.traffic, &step)),
    }
    Ok(())
}

/// The groups. Those of a pattern need no messages, of which there may be very many.
fn step(name: &str) -> anyhow::Result<Arc<StepTraffic>> {
    if let Ok(spec) = Spec::parse(name)
        && spec.name == "llm"
    {
        PATTERNS.find(&spec)?;
        return Ok(Arc::new(TrainingJob::groups_from_spec(&spec)?));
    }
    let traffic = load_traffic_as_it_is(name, Weight::Bytes)?;
    let Some(step) = traffic.step() else {
        bail!(
            "{}: the traffic has no groups; training jobs have some, such as \
             llm:model=llama3-70b,tp=4,pp=8,dp=2",
            shortened(name, 200)
        );
    };
    Ok(step.clone())
}

fn members(group: &Group) -> Vec<u32> {
    (0..group.size()).map(|number| group.member(number)).collect()
}

fn record(step: &StepTraffic) -> Value {
    let groups = |kind: &GroupKind| kind.groups.iter().map(members).collect::<Vec<_>>();
    step.kinds.iter().map(|kind| (kind.name.clone(), json!(groups(kind)))).collect()
}

fn screen(name: &str, step: &StepTraffic) -> String {
    let mut text = format!("{} ({})\n\n", shortened(name, 80), plural(step.ranks as usize, "rank"));
    let header = ["", "groups", "members", "all send", "a rank sends", "weight", "first group"];
    let rows: Vec<Vec<String>> = step.kinds.iter().map(row).collect();
    text.push_str(&numbers_table(&header, &rows));
    let sends = step.kinds.iter().any(GroupKind::sends);
    text.push_str(match sends {
        true => "\nwhat a group does in a step, one line per kind:\n\n",
        false => "\nGive model=, or layers= and hidden=, to see what groups send.\n",
    });
    for kind in step.kinds.iter().filter(|kind| kind.sends()) {
        text.push_str(&format!("{}\n", wrapped(&format!("{}: {}", kind.name, work(kind)), "  ")));
    }
    text
}

fn row(kind: &GroupKind) -> Vec<String> {
    let all = kind.bytes();
    let ranks: u32 = kind.groups.iter().map(Group::size).sum();
    let none = |text: String| if all > 0.0 { text } else { "-".to_string() };
    vec![
        kind.name.clone(),
        grouped(kind.groups.len() as f64),
        kind.size().to_string(),
        none(bytes(all)),
        none(bytes(all / f64::from(ranks.max(1)))),
        none(kind.weight.to_string()),
        kind.groups.first().map_or("-".to_string(), first_members),
    ]
}

/// The kinds of groups that send something, one line each.
pub fn facts(step: &StepTraffic) -> Vec<(&'static str, String)> {
    let kinds = step.kinds.iter().filter(|kind| kind.sends()).enumerate();
    let line = |(number, kind): (usize, &GroupKind)| {
        let name = if number == 0 { "groups" } else { "" };
        let groups = plural(kind.groups.len(), "group");
        let size = plural(kind.size() as usize, "rank");
        (name, format!("{}: {groups} of {size}, {} in a step", kind.name, bytes(kind.bytes())))
    };
    kinds.map(line).collect()
}

/// For programs: the kinds of groups and what they send.
pub fn kinds(step: &StepTraffic) -> Value {
    let kind = |kind: &GroupKind| {
        json!({
            "name": kind.name,
            "groups": kind.groups.len(),
            "size": kind.size(),
            "weight": kind.weight,
            "bytes": kind.bytes(),
        })
    };
    step.kinds.iter().map(kind).collect()
}

/// The first members of a group.
fn first_members(group: &Group) -> String {
    const MOST: u32 = 4;
    let mut text: Vec<String> =
        (0..group.size().min(MOST)).map(|number| group.member(number).to_string()).collect();
    if group.size() > MOST {
        text.push("...".to_string());
    }
    text.join(" ")
}

/// The calls of a group. Stages may differ: those in the middle are shown.
fn work(kind: &GroupKind) -> String {
    let longest = (0..kind.groups.len()).max_by(|&a, &b| {
        let sum = |group: usize| -> f64 {
            kind.calls(group).iter().map(|call| call.times * call.bytes).sum()
        };
        sum(a).total_cmp(&sum(b))
    });
    let Some(group) = longest else { return String::new() };
    let calls = kind.calls(group).iter().map(|call| {
        let times = (call.times * 100.0).round() / 100.0;
        format!(
            "{} x {} of {} ({})",
            grouped_times(times),
            call.operation.name(),
            bytes(call.bytes),
            call.when
        )
    });
    let calls: Vec<String> = calls.collect();
    match calls.len() > 8 {
        true => format!("{}; and {} more", calls[..8].join("; "), calls.len() - 8),
        false => calls.join("; "),
    }
}

/// A number of calls, which may be a fraction if layers do not divide evenly among stages.
fn grouped_times(times: f64) -> String {
    if times.fract() == 0.0 { grouped(times) } else { format!("{times:.2}") }
}
