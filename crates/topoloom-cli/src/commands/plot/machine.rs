//! The machine, with links coloured by what they carry.

use anyhow::bail;
use topoloom::core::Mapping;
use topoloom::show::Picture;
use topoloom::show::figure::machine::{MachineOptions, machine};
use topoloom::show::layout::DrawnMachine;

use super::arguments::PlotArguments;
use super::placements;
use crate::placing::search::Searches;

/// The most placements of one picture: more would be too small.
const MOST_PANELS: usize = 6;

/// The machine by itself, or under placements side by side.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    arguments.refuse_width("machine")?;
    let wired = placements::one_machine(arguments, "machine")?;
    let title = wired.spec().to_string();
    let weight = arguments.counting.weight;
    if arguments.traffic.is_none() {
        if !arguments.strategy.is_empty() {
            bail!("the load of links under a placement needs traffic: give --traffic");
        }
        let options = MachineOptions { title: &title, placements: &[], weight };
        return Ok(machine(&DrawnMachine::of(&wired), options));
    }
    let traffic = placements::traffic(arguments, "machine")?;
    let sources = placements::sources(arguments, "in-order,auto")?;
    if sources.len() > MOST_PANELS {
        bail!("machine shows at most {MOST_PANELS} placements, found {}", sources.len());
    }
    let problem = placements::problem(arguments, traffic, wired, &sources)?;
    let placed = placements::placements(&sources, &problem, searches)?;
    let mappings: Vec<&Mapping> = placed.iter().map(|placed| &placed.mapping).collect();
    let names: Vec<&str> = placed.iter().map(|placed| placed.name.as_str()).collect();
    let options = MachineOptions { title: &title, placements: &names, weight };
    Ok(machine(&DrawnMachine::under(&problem, &mappings), options))
}
