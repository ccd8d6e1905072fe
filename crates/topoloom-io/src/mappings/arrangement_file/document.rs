//! The fields of an arrangement file, and what they must be.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use topoloom_arrange::{
    Application, Arrangement, Column, Cost, InvalidArrangement, Rectangle, Summa,
};
use topoloom_core::traffic::patterns::Mpdata;
use topoloom_core::words::counted;

use super::content::{ArrangementFile, FORMAT, VERSION};
use crate::text::fault::Fault;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    pub format: String,
    pub version: u64,
    pub application: ApplicationPart,
    pub platform: String,
    pub clusters: Vec<String>,
    pub processors: Vec<ProcessorPart>,
    pub blocks: Blocks,
    pub columns: Vec<ColumnPart>,
    #[serde(default)]
    pub costs: Vec<CostPart>,
    pub strategy: Option<String>,
    pub seed: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, tag = "name", rename_all = "lowercase")]
pub enum ApplicationPart {
    Summa {
        #[serde(default = "default_block")]
        block: u32,
        #[serde(default = "default_element")]
        element: u32,
        flow: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iterations: Option<u32>,
    },
    Mpdata {
        domain: [u32; 3],
        /// Above and below, then left and right.
        halo: [u32; 2],
        #[serde(default = "default_element")]
        element: u32,
        #[serde(default = "one")]
        steps: u32,
    },
}

fn default_block() -> u32 {
    Summa::default().block
}

fn default_element() -> u32 {
    Summa::default().element_bytes
}

fn one() -> u32 {
    1
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessorPart {
    host: String,
    cluster: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds_per_iteration: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocks {
    height: u32,
    width: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnPart {
    width: u32,
    rectangles: Vec<RectanglePart>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RectanglePart {
    processor: u32,
    height: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostPart {
    measure: String,
    horizontal: f64,
    vertical: f64,
}

/// The largest block, in numbers per side, and the largest number, in bytes. Such a block is far
/// beyond what fits in a cache, and small enough to keep the size of the largest message
/// representable.
const MOST_BLOCK: u32 = 1 << 13;
const MOST_ELEMENT: u32 = 16;

impl Document {
    /// The content, if it is valid.
    pub fn understood(self) -> Result<ArrangementFile, Fault> {
        let mut numbers = HashMap::new();
        for (number, cluster) in (0..).zip(&self.clusters) {
            if numbers.insert(cluster.as_str(), number).is_some() {
                return Err(Fault::Repeated(format!("two clusters are called \"{cluster}\"")));
            }
        }
        let mut cluster_of = Vec::with_capacity(self.processors.len());
        for (number, processor) in self.processors.iter().enumerate() {
            let cluster = &processor.cluster;
            let known = numbers.get(cluster.as_str());
            cluster_of.push(*known.ok_or_else(|| {
                Fault::OutOfRange(format!(
                    "processor {number} is of cluster \"{cluster}\", which is not in \"clusters\""
                ))
            })?);
        }
        let seconds_per_iteration = seconds_per_iteration(&self.processors)?;
        let arrangement = arrangement(self.columns).map_err(Fault::refused)?;
        let found = arrangement.num_processors();
        if found != self.processors.len() {
            let expected = self.processors.len();
            return Err(Fault::expected(
                format!("{expected}, one per processor", expected = counted(expected, "rectangle")),
                found,
            ));
        }
        let (height, width) = (arrangement.height(), arrangement.width());
        if (height, width) != (self.blocks.height, self.blocks.width) {
            let Blocks { height: rows, width: columns } = self.blocks;
            return Err(Fault::expected(
                format!("columns of {rows} x {columns} blocks in all"),
                format!("{height} x {width}"),
            ));
        }
        let mut costs = Vec::with_capacity(self.costs.len());
        for CostPart { measure, horizontal, vertical } in self.costs {
            costs.push((measure, Cost { horizontal, vertical }));
        }
        Ok(ArrangementFile {
            application: self.application.understood(&arrangement)?,
            platform: self.platform,
            clusters: self.clusters,
            hosts: self.processors.into_iter().map(|processor| processor.host).collect(),
            cluster_of,
            seconds_per_iteration,
            arrangement,
            costs,
            strategy: self.strategy,
            seed: self.seed,
        })
    }

    /// The document that is written for a file.
    pub fn of(file: &ArrangementFile) -> Document {
        let processor = |processor: usize| ProcessorPart {
            host: file.hosts[processor].clone(),
            cluster: file.clusters[file.cluster_of[processor] as usize].clone(),
            seconds_per_iteration: file.seconds_per_iteration.as_ref().map(|all| all[processor]),
        };
        let rectangle =
            |&Rectangle { processor, height }: &Rectangle| RectanglePart { processor, height };
        let column = |column: &Column| ColumnPart {
            width: column.width,
            rectangles: column.rectangles.iter().map(rectangle).collect(),
        };
        let cost = |(measure, cost): &(String, Cost)| CostPart {
            measure: measure.clone(),
            horizontal: cost.horizontal,
            vertical: cost.vertical,
        };
        let arrangement = &file.arrangement;
        Document {
            format: FORMAT.to_string(),
            version: VERSION,
            application: ApplicationPart::of(&file.application),
            platform: file.platform.clone(),
            clusters: file.clusters.clone(),
            processors: (0..file.hosts.len()).map(processor).collect(),
            blocks: Blocks { height: arrangement.height(), width: arrangement.width() },
            columns: arrangement.columns().iter().map(column).collect(),
            costs: file.costs.iter().map(cost).collect(),
            strategy: file.strategy.clone(),
            seed: file.seed,
        }
    }
}

fn arrangement(columns: Vec<ColumnPart>) -> Result<Arrangement, InvalidArrangement> {
    let rectangle = |RectanglePart { processor, height }| Rectangle { processor, height };
    let column = |column: ColumnPart| Column {
        width: column.width,
        rectangles: column.rectangles.into_iter().map(rectangle).collect(),
    };
    Arrangement::new(columns.into_iter().map(column).collect())
}

/// All of them or none.
fn seconds_per_iteration(processors: &[ProcessorPart]) -> Result<Option<Vec<f64>>, Fault> {
    let given = |processor: &&ProcessorPart| processor.seconds_per_iteration.is_some();
    if !processors.iter().any(|processor| given(&processor)) {
        return Ok(None);
    }
    let mut all = Vec::with_capacity(processors.len());
    for (number, processor) in processors.iter().enumerate() {
        match processor.seconds_per_iteration {
            Some(seconds) if seconds >= 0.0 => all.push(seconds),
            Some(seconds) => {
                return Err(Fault::expected("a time", format!("{seconds} seconds"))
                    .within(format!("processor {number}")));
            }
            None => {
                return Err(Fault::Missing(format!(
                    "processor {number} has no \"seconds_per_iteration\", but others have"
                )));
            }
        }
    }
    Ok(Some(all))
}

impl ApplicationPart {
    fn understood(self, arrangement: &Arrangement) -> Result<Application, Fault> {
        match self {
            ApplicationPart::Summa { block, element, flow, iterations } => {
                between("block", block, MOST_BLOCK)?;
                between("element", element, MOST_ELEMENT)?;
                let flow = flow.parse()?;
                Ok(Application::Summa(Summa { block, element_bytes: element, flow, iterations }))
            }
            ApplicationPart::Mpdata { domain, halo: [ihalo, jhalo], element, steps } => {
                let columns = arrangement.columns();
                let mpdata = Mpdata {
                    // Columns of other lengths fail the check.
                    rows: columns[0].rectangles.len() as u32,
                    columns: columns.len() as u32,
                    domain,
                    ihalo,
                    jhalo,
                    element_bytes: element,
                    steps,
                };
                let application = Application::Mpdata(mpdata);
                application.check(arrangement).map_err(Fault::refused)?;
                Ok(application)
            }
        }
    }

    fn of(application: &Application) -> ApplicationPart {
        match *application {
            Application::Summa(summa) => ApplicationPart::Summa {
                block: summa.block,
                element: summa.element_bytes,
                flow: summa.flow.to_string(),
                iterations: summa.iterations,
            },
            Application::Mpdata(mpdata) => ApplicationPart::Mpdata {
                domain: mpdata.domain,
                halo: [mpdata.ihalo, mpdata.jhalo],
                element: mpdata.element_bytes,
                steps: mpdata.steps,
            },
        }
    }
}

fn between(name: &str, value: u32, most: u32) -> Result<(), Fault> {
    match (1..=most).contains(&value) {
        true => Ok(()),
        false => Err(Fault::expected(format!("\"{name}\" to be between 1 and {most}"), value)),
    }
}
