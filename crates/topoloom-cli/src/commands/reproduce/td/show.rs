//! The figures as tables and as JSON.

use serde_json::{Value, json};
use topoloom::core::significance::Sample;

use super::findings::LEVEL;
use super::setting::Setting;
use super::settings::{BENCHMARKS, CRITERIA, ITERATIONS, LINKS, MESHES, Plan, Times};
use crate::output::table::{numbers_table, text_table, wrapped};

const PREFACE: &str = "\
Pascual, Miguel-Alonso, Lozano, Parallel applications mapping over mesh topologies and its effects
on scheduling performance: NPB class A on 64 ranks, one rank per node, times of a simulation in
which only messages take time. The paper's figures are bars without numbers, normalised so that the
best is 1; its text says which is best. The tables here show mean times, normalised in the same way;
= marks a mean that is not the least but may differ from it by chance (Kruskal-Wallis, level 0.05;
consecutive is one mapping and is not tested). The paper runs all iterations; they repeat, so one
whole iteration and the warm-up are simulated here. The paper does not name its routing: the same
mappings are simulated under each.

";

pub fn text(settings: &[Setting], plan: &Plan<'_>) -> String {
    let mut text = PREFACE.to_string();
    for (mesh, figure) in [(0, 2), (1, 3)] {
        let table = figure_of(settings, mesh);
        text.push_str(&format!("Figure {figure}: mesh of {}\n\n{table}\n", MESHES[mesh]));
    }
    let table = both_meshes(settings);
    text.push_str(&format!("Figure 4: least times of both meshes\n\n{table}\n"));
    text.push_str("What the paper finds, and where it holds here\n\n");
    text.push_str(&findings(settings));
    let Plan { model, mappings, seed, .. } = plan;
    text.push_str(&format!(
        "\nmodel: {model}\nlinks: {LINKS}\n{mappings} mappings of each kind, seeds {seed} to {}, \
         {ITERATIONS} iteration and the warm-up\n",
        seed.wrapping_add(mappings - 1)
    ));
    text
}

/// Each sentence, and whether it holds under each routing, or for which benchmarks it does not.
fn findings(settings: &[Setting]) -> String {
    let mut header = vec!["the paper"];
    header.extend(settings.iter().map(|setting| setting.routing.as_str()));
    let Some(first) = settings.first() else { return String::new() };
    let rows: Vec<Vec<String>> = (0..first.findings.len())
        .map(|number| {
            let verdict = |setting: &Setting| {
                let finding = &setting.findings[number];
                match finding.holds {
                    true => "holds".to_string(),
                    false => format!("not for {}", finding.fails.join(", ")),
                }
            };
            let sentence = first.findings[number].sentence.to_string();
            std::iter::once(sentence).chain(settings.iter().map(verdict)).collect()
        })
        .collect();
    let mut text = text_table(&header, &rows);
    for setting in settings {
        let holding = setting.findings.iter().filter(|finding| finding.holds).count();
        text.push_str(&format!(
            "\n{}\n",
            wrapped(
                &format!(
                    "{}: {holding} of {} sentences hold.",
                    setting.routing,
                    setting.findings.len()
                ),
                ""
            )
        ));
    }
    text
}

fn figure_of(settings: &[Setting], mesh: usize) -> String {
    let mut header = vec!["", "routing"];
    header.extend(CRITERIA.iter().map(|criterion| criterion.name));
    let row = |setting: &Setting, times: &Times| -> Vec<String> {
        let best = times.best();
        let cell = |criterion: usize| {
            let chance = times.p_value(criterion, best).is_some_and(|p_value| p_value >= LEVEL);
            let mark = if chance && criterion != best { "=" } else { " " };
            format!("{:.3}{mark}", times.mean(criterion) / times.mean(best))
        };
        let names = [times.benchmark.to_uppercase(), setting.routing.clone()];
        names.into_iter().chain((0..4).map(cell)).collect()
    };
    let of = |setting: &Setting, benchmark: &str| {
        let wanted = |times: &&Times| times.mesh == mesh && times.benchmark == benchmark;
        setting.all.iter().find(wanted).map(|times| row(setting, times))
    };
    let rows: Vec<Vec<String>> = BENCHMARKS
        .iter()
        .flat_map(|benchmark| settings.iter().filter_map(|setting| of(setting, benchmark)))
        .collect();
    numbers_table(&header, &rows)
}

fn both_meshes(settings: &[Setting]) -> String {
    let row = |setting: &Setting, name: &str| -> Vec<String> {
        let least = |mesh: usize| {
            let wanted = |times: &&Times| times.mesh == mesh && times.benchmark == name;
            setting.all.iter().find(wanted).map_or(f64::NAN, Times::least)
        };
        let best = least(0).min(least(1));
        let cells = (0..2).map(|mesh| format!("{:.3}", least(mesh) / best));
        let names = [name.to_uppercase(), setting.routing.clone()];
        names.into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = BENCHMARKS
        .iter()
        .flat_map(|name| settings.iter().map(move |setting| row(setting, name)))
        .collect();
    numbers_table(&["", "routing", "8x8", "4x4x4"], &rows)
}

pub fn records(settings: &[Setting], plan: &Plan<'_>) -> Value {
    let routings: Vec<Value> = settings
        .iter()
        .map(|setting| {
            let findings: Vec<Value> = (setting.findings.iter())
                .map(|finding| {
                    json!({
                        "sentence": finding.sentence,
                        "holds": finding.holds,
                        "seen": finding.seen,
                        "fails": finding.fails,
                    })
                })
                .collect();
            json!({
                "routing": setting.routing,
                "times": times(&setting.all),
                "findings": findings,
            })
        })
        .collect();
    json!({
        "model": plan.model,
        "links": LINKS,
        "iterations": ITERATIONS,
        "mappings": plan.mappings,
        "seed": plan.seed,
        "routings": routings,
    })
}

fn times(all: &[Times]) -> Vec<Value> {
    let of = |times: &Times, number: usize| {
        let best = times.best();
        let sample = Sample::of(&times.seconds[number])?;
        let p_value = times.p_value(number, best).filter(|_| number != best);
        Some(json!({
            "benchmark": times.benchmark,
            "mesh": MESHES[times.mesh],
            "criterion": CRITERIA[number].name,
            "mappings": sample.count,
            "best_seconds": sample.best,
            "mean_seconds": sample.mean,
            "deviation_seconds": sample.deviation,
            "normalised": sample.mean / times.mean(best),
            "p_value": p_value,
            "significant": p_value.map(|p_value| p_value < LEVEL),
        }))
    };
    all.iter()
        .flat_map(|times| (0..CRITERIA.len()).filter_map(move |number| of(times, number)))
        .collect()
}
