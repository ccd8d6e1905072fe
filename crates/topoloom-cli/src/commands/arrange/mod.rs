//! `topoloom arrange`: data partitions for processors of different speed, arranged for the network.

pub mod arguments;
mod measure;
pub mod picture;
mod plan;
mod platform;
mod present;
mod search;
mod write;

use std::path::Path;

use anyhow::bail;
use topoloom::arrange::ARRANGERS;
use topoloom::io::read_platform_with;

pub use present::shape;

use crate::files;
use crate::interrupt::Interrupt;
use crate::output::{print, print_json, warn, warn_of_early_end};
use crate::outputs;
use crate::progress::numbered;
use arguments::{ArrangeAction, ArrangeArguments};
use plan::Plan;
use present::Shown;
use search::AS_PARTITIONED;

pub fn run(arguments: ArrangeArguments) -> anyhow::Result<()> {
    match &arguments.action {
        Some(ArrangeAction::Measure(arguments)) => measure::run(arguments),
        Some(ArrangeAction::Platform(arguments)) => platform::run(arguments),
        None => arrange(&arguments),
    }
}

fn arrange(arguments: &ArrangeArguments) -> anyhow::Result<()> {
    let files = write::Outputs::check(arguments)?;
    let file = arguments.platform.as_deref().unwrap_or_default();
    let (platform, warnings) = read_platform_with(Path::new(file), &files::open)?;
    warnings.iter().for_each(|warning| warn(warning));
    let plan = Plan::new(platform, arguments)?;
    let interrupt = Interrupt::catch()?;
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    let names = strategies(arguments);
    for (number, name) in names.iter().copied().enumerate() {
        let task = numbered(name, number, names.len());
        match search::arrange(&plan, (name, &task), &arguments.work, &interrupt)? {
            Ok(arranged) => found.push(arranged),
            Err(reason) if arguments.compare => refused.push((name.to_string(), reason)),
            Err(reason) => bail!("{name} is not applicable: {reason}"),
        }
    }
    if found.iter().any(|found| found.cut_short) {
        warn_of_early_end();
    }
    outputs::write_or_rescue("the arrangement", |to| files.write(&plan, &found, arguments, to))?;
    let shown = Shown { plan: &plan, found: &found, refused: &refused };
    if arguments.json {
        print_json(&shown.json());
    } else {
        print(&shown.text());
        print(&files.said());
    }
    Ok(())
}

/// First the arrangement as it was partitioned; last the strategy whose arrangement is written.
fn strategies(arguments: &ArrangeArguments) -> Vec<&str> {
    let asked = arguments.strategy.as_str();
    let mut names = vec![AS_PARTITIONED];
    if arguments.compare {
        names.extend(ARRANGERS.entries.iter().map(|entry| entry.name));
    }
    names.retain(|name| *name == AS_PARTITIONED || *name != asked);
    names.dedup();
    if asked != AS_PARTITIONED {
        names.push(asked);
    }
    names
}
