//! The tables of the thesis on heterogeneous clusters beside ours.

mod example;
mod experiments;
mod grids;
pub mod line;
pub mod published;

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use topoloom::arrange::Platform;
use topoloom::core::Machine;
use topoloom::io::platforms::{machine_of_platform, read_platform};

use line::Section;
use published::experiments;

use super::figures::{self, Figures};
use crate::output::{print, print_json};

const PREFACE: &str = "\
Malik, Topology-aware Optimization of Communication Cost of Parallel Applications in Heterogeneous
HPC Systems (2016). Costs are bytes over MB/s, that is microseconds; the thesis calls them seconds.

Tables 3.3, 3.9, 3.11 and 4.1 are bandwidths; they are the platforms example:thesis-3.3 and so on.
";

const EXPERIMENTS: &str = "\
The partitions of the experiments are pictures in the thesis. Ours are computed for 300 x 300
blocks from speeds that the platforms state: clock times threads of table 3.8, threads from 1 to
the number of cores (3.9), or one thread and a few per cent between nodes (3.11). Our seconds are
for communication alone, replayed by the flow model on the platform. The seconds of the thesis are
for whole runs.
";

pub fn run(seed: u64, json: bool, figures: &mut Figures) -> anyhow::Result<()> {
    if !json {
        print(PREFACE);
    }
    let mut records: Vec<Value> = Vec::new();
    let mut show = |section: &Section| {
        if json {
            records.extend(section.json());
        } else {
            print(&section.text());
        }
    };
    show(&example::hops()?);
    let small = example("thesis-3.3")?;
    for section in example::bandwidths(&small, seed)? {
        show(&section);
    }
    if figures.are_wanted() {
        let file = ("heterogeneous-figure-3.8", "Figure 3.8: arrangements of 16 processors");
        let arrangements = example::drawn(&small, seed)?;
        figures::heterogeneous::draw_partitions(figures, file, &small, &arrangements, &[]);
    }
    if !json {
        print(&format!("\n{EXPERIMENTS}"));
    }
    for (number, name) in [("3.10", "thesis-3.9"), ("3.12", "thesis-3.11")] {
        let platform = example(name)?;
        let machines = [
            machine(name, &platform)?,
            machine(&format!("{name}-fatpipe"), &platform.clone().with_fat_pipes())?,
        ];
        let mut arrangements = Vec::new();
        let section = experiments::table(
            number,
            &experiments(number),
            &platform,
            &machines,
            seed,
            &mut arrangements,
        )?;
        show(&section);
        if figures.are_wanted() {
            figures::heterogeneous::draw_experiment(
                figures,
                number,
                &platform,
                &arrangements,
                &section.lines,
            );
        }
    }
    let four_clusters = example("thesis-4.1")?;
    show(&grids::between_clusters(&four_clusters, seed)?);
    show(&grids::inside_a_cluster(&example("grisou")?, &four_clusters, seed)?);
    if json {
        print_json(&records);
    } else {
        print(&format!("\nseed {seed}\n"));
    }
    Ok(())
}

/// The network of a platform.
fn machine(name: &str, platform: &Platform) -> anyhow::Result<Machine> {
    let graph = machine_of_platform(platform)?.graph;
    Ok(Machine::with_topology(&format!("platform:example:{name}"), Arc::new(graph))?)
}

/// One of the platforms that the program contains.
fn example(name: &str) -> anyhow::Result<Platform> {
    Ok(read_platform(Path::new(&format!("example:{name}")))?.0)
}
