//! The way that ranks take through the machine.

use anyhow::bail;
use topoloom::core::TrafficBuilder;
use topoloom::show::Picture;
use topoloom::show::figure::curve::curve;

use super::super::search::Searches;
use super::arguments::PlotArguments;
use super::placements;

/// A line from the node of the first rank to that of the last.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    let machine = placements::one_machine(arguments, "curve")?;
    let Some(lengths) = machine.topology().grid_lengths().map(<[u32]>::to_vec) else {
        bail!("a curve needs a box of nodes, such as mesh:4x4x4, not {}", machine.spec());
    };
    let traffic = match &arguments.traffic {
        Some(_) => placements::traffic(arguments, "curve")?,
        // The curves look at nothing but the machine, and so a rank a node will do.
        None => TrafficBuilder::new(machine.num_nodes() as u32).build(),
    };
    let title = machine.spec().to_string();
    // Ranks of one node would be one point.
    let problem = placements::problem(arguments, traffic, machine.with_one_slot())?;
    let placed = placements::one(arguments, &problem, searches, "curve")?;
    Ok(curve(&lengths, &placed.mapping.nodes(), &format!("{} on {title}", placed.name)))
}
