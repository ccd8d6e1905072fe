//! Problems and placements that pictures are drawn of.

use std::path::Path;

use anyhow::{Context, bail};
use topoloom::core::{Machine, Mapping, Problem, STRATEGIES, TOPOLOGIES, Traffic, parse_strategy};

use super::super::placement::{Named, name_kind};
use super::super::search::Searches;
use super::arguments::PlotArguments;
use crate::inputs::{load_machine, load_traffic, mapping_of_file, warn_of_another_machine};
use crate::output::warn;
use crate::spec_list::split_list;

/// A placement and what it is called.
pub struct NamedPlacement {
    pub name: String,
    pub mapping: Mapping,
}

/// The traffic, which `picture` cannot do without.
pub fn traffic(arguments: &PlotArguments, picture: &str) -> anyhow::Result<Traffic> {
    let Some(text) = &arguments.traffic else {
        bail!("{picture} needs traffic: give --traffic, such as lu:class=C,ranks=64");
    };
    load_traffic(text, arguments.weight, arguments.collectives)
}

/// The machines that are named.
pub fn machines(arguments: &PlotArguments, picture: &str) -> anyhow::Result<Vec<Machine>> {
    let known = |name: &str| TOPOLOGIES.entries.iter().any(|entry| entry.name == name);
    let texts = split_list(&arguments.machine, |word| known(word) || Path::new(word).exists());
    if texts.is_empty() {
        bail!("{picture} needs a machine: give --machine, such as torus:4x4x4");
    }
    texts.iter().map(|text| load_machine(text, arguments.routing.as_deref())).collect()
}

/// The machine, where there is to be one.
pub fn one_machine(arguments: &PlotArguments, picture: &str) -> anyhow::Result<Machine> {
    let mut machines = machines(arguments, picture)?;
    if machines.len() > 1 {
        bail!("{picture} shows one machine, found {}; bars shows several", machines.len());
    }
    Ok(machines.remove(0))
}

/// The problem of placing traffic on a machine.
pub fn problem(
    arguments: &PlotArguments,
    traffic: Traffic,
    machine: Machine,
) -> anyhow::Result<Problem> {
    Ok(Problem::with_imbalance(traffic, machine, arguments.weight, arguments.imbalance)?)
}

/// The names of the placements to draw: those of the arguments, or the usual ones.
pub fn names(arguments: &PlotArguments, usual: &str) -> Vec<String> {
    let known = |name: &str| STRATEGIES.entries.iter().any(|entry| entry.name == name);
    let usual = [usual.to_string()];
    let texts = if arguments.strategy.is_empty() { &usual[..] } else { &arguments.strategy };
    let is_name = |word: &str| word == "all" || known(word) || Path::new(word).exists();
    let all = || STRATEGIES.entries.iter().map(|entry| entry.name.to_string()).collect();
    let names = split_list(texts, is_name).into_iter();
    names.flat_map(|name| if name == "all" { all() } else { vec![name] }).collect()
}

/// The placements of these names. Of several, those that do not fit are left out with a warning.
pub fn placements(
    names: &[String],
    problem: &Problem,
    searches: &Searches,
) -> anyhow::Result<Vec<NamedPlacement>> {
    // Every name is read before the first strategy runs.
    let named: Vec<Named> =
        names.iter().map(|name| name_kind(name)).collect::<anyhow::Result<_>>()?;
    let mut placements = Vec::new();
    for (name, named) in names.iter().zip(named) {
        let mapping = match named {
            Named::File(file) => {
                warn_of_another_machine(&file, problem.machine());
                mapping_of_file(&file, problem)
                    .with_context(|| format!("{name}: not a valid mapping"))?
            }
            Named::Strategy => {
                let strategy = parse_strategy(name)?;
                match searches.run_strategy(name, strategy.as_ref(), problem) {
                    Ok(found) => found.mapping,
                    Err(reason) if names.len() == 1 => bail!("{name} is not applicable: {reason}"),
                    Err(reason) => {
                        warn(&format!("{name} is left out, for it is not applicable: {reason}"));
                        continue;
                    }
                }
            }
        };
        placements.push(NamedPlacement { name: name.clone(), mapping });
    }
    if placements.is_empty() {
        bail!("no strategy is applicable, so that there is nothing to draw");
    }
    Ok(placements)
}

/// The one placement of a picture that shows one.
pub fn one(
    arguments: &PlotArguments,
    problem: &Problem,
    searches: &Searches,
    picture: &str,
) -> anyhow::Result<NamedPlacement> {
    let usual = if picture == "curve" { "hilbert" } else { "auto" };
    let names = names(arguments, usual);
    if names.len() != 1 {
        bail!("{picture} shows one placement, found {}", names.len());
    }
    Ok(placements(&names, problem, searches)?.remove(0))
}
