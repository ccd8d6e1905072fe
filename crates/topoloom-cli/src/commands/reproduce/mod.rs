//! `topoloom reproduce`: a paper's tables beside ours, and its figures.

pub mod arguments;
mod figures;
mod haec;
mod heterogeneous;
mod multicore;
mod published;
mod rahtm;
mod td;

use arguments::{Paper, ReproduceArguments};
use figures::Figures;

pub fn run(arguments: ReproduceArguments) -> anyhow::Result<()> {
    if arguments.model.is_some() && arguments.paper != Paper::Td {
        anyhow::bail!("--model is for td: the other papers have no choice of simulations");
    }
    if arguments.routing.is_some() && arguments.paper != Paper::Td {
        anyhow::bail!("--routing is for td: the other papers have no choice of routings");
    }
    if arguments.mappings.is_some() && arguments.paper != Paper::Td {
        anyhow::bail!("--mappings is for td: the other papers have no samples of mappings");
    }
    let mut figures = Figures::new(arguments.figures)?;
    match arguments.paper {
        Paper::Haec => haec::run(arguments.seed, arguments.json, &mut figures)?,
        Paper::Td => {
            let plan = td::settings::Plan {
                model: arguments.model.as_deref().unwrap_or(td::MODEL),
                routing: arguments.routing.as_deref(),
                mappings: arguments.mappings.map_or(td::MAPPINGS, u64::from),
                seed: arguments.seed,
            };
            td::run(&plan, arguments.json, &mut figures)?;
        }
        Paper::Multicore => multicore::run(arguments.seed, arguments.json, &mut figures)?,
        Paper::Rahtm => rahtm::run(arguments.seed, arguments.json, &mut figures)?,
        Paper::Heterogeneous => heterogeneous::run(arguments.seed, arguments.json, &mut figures)?,
    }
    figures.write()
}
