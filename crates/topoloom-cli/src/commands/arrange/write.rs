//! The files that `topoloom arrange` writes.

use std::path::PathBuf;

use anyhow::Context;
use topoloom::arrange::application::Application;
use topoloom::arrange::{Arrangement, predicted_times};
use topoloom::core::topology::PLATFORM;
use topoloom::io::{
    ArrangementFile, FilesTogether, MappingFile, arrangement_content, mapping_content,
};

use super::arguments::ArrangeArguments;
use super::picture::{self, Panel};
use super::plan::Plan;
use super::present::shape;
use super::search::{AS_PARTITIONED, Found};
use crate::output::numbers::precise;
use crate::outputs::{self, Destination};

/// Where to write what.
pub struct Outputs {
    files: Vec<PathBuf>,
}

impl Outputs {
    /// Refuses, before the search, files that could not be written after it.
    pub fn check(arguments: &ArrangeArguments) -> anyhow::Result<Outputs> {
        let files = [&arguments.output, &arguments.svg, &arguments.mapping];
        let files: Vec<&PathBuf> = files.into_iter().flatten().collect();
        outputs::check_all(&files, arguments.platform.as_deref())?;
        Ok(Outputs { files: files.into_iter().cloned().collect() })
    }

    /// Writes the last arrangement, and the first beside it in the picture; all files or none.
    pub fn write(
        &self,
        plan: &Plan,
        found: &[Found],
        arguments: &ArrangeArguments,
        to: &Destination,
    ) -> anyhow::Result<()> {
        let (Some(first), Some(last)) = (found.first(), found.last()) else { return Ok(()) };
        let mut files = FilesTogether::new();
        if let Some(path) = &arguments.output {
            plan.application_on(&last.arrangement).check(&last.arrangement)?;
            files.add(&to.of(path), arrangement_content(&file(plan, last, arguments)))?;
        }
        if let Some(path) = &arguments.svg {
            let picture = picture(plan, first, last);
            files.add(&to.of(path), |writer| writer.write_all(picture.as_bytes()))?;
        }
        if let Some(path) = &arguments.mapping {
            files.add(&to.of(path), mapping_content(path, &mapping(plan, last, arguments)?))?;
        }
        Ok(files.commit()?)
    }

    /// What was written, in words.
    pub fn said(&self) -> String {
        if self.files.is_empty() {
            return "\nnot written: give --output arranged.json to keep it, --svg to see it\n"
                .into();
        }
        let files: Vec<String> = self.files.iter().map(|path| path.display().to_string()).collect();
        format!("\nwritten to {}\n", files.join(", "))
    }
}

fn file(plan: &Plan, found: &Found, arguments: &ArrangeArguments) -> ArrangementFile {
    let platform = &plan.platform;
    ArrangementFile {
        application: plan.application_on(&found.arrangement),
        platform: platform.name().to_string(),
        clusters: platform.clusters().iter().map(|cluster| cluster.name.clone()).collect(),
        hosts: platform.nodes().map(|node| node.name.clone()).collect(),
        cluster_of: platform.cluster_of().to_vec(),
        seconds_per_iteration: arguments
            .summa
            .compute
            .then(|| predicted_times(platform, &found.arrangement)),
        arrangement: found.arrangement.clone(),
        costs: plan
            .measures
            .iter()
            .zip(&found.costs)
            .map(|(measure, &cost)| (measure.name.clone(), cost))
            .collect(),
        strategy: Some(found.strategy.clone()),
        seed: Some(arguments.work.seed),
    }
}

/// Which processor each rank gets: its own in a matrix multiplication, where only the rectangles
/// move; that of its part in a grid.
fn mapping(
    plan: &Plan,
    found: &Found,
    arguments: &ArrangeArguments,
) -> anyhow::Result<MappingFile> {
    let nodes = match plan.application {
        Application::Summa(_) => (0..plan.platform.num_processors() as u32).collect(),
        Application::Mpdata(_) => found.arrangement.row_by_row(),
    };
    let platform = arguments.platform.as_deref().context("a platform is required")?;
    Ok(MappingFile {
        machine: Some(format!("{PLATFORM}:{platform}")),
        slot_of_rank: Some(nodes.clone()),
        node_of_rank: nodes,
        strategy: Some(found.strategy.clone()),
        objective: Some(plan.measures[0].name.clone()),
        seed: Some(arguments.work.seed),
        ..MappingFile::default()
    })
}

fn picture(plan: &Plan, first: &Found, last: &Found) -> String {
    let platform = &plan.platform;
    let clusters: Vec<String> =
        platform.clusters().iter().map(|cluster| cluster.name.clone()).collect();
    let hosts: Vec<String> = platform.nodes().map(|node| node.name.clone()).collect();
    let machine =
        picture::Machine { clusters: &clusters, cluster_of: platform.cluster_of(), hosts: &hosts };
    let mut panels = vec![panel(plan, first)];
    if last.strategy != first.strategy {
        panels.push(panel(plan, last));
    }
    picture::svg(&machine, &panels)
}

fn panel<'a>(plan: &Plan, found: &'a Found) -> Panel<'a> {
    let title = |arrangement: &Arrangement| match found.strategy.as_str() {
        AS_PARTITIONED => format!("as partitioned ({})", shape(arrangement)),
        name => format!("{name} ({})", shape(arrangement)),
    };
    // Two lines each, because costs may be long.
    let costs = plan.measures.iter().zip(&found.costs).flat_map(|(measure, cost)| {
        let (along, across) = measure.names;
        // Large values as whole numbers, so a line fits below its panel.
        let shown = |value: f64| precise(if value >= 1000.0 { value.round() } else { value });
        [
            format!("{} {}", measure.kind(), shown(cost.total())),
            format!("{along} {}, {across} {}", shown(cost.horizontal), shown(cost.vertical)),
        ]
    });
    Panel {
        title: title(&found.arrangement),
        arrangement: &found.arrangement,
        lines: costs.collect(),
    }
}
