//! Tables 4.2 and 4.3: MPDATA on grids of equal parts.

use topoloom::arrange::{Arrangement, Form, Grids, Measure, Node, Platform, Task, parse_arranger};
use topoloom::core::Run;

use super::line::{Line, Section};
use super::published::cost;
use crate::commands::arrange::shape;

const DOMAIN: (u32, u32) = (512, 512);

/// Twelve nodes of four clusters.
pub fn between_clusters(platform: &Platform, seed: u64) -> anyhow::Result<Section> {
    let measure = Measure::asymmetric(platform, 1.0, false);
    let start = column_by_column(2, 6)?;
    let mut lines = vec![Line::new(
        "4.2",
        "2x6, column by column",
        cost("4.2", "not optimal"),
        measure.cost(&start).total(),
    )];
    let published = ("asymmetric", 2, Some(cost("4.2", "heuristic")));
    for (strategy, side, published) in [
        published,
        ("exhaustive", 2, None),
        ("auto", 2, None),
        ("asymmetric", 1, None),
        ("auto", 1, None),
    ] {
        lines.push(searched("4.2", platform, &measure, &start, (strategy, side), published, seed)?);
    }
    Ok(Section {
        heading: "Table 4.2: MPDATA on 12 nodes of 4 clusters, cost_H + cost_V".to_string(),
        lines,
        text: None,
        remarks: vec![
            "Equations 4.1 and 4.2 are printed with a way back from the last part to the first; \
             the published numbers come out without it, with parts of 512 div rows and 512 div \
             columns. With single rows and columns of parts there is an arrangement that costs \
             less than half of what the thesis calls optimal."
                .to_string(),
        ],
    })
}

/// Twelve nodes of Grisou; `four_clusters` has the bandwidths of Grimoire, too.
pub fn inside_a_cluster(
    grisou: &Platform,
    four_clusters: &Platform,
    seed: u64,
) -> anyhow::Result<Section> {
    let grimoire = twelve_of_the_first(four_clusters)?;
    let measure = Measure::asymmetric(grisou, 1.0, false);
    let start = column_by_column(2, 6)?;
    let lines = vec![
        Line::new("4.3", "2x6", cost("4.3", "not optimal"), measure.cost(&start).total()),
        Line::new(
            "4.3",
            "2x6 at the bandwidths of Grimoire",
            cost("4.3", "not optimal"),
            Measure::asymmetric(&grimoire, 1.0, false).cost(&start).total(),
        ),
        searched(
            "4.3",
            grisou,
            &measure,
            &start,
            ("asymmetric", 2),
            Some(cost("4.3", "heuristic")),
            seed,
        )?,
        searched("4.3", grisou, &measure, &start, ("auto", 1), None, seed)?,
    ];
    Ok(Section {
        heading: "Table 4.3: MPDATA on 12 nodes of Grisou, cost_H + cost_V".to_string(),
        lines,
        text: None,
        remarks: vec![
            "The published cost of the grid that is not optimal comes out at the bandwidths of \
             Grimoire, and the published cost of the optimal grid at the bandwidths of Grisou."
                .to_string(),
        ],
    })
}

fn searched(
    table: &'static str,
    platform: &Platform,
    measure: &Measure,
    start: &Arrangement,
    (strategy, side): (&str, usize),
    published: Option<f64>,
    seed: u64,
) -> anyhow::Result<Line> {
    let form = Form::Grids(Grids { domain: DOMAIN, min_rows: side, min_columns: side });
    let task = Task { platform, measure, form };
    let found = parse_arranger(strategy)?.arrange(&task, start, &mut Run::new(seed))?;
    let lines = if side > 1 { ", no single rows or columns" } else { "" };
    let what = format!("{strategy}{lines}: {}", shape(&found));
    let ours = Some(measure.cost(&found).total());
    Ok(Line { table, what, published, ours, drawn: None })
}

/// The processors in their order, column by column.
fn column_by_column(rows: usize, columns: usize) -> anyhow::Result<Arrangement> {
    let processors: Vec<u32> =
        (0..rows * columns).map(|cell| ((cell % columns) * rows + cell / columns) as u32).collect();
    let cell = (DOMAIN.0 / rows as u32, DOMAIN.1 / columns as u32);
    Ok(Arrangement::grid(rows, columns, cell, &processors)?)
}

/// The same table of bandwidths with twelve nodes in the first cluster and none elsewhere.
fn twelve_of_the_first(platform: &Platform) -> anyhow::Result<Platform> {
    let mut clusters = platform.clusters().to_vec();
    for (number, cluster) in clusters.iter_mut().enumerate() {
        let Some(node) = cluster.nodes.first().cloned() else { continue };
        let name = |position: usize| format!("{}-{position}", cluster.name);
        let nodes = if number == 0 { 12 } else { 0 };
        cluster.nodes =
            (0..nodes).map(|position| Node { name: name(position), ..node.clone() }).collect();
    }
    let bandwidth = platform.bandwidth().clone();
    let vertical = platform.vertical().cloned();
    Ok(Platform::new("Grimoire", clusters, platform.unit(), bandwidth, vertical)?)
}
