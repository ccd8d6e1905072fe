//! Tables A.1 to A.3 and 4.1 of the HAEC thesis, its numbers beside ours, and simulated times of
//! the placements.

mod computed;
mod draw;
mod record;
mod show;
mod show_simulated;
mod simulated;
pub mod tables;

use std::time::Instant;

use anyhow::Context;
use serde_json::Value;
use topoloom::core::{
    Machine, Mapping, Problem, Run, Summary, Weight, parse_objective, parse_pattern,
    parse_strategy, score,
};

use self::computed::{BY_HOPS, CARDINALITY, Computed, HOPS, Ours};
use self::draw::draw;
use self::record::records;
use self::show::{PREFACE, show, show_objectives, show_times};
use self::show_simulated::show_simulated;
use self::simulated::{AUTO, Replay};
use self::tables::{PublishedTable, TABLES};
use super::figures::Figures;
use crate::interrupt::Interrupt;
use crate::output::{print, print_json};
use crate::progress::{Progress, limited_run, numbered};

pub fn run(seed: u64, json: bool, figures: &mut Figures) -> anyhow::Result<()> {
    let interrupt = Interrupt::catch()?;
    if !json {
        print(PREFACE);
    }
    let mut all = Vec::new();
    for table in TABLES.iter() {
        let computed = compute(table, seed, &interrupt)?;
        if !json {
            print(&show(&computed));
        }
        all.push(computed);
    }
    if figures.are_wanted() {
        draw(figures, &all);
    }
    if json {
        print_json(&all.iter().flat_map(records).collect::<Vec<Value>>());
    } else {
        print(&show_times(&all));
        print(&show_objectives(&all));
        print(&show_simulated(&all));
        print(&format!("\nseed {seed}, {} threads\n", rayon::current_num_threads()));
    }
    Ok(())
}

fn compute(
    table: &'static PublishedTable,
    seed: u64,
    interrupt: &Interrupt,
) -> anyhow::Result<Computed> {
    let traffic = parse_pattern(table.traffic)?;
    let problem = Problem::new(traffic, Machine::parse(table.machine)?, Weight::Messages)?;
    let of_thesis = table.rows.iter().map(|published| {
        let by_cardinality = BY_HOPS.contains(&published.strategy);
        (published.strategy.to_string(), published.strategy, by_cardinality.then_some(CARDINALITY))
    });
    let by_hops = BY_HOPS.map(|strategy| (format!("{strategy} by hops"), strategy, Some(HOPS)));
    let mut rows = Vec::new();
    let count = table.rows.len() + BY_HOPS.len();
    for (number, (name, strategy, objective)) in of_thesis.chain(by_hops).enumerate() {
        let task = format!("{} on {}: {name}", table.benchmark, table.machine);
        let progress = Progress::new(&numbered(&task, number, count));
        let mut run: Run = limited_run(seed, None, interrupt, &progress);
        let search = parse_strategy(strategy)?;
        let judge = objective.map(parse_objective).transpose()?;
        let start = Instant::now();
        let mapping = interrupt.during(|| search.map(&problem, judge.as_deref(), &mut run))?;
        let seconds = Some(start.elapsed().as_secs_f64());
        let complete = !run.was_cut_short();
        progress.finish();
        let row = scored(&problem, (name, strategy, objective), mapping)?;
        rows.push(Ours { seconds, complete, ..row });
    }
    let simulation = match Replay::of(table)? {
        Err(reason) => Err(reason),
        Ok(replay) => {
            let found = replay.by_auto(seed, interrupt)?;
            for ((name, objective), mapping) in AUTO.into_iter().zip(found) {
                rows.push(scored(&problem, (name.to_string(), "auto", Some(objective)), mapping)?);
            }
            let mappings: Vec<&Mapping> = rows.iter().map(|row| &row.mapping).collect();
            let simulated = replay.simulate(&mappings, interrupt)?;
            rows.iter_mut().zip(simulated).for_each(|(row, found)| row.simulated = found);
            Ok((replay.iterations, replay.machine))
        }
    };
    let pairs = pairs_of(&problem, &rows[0].mapping);
    Ok(Computed { table, pairs, rows, simulation })
}

fn pairs_of(problem: &Problem, mapping: &Mapping) -> Summary {
    score(problem, mapping).thesis.inter_process_logical
}

/// A row of a placement whose search time is not worth mentioning.
fn scored(
    problem: &Problem,
    (name, strategy, objective): (String, &'static str, Option<&'static str>),
    mapping: Mapping,
) -> anyhow::Result<Ours> {
    let score = score(problem, &mapping);
    let pairs = score.thesis.inter_process_logical;
    Ok(Ours {
        name,
        strategy,
        objective,
        links: score.thesis.inter_node_physical.context("the machines of the thesis have links")?,
        hops: score.hop_bytes / pairs.average,
        neighbours: score.cardinality,
        seconds: None,
        complete: true,
        mapping,
        simulated: None,
    })
}
