//! Strategies side by side on one machine or several.

use anyhow::bail;
use topoloom::core::score;
use topoloom::show::Picture;
use topoloom::show::figure::Unit;
use topoloom::show::figure::bars::{BarRow, Bars, MachineBars, bars};

use super::arguments::PlotArguments;
use super::placements;
use crate::placing::search::Searches;
use crate::placing::strategy_list::USUAL;

/// A row of panels for each machine, with the same limits.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    let traffic = placements::traffic(arguments, "bars")?;
    let sources = placements::sources(arguments, USUAL)?;
    let all = placements::machines(arguments, "bars")?;
    if all.iter().any(|machine| machine.topology().is_wired() != all[0].topology().is_wired()) {
        bail!("machines with links and machines without links cannot share an axis");
    }
    let mut machines = Vec::new();
    for machine in all {
        let name = machine.spec().to_string();
        let problem = placements::problem(arguments, traffic.clone(), machine, &sources)?;
        let placed = placements::placements(&sources, &problem, searches)?;
        let scores: Vec<_> = placed.iter().map(|placed| score(&problem, &placed.mapping)).collect();
        let rows = placed
            .iter()
            .zip(&scores)
            .map(|(placed, score)| BarRow::of(&placed.name, score, false))
            .collect();
        let bound = scores.first().and_then(|score| score.lower_bound);
        machines.push(MachineBars { name, bound, rows });
    }
    Ok(bars(arguments.frame(), &Bars { unit: Unit::from(arguments.counting.weight), machines }))
}
