//! How many links carry how much.

use anyhow::bail;
use topoloom::show::Picture;
use topoloom::show::figure::Unit;
use topoloom::show::figure::loads::{Loads, Series, loads};

use super::arguments::PlotArguments;
use super::placements;
use crate::placing::search::Searches;

/// One line per placement.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    let traffic = placements::traffic(arguments, "loads")?;
    let machine = placements::one_machine(arguments, "loads")?;
    if !machine.topology().is_wired() {
        bail!("{} has no links, so there are no loads to draw", machine.spec());
    }
    let sources = placements::sources(arguments, "in-order,auto")?;
    let problem = placements::problem(arguments, traffic, machine, &sources)?;
    let placed = placements::placements(&sources, &problem, searches)?;
    let series = placed
        .into_iter()
        .map(|placed| Series::of(placed.name, &problem, &placed.mapping))
        .collect();
    Ok(loads(arguments.frame(), &Loads { unit: Unit::from(arguments.counting.weight), series }))
}
