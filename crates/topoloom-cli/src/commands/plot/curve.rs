//! The path of the ranks through the machine.

use anyhow::bail;
use topoloom::core::{TrafficBuilder, Vertex};
use topoloom::show::Picture;
use topoloom::show::figure::curve::curve;

use super::arguments::PlotArguments;
use super::placements;
use crate::output::numbers::grouped;
use crate::placing::search::Searches;

/// The most nodes of a picture: with more, lines cannot be told apart.
const MOST_NODES: usize = 65_536;

/// A line from the node of the first rank to that of the last.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    arguments.refuse_width("curve")?;
    let machine = placements::one_machine(arguments, "curve")?;
    let (spec, nodes) = (machine.spec().to_string(), machine.num_nodes());
    let Some(lengths) = machine.topology().grid_lengths().map(<[u32]>::to_vec) else {
        bail!("a curve needs a box of nodes, such as mesh:4x4x4, not {spec}");
    };
    if nodes > MOST_NODES {
        bail!("{spec} has {} nodes; a curve shows {MOST_NODES} at most", grouped(nodes as f64));
    }
    let sources = placements::one_source(arguments, "hilbert", "curve")?;
    let problem = match &arguments.traffic {
        Some(_) => {
            let traffic = placements::traffic(arguments, "curve")?;
            placements::problem(arguments, traffic, machine, &sources)?
        }
        // The curves depend only on the machine, so one rank per slot is enough.
        None => {
            let traffic = TrafficBuilder::new(machine.num_slots() as u32).build();
            placements::problem(arguments, traffic, machine, &sources)?
        }
    };
    let placed = placements::placements(&sources, &problem, searches)?.remove(0);
    let topology = problem.machine().topology();
    let distance = |a: u32, b: u32| topology.distance(Vertex(a), Vertex(b));
    let name = format!("{} on {spec}", placed.name);
    Ok(curve(&lengths, &placed.mapping.nodes(), &name, distance))
}
