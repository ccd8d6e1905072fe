//! Problems and placements for pictures.

use std::path::Path;

use anyhow::{Context, bail};
use topoloom::core::{
    CollectiveMode, Machine, Mapping, Problem, TOPOLOGIES, Traffic, parse_strategy,
};

use super::arguments::PlotArguments;
use crate::inputs::{load_counted, load_machine, mapping_of_file, warn_of_another_machine};
use crate::output::collectives::line_of_share;
use crate::output::{inform, warn};
use crate::placing::placement::{Named, name_kind};
use crate::placing::search::Searches;
use crate::placing::strategy_list::strategies;
use crate::progress::numbered;
use crate::spec_list::split_list;

/// A placement and its name.
pub struct NamedPlacement {
    pub name: String,
    pub mapping: Mapping,
}

/// The traffic, which `picture` needs.
pub fn traffic(arguments: &PlotArguments, picture: &str) -> anyhow::Result<Traffic> {
    let Some(text) = &arguments.traffic else {
        bail!("{picture} needs traffic: give --traffic, such as lu:class=C,ranks=64");
    };
    let counting = &arguments.counting;
    let counted = load_counted(text, counting.weight, counting.collectives.mode)?;
    // The user has already been warned about what is left out.
    if let Some(share) = counted.collectives.filter(|share| share.mode != CollectiveMode::None) {
        inform(&line_of_share(&share));
    }
    Ok(counted.traffic)
}

/// The machines that are named.
pub fn machines(arguments: &PlotArguments, picture: &str) -> anyhow::Result<Vec<Machine>> {
    let known = |name: &str| TOPOLOGIES.entries.iter().any(|entry| entry.name == name);
    let texts = split_list(&arguments.machine, |word| known(word) || Path::new(word).exists());
    if texts.is_empty() {
        bail!("{picture} needs a machine: give --machine, such as torus:4x4x4");
    }
    texts.iter().map(|text| load_machine(text, arguments.counting.routing.as_deref())).collect()
}

/// The machine of a picture that shows only one.
pub fn one_machine(arguments: &PlotArguments, picture: &str) -> anyhow::Result<Machine> {
    let mut machines = machines(arguments, picture)?;
    if machines.len() > 1 {
        bail!("{picture} shows one machine, found {}; bars shows several", machines.len());
    }
    Ok(machines.remove(0))
}

/// What the name of a placement stands for.
pub struct NamedSource {
    name: String,
    source: Named,
}

/// The placements to draw: those of the arguments, or the default ones. All are read before the
/// first strategy runs.
pub fn sources(arguments: &PlotArguments, usual: &str) -> anyhow::Result<Vec<NamedSource>> {
    let usual = [usual.to_string()];
    let texts = if arguments.strategy.is_empty() { &usual[..] } else { &arguments.strategy };
    let names = strategies(texts)?;
    names.into_iter().map(|name| Ok(NamedSource { source: name_kind(&name)?, name })).collect()
}

/// The placement of a picture that shows only one.
pub fn one_source(
    arguments: &PlotArguments,
    usual: &str,
    picture: &str,
) -> anyhow::Result<Vec<NamedSource>> {
    let sources = sources(arguments, usual)?;
    if sources.len() != 1 {
        bail!("{picture} shows one placement, found {}", sources.len());
    }
    Ok(sources)
}

/// The problem of placing traffic on a machine, with the given imbalance, or that of a mapping
/// file.
pub fn problem(
    arguments: &PlotArguments,
    traffic: Traffic,
    machine: Machine,
    sources: &[NamedSource],
) -> anyhow::Result<Problem> {
    let of_file = sources.iter().find_map(|source| match &source.source {
        Named::File(file) => file.imbalance,
        Named::Strategy => None,
    });
    let imbalance = arguments.counting.imbalance.or(of_file);
    Ok(Problem::with_imbalance(traffic, machine, arguments.counting.weight, imbalance)?)
}

/// The placements of these names. If there are several, those that do not fit are left out with a
/// warning.
pub fn placements(
    sources: &[NamedSource],
    problem: &Problem,
    searches: &Searches,
) -> anyhow::Result<Vec<NamedPlacement>> {
    let mut placements = Vec::new();
    for (number, NamedSource { name, source }) in sources.iter().enumerate() {
        let mapping = match source {
            Named::File(file) => {
                warn_of_another_machine(file, problem.machine());
                mapping_of_file(file, problem)
                    .with_context(|| format!("{name}: not a valid mapping"))?
            }
            Named::Strategy if searches.interrupt.happened() => {
                bail!("interrupted before {name}: nothing is drawn")
            }
            Named::Strategy => {
                let strategy = parse_strategy(name)?;
                let task = numbered(name, number, sources.len());
                match searches.run_strategy(&task, strategy.as_ref(), problem) {
                    Ok(found) => {
                        if found.run.was_cut_short() {
                            warn(&format!("{name} was cut short: the best so far is drawn"));
                        }
                        found.mapping
                    }
                    Err(reason) if sources.len() == 1 => {
                        bail!("{name} is not applicable: {reason}")
                    }
                    Err(reason) => {
                        warn(&format!(
                            "{name} is left out, because it is not applicable: {reason}"
                        ));
                        continue;
                    }
                }
            }
        };
        placements.push(NamedPlacement { name: name.clone(), mapping });
    }
    if placements.is_empty() {
        bail!("no strategy is applicable, so there is nothing to draw");
    }
    Ok(placements)
}
