//! The groups of a training job on racks and hosts, before and after.

use anyhow::Context;
use topoloom::core::Mapping;
use topoloom::show::Picture;
use topoloom::show::figure::racks::{Racks, racks};

use super::arguments::PlotArguments;
use super::placements;
use crate::placing::search::Searches;

/// One panel per placement.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    let traffic = placements::traffic(arguments, "groups")?;
    let machine = placements::one_machine(arguments, "groups")?;
    let sources = placements::sources(arguments, "block,auto")?;
    let problem = placements::problem(arguments, traffic, machine, &sources)?;
    let step = problem.traffic().step().cloned().context(
        "the traffic has no groups; training jobs have some, such as \
         llm:model=llama3-70b,tp=4,pp=8,dp=2",
    )?;
    problem.machine().topology().cluster().context("groups need a machine that knows its hosts")?;
    if let Some(name) = &arguments.groups {
        step.kind(name).with_context(|| {
            let known: Vec<&str> = step.kinds.iter().map(|kind| &kind.name[..]).collect();
            format!("unknown groups \"{name}\"; known: {}", known.join(", "))
        })?;
    }
    let placed = placements::placements(&sources, &problem, searches)?;
    let named: Vec<(&str, &Mapping)> =
        placed.iter().map(|placed| (&placed.name[..], &placed.mapping)).collect();
    let about = arguments.traffic.as_deref().unwrap_or_default();
    let input = Racks::of(&problem, about, arguments.groups.as_deref(), &named);
    Ok(racks(arguments.frame(), &input.context("no group sends anything")?))
}
