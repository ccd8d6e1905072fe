//! The figures as tables and as JSON.

use serde_json::{Value, json};
use topoloom::core::significance::Sample;

use super::findings::{Finding, LEVEL};
use super::{BENCHMARKS, CRITERIA, ITERATIONS, LINKS, MAPPINGS, MESHES, Times};
use crate::output::table::{numbers_table, text_table};

const PREFACE: &str = "\
Pascual, Miguel-Alonso, Lozano, Parallel applications mapping over mesh topologies and its effects
on scheduling performance: NPB class A on 64 ranks, one rank a node, times of a simulation in which
only messages take time. The paper's figures are bars without numbers, normalised so that the best
is 1; its text says who is best. Here stand mean times, normalised in the same way, with = where a
mean is not the least but might differ from it by chance (Kruskal-Wallis, level 0.05; consecutive is
one mapping and is not tested). The paper runs all iterations; they repeat, so one and the warm-up
are simulated here.

";

pub fn text(all: &[Times], findings: &[Finding], model: &str, seed: u64) -> String {
    let mut text = PREFACE.to_string();
    for (mesh, figure) in [(0, 2), (1, 3)] {
        text.push_str(&format!(
            "Figure {figure}: mesh of {}\n\n{}\n",
            MESHES[mesh],
            figure_of(all, mesh)
        ));
    }
    text.push_str(&format!("Figure 4: least times of both meshes\n\n{}\n", both_meshes(all)));
    text.push_str("What the paper finds, and whether it holds here\n\n");
    let rows: Vec<Vec<String>> = findings
        .iter()
        .map(|finding| {
            let holds = if finding.holds { "holds" } else { "does not" };
            vec![holds.to_string(), finding.sentence.to_string(), finding.seen.clone()]
        })
        .collect();
    text.push_str(&text_table(&["", "the paper", "here"], &rows));
    text.push_str(&format!(
        "\nmodel: {model}\nlinks: {LINKS}\n{MAPPINGS} mappings of each kind, seeds {seed} to {}, \
         {ITERATIONS} iteration and the warm-up\n",
        seed + MAPPINGS - 1
    ));
    text
}

fn figure_of(all: &[Times], mesh: usize) -> String {
    let header: Vec<&str> =
        std::iter::once("").chain(CRITERIA.iter().map(|criterion| criterion.name)).collect();
    let rows: Vec<Vec<String>> = all
        .iter()
        .filter(|times| times.mesh == mesh)
        .map(|times| {
            let best = times.best();
            let cell = |criterion: usize| {
                let chance = times.p_value(criterion, best).is_some_and(|p_value| p_value >= LEVEL);
                let mark = if chance && criterion != best { "=" } else { " " };
                format!("{:.3}{mark}", times.mean(criterion) / times.mean(best))
            };
            std::iter::once(times.benchmark.to_uppercase()).chain((0..4).map(cell)).collect()
        })
        .collect();
    numbers_table(&header, &rows)
}

fn both_meshes(all: &[Times]) -> String {
    let rows: Vec<Vec<String>> = BENCHMARKS
        .iter()
        .map(|name| {
            let least = |mesh: usize| {
                let wanted = |times: &&Times| times.mesh == mesh && times.benchmark == *name;
                all.iter().find(wanted).map_or(f64::NAN, Times::least)
            };
            let best = least(0).min(least(1));
            let cells = (0..2).map(|mesh| format!("{:.3}", least(mesh) / best));
            std::iter::once(name.to_uppercase()).chain(cells).collect()
        })
        .collect();
    numbers_table(&["", "8x8", "4x4x4"], &rows)
}

pub fn records(all: &[Times], findings: &[Finding], model: &str, seed: u64) -> Value {
    let times: Vec<Value> = all
        .iter()
        .flat_map(|times| {
            let best = times.best();
            CRITERIA.iter().enumerate().filter_map(move |(number, criterion)| {
                let sample = Sample::of(&times.seconds[number])?;
                let p_value = times.p_value(number, best).filter(|_| number != best);
                Some(json!({
                    "benchmark": times.benchmark,
                    "mesh": MESHES[times.mesh],
                    "criterion": criterion.name,
                    "mappings": sample.count,
                    "best_seconds": sample.best,
                    "mean_seconds": sample.mean,
                    "deviation_seconds": sample.deviation,
                    "normalised": sample.mean / times.mean(best),
                    "p_value": p_value,
                    "significant": p_value.map(|p_value| p_value < LEVEL),
                }))
            })
        })
        .collect();
    let findings: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({"sentence": finding.sentence, "holds": finding.holds, "seen": finding.seen})
        })
        .collect();
    json!({
        "model": model,
        "links": LINKS,
        "iterations": ITERATIONS,
        "mappings": MAPPINGS,
        "seed": seed,
        "times": times,
        "findings": findings,
    })
}
