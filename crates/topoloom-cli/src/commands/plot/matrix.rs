//! How much each rank sends to each other rank.

use topoloom::core::insight::Matrix;
use topoloom::show::Picture;
use topoloom::show::figure::matrix::{Labels, MOST_CELLS, matrix, positions_by_slot, two_matrices};

use super::arguments::PlotArguments;
use super::placements;
use crate::placing::search::Searches;

/// The matrix; with a machine also in the order of the places of a placement.
pub fn picture(arguments: &PlotArguments, searches: &Searches) -> anyhow::Result<Picture> {
    let frame = arguments.frame();
    let traffic = placements::traffic(arguments, "matrix")?;
    let weight = arguments.counting.weight;
    let by_rank = Matrix::of(&traffic, weight, MOST_CELLS);
    let name = arguments.traffic.as_deref().unwrap_or_default();
    let labels = Labels { name, ranks: traffic.num_ranks(), weight, axis: "rank" };
    if arguments.machine.is_empty() && arguments.strategy.is_empty() {
        return Ok(matrix(frame, &by_rank, &labels));
    }
    let machine = placements::one_machine(arguments, "matrix in the order of places")?;
    let sources = placements::one_source(arguments, "auto", "matrix")?;
    let problem = placements::problem(arguments, traffic, machine, &sources)?;
    let placed = placements::placements(&sources, &problem, searches)?.remove(0);
    let positions = positions_by_slot(placed.mapping.slots());
    let by_place = Matrix::ordered(problem.traffic(), weight, MOST_CELLS, &positions);
    let caption = format!("by place under {}", placed.name);
    Ok(two_matrices(
        frame,
        (&by_rank, &by_place),
        ["by rank", &caption],
        ["rank", "place"],
        &labels,
    ))
}
