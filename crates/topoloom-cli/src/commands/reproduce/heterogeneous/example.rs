//! Tables 3.2 and 3.4 to 3.7: the small examples.

use anyhow::Context;
use topoloom::arrange::{
    Arrangement, Bandwidths, Cluster, Column, Form, Measure, Node, Platform, Rectangle, Speed,
    Task, parse_arranger,
};
use topoloom::core::Run;

use super::super::figures::heterogeneous::Named;
use super::line::{Line, Section};
use super::published::{ColumnOf, CostTable, arrangement_of, cost, cost_table};
use crate::output::numbers::plural;

/// The arrangements of figure 3.8.
const WORST: &str = "3.8 worst case";
const OPTIMAL: &str = "3.8 optimal";

/// Bytes that the thesis counts for each block of width or height.
const BYTES: f64 = 512.0;

/// Table 3.2: nine processors on three clusters.
pub fn hops() -> anyhow::Result<Section> {
    let platform = nine()?;
    let measure = Measure::hops(&platform);
    let worst = arrangement(&platform, &arrangement_of("3.6 worst case"))?;
    let optimal = arrangement(&platform, &arrangement_of("3.7 optimal"))?;
    let mut lines = Vec::new();
    for (name, arrangement) in [("worst case", &worst), ("optimal", &optimal)] {
        let published = cost("3.2", name);
        let cost = measure.cost(arrangement);
        lines.push(Line::new("3.2", name, published, cost.total()));
        let rows = fewest_hops_of_rows(&measure, arrangement);
        let what = format!("{name}, rows from the best beginning");
        lines.push(Line::new("3.2", what, published, rows + cost.vertical));
    }
    let task = Task { platform: &platform, measure: &measure, form: Form::Columns };
    let found = parse_arranger("exhaustive")?.arrange(&task, &worst, &mut Run::new(1))?;
    lines.push(Line::ours("3.2", "exhaustive", measure.cost(&found).total()));
    Ok(Section {
        heading: "Table 3.2: hops of 9 processors on 3 clusters (equations 3.1 to 3.3)".to_string(),
        lines,
        text: None,
        remarks: vec![
            "Figures 3.6 and 3.7 are pictures; the printed terms leave one pair of arrangements, \
             which is used here. The text defines both costs by an upper bound over the positions \
             of the pivot. The worst case is counted in this way. Rows of the optimal arrangement \
             are counted from the beginning that crosses least: two overlaps count 1, but cross 2 \
             if the pivot is in the middle, as the text itself says. Our hops are the upper bound \
             in both directions."
                .to_string(),
        ],
    })
}

/// Three clusters with the nodes of figures 3.6 and 3.7; hop counts need no bandwidths.
fn nine() -> anyhow::Result<Platform> {
    let cluster = |(number, nodes): (usize, usize)| Cluster {
        name: format!("cluster {number}"),
        groups: Vec::new(),
        nodes: (0..nodes)
            .map(|node| Node { name: format!("{number}-{node}"), speed: Speed::Constant(1.0) })
            .collect(),
    };
    let clusters = [4, 3, 2].into_iter().enumerate().map(cluster).collect();
    let alike = Bandwidths::new(3, vec![1.0; 9]).context("positive bandwidths")?;
    Ok(Platform::new("nine processors", clusters, 1e6, alike, None)?)
}

/// The cost of rows with the best starts: the most expensive link of each ring is left out.
fn fewest_hops_of_rows(measure: &Measure, arrangement: &Arrangement) -> f64 {
    let cost = |pair: &[u32]| {
        let row = arrangement.row(pair[0]).into_iter();
        let row: Vec<u32> = row.map(|processor| measure.cluster_of()[processor as usize]).collect();
        let links = (0..row.len()).map(|at| (row[at], row[(at + 1) % row.len()]));
        let links: Vec<f64> = links.map(|(from, to)| measure.horizontal_link(from, to)).collect();
        let dearest = links.iter().copied().fold(0.0, f64::max);
        f64::from(pair[1] - pair[0]) * (links.iter().sum::<f64>() - dearest)
    };
    arrangement.cuts().windows(2).map(cost).sum()
}

/// Tables 3.4 to 3.7, row by row.
pub fn bandwidths(platform: &Platform, seed: u64) -> anyhow::Result<Vec<Section>> {
    let measure = Measure::bandwidth(platform, BYTES);
    let worst = arrangement(platform, &arrangement_of(WORST))?;
    let optimal = arrangement(platform, &arrangement_of(OPTIMAL))?;
    let row_a = "between columns (cost_A)";
    let row_b = "inside columns (cost_B)";
    let mut sections = vec![
        section(&cost_table("3.4"), "worst case", row_b, &columns(&measure, &worst)),
        section(&cost_table("3.5"), "optimal", row_b, &columns(&measure, &optimal)),
        section(&cost_table("3.6"), "worst case", row_a, &overlaps(&measure, &worst)),
        section(&cost_table("3.7"), "optimal", row_a, &overlaps(&measure, &optimal)),
    ];
    sections[0].remarks.push(
        "For the column of 15 blocks, five bandwidths are printed for a ring of six: one 249.53 is \
         missing, and one is 36.39, read as 56.39 here. For the column of 30 blocks, 56.39 is \
         printed where clusters 2 and 3 meet, whose bandwidth is 71.93. With these corrected, the \
         rows add up to the printed total, which is the cost of the arrangement."
            .to_string(),
    );
    sections[1].remarks.push(
        "The column of 30 blocks has the same wrong 56.39; with 71.93 the rows add up to the \
         printed total."
            .to_string(),
    );
    sections[3].remarks.push(
        "The tables of cost_A truncate bandwidths after two digits (55.00 instead of 55.01 in \
         table 3.3)."
            .to_string(),
    );
    sections.push(searched(platform, &measure, &worst, seed)?);
    Ok(sections)
}

/// The results of our strategies for the worst case.
fn searched(
    platform: &Platform,
    measure: &Measure,
    worst: &Arrangement,
    seed: u64,
) -> anyhow::Result<Section> {
    let task = Task { platform, measure, form: Form::Columns };
    let mut lines = vec![Line::new(
        "3.8",
        "worst case",
        cost("3.8", "worst case"),
        measure.cost(worst).total(),
    )];
    let optimal = measure.cost(&arrangement(platform, &arrangement_of(OPTIMAL))?).total();
    lines.push(Line::new("3.8", "called optimal", cost("3.8", "optimal"), optimal));
    for strategy in ["hop-count", "bandwidth", "auto"] {
        let found = parse_arranger(strategy)?.arrange(&task, worst, &mut Run::new(seed))?;
        lines.push(Line::ours("3.8", strategy, measure.cost(&found).total()));
    }
    Ok(Section {
        heading: "Figure 3.8: bandwidth cost of 16 processors on 4 clusters, cost_A + cost_B (3.6)"
            .to_string(),
        lines,
        text: None,
        remarks: Vec::new(),
    })
}

/// The arrangements of figure 3.8, and the best that we find.
pub fn drawn(platform: &Platform, seed: u64) -> anyhow::Result<Vec<Named>> {
    let measure = Measure::bandwidth(platform, BYTES);
    let worst = arrangement(platform, &arrangement_of(WORST))?;
    let task = Task { platform, measure: &measure, form: Form::Columns };
    let found = parse_arranger("auto")?.arrange(&task, &worst, &mut Run::new(seed))?;
    let all = [
        ("worst case", worst),
        ("called optimal", arrangement(platform, &arrangement_of(OPTIMAL))?),
        ("auto", found),
    ];
    let named = |(name, arrangement): (&str, Arrangement)| {
        let cost = measure.cost(&arrangement).total();
        Named { name: format!("{name}: bandwidth cost {cost:.0}"), arrangement }
    };
    Ok(all.into_iter().map(named).collect())
}

/// Columns of (cluster, height); the processors of a cluster are used in order.
fn arrangement(platform: &Platform, columns: &[ColumnOf]) -> anyhow::Result<Arrangement> {
    let clusters = 0..platform.clusters().len() as u32;
    let mut next: Vec<u32> = clusters
        .map(|cluster| platform.cluster_of().iter().filter(|&&of| of < cluster).count() as u32)
        .collect();
    let mut rectangle = |&(cluster, height): &(u32, u32)| {
        let processor = next[cluster as usize];
        next[cluster as usize] += 1;
        Rectangle { processor, height }
    };
    let columns = columns
        .iter()
        .map(|(width, rectangles)| Column {
            width: *width,
            rectangles: rectangles.iter().map(&mut rectangle).collect(),
        })
        .collect();
    Ok(Arrangement::new(columns)?)
}

/// Width and cost of every column.
fn columns(measure: &Measure, arrangement: &Arrangement) -> Vec<(u32, f64)> {
    let cost = |column: &Column| {
        let clusters: Vec<u32> = column
            .rectangles
            .iter()
            .map(|rectangle| measure.cluster_of()[rectangle.processor as usize])
            .collect();
        let ring = measure.ring.cost(&clusters, |from, to| measure.vertical_link(from, to));
        (column.width, f64::from(column.width) * ring)
    };
    arrangement.columns().iter().map(cost).collect()
}

/// Height and cost of every overlap.
fn overlaps(measure: &Measure, arrangement: &Arrangement) -> Vec<(u32, f64)> {
    let cost = |pair: &[u32]| {
        let clusters: Vec<u32> = arrangement
            .row(pair[0])
            .into_iter()
            .map(|processor| measure.cluster_of()[processor as usize])
            .collect();
        let ring = measure.ring.cost(&clusters, |from, to| measure.horizontal_link(from, to));
        (pair[1] - pair[0], f64::from(pair[1] - pair[0]) * ring)
    };
    arrangement.cuts().windows(2).map(cost).collect()
}

fn section(table: &CostTable, case: &str, direction: &str, ours: &[(u32, f64)]) -> Section {
    let printed = |(blocks, bandwidths): &(u32, Vec<f64>)| {
        let inverses: f64 = bandwidths.iter().map(|bandwidth| 1.0 / bandwidth).sum();
        f64::from(*blocks) * BYTES * inverses
    };
    let mut lines: Vec<Line> = table
        .rows
        .iter()
        .zip(ours)
        .map(|(row, &(blocks, cost))| {
            Line::new(table.number, plural(blocks as usize, "block"), printed(row), cost)
        })
        .collect();
    let sum: f64 = table.rows.iter().map(printed).sum();
    let total: f64 = ours.iter().map(|(_, cost)| cost).sum();
    lines.push(Line::new(table.number, "sum of the rows", sum, total));
    lines.push(Line::new(table.number, "total", table.total, total));
    // Rounded bandwidths change the sum by less than one.
    let remarks = if (sum - table.total).abs() > 1.0 {
        vec![format!(
            "The printed rows add up to {sum:.2}, not to the printed total of {:.2}.",
            table.total
        )]
    } else {
        Vec::new()
    };
    let heading = format!("Table {}: {case}, {direction}", table.number);
    Section { heading, lines, text: None, remarks }
}
