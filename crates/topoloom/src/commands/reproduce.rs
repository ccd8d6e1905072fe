//! `topoloom reproduce`: a paper's tables beside ours.

mod haec;
mod haec_tables;
mod heterogeneous;
mod multicore;
mod rahtm;
mod td;

use crate::cli::{Paper, ReproduceArguments};

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
    match arguments.paper {
        Paper::Haec => haec::run(arguments.seed, arguments.json),
        Paper::Td => {
            let plan = td::Plan {
                model: arguments.model.as_deref().unwrap_or(td::MODEL),
                routing: arguments.routing.as_deref(),
                mappings: arguments.mappings.map_or(td::MAPPINGS, u64::from),
                seed: arguments.seed,
            };
            td::run(&plan, arguments.json)
        }
        Paper::Multicore => multicore::run(arguments.seed, arguments.json),
        Paper::Rahtm => rahtm::run(arguments.seed, arguments.json),
        Paper::Heterogeneous => heterogeneous::run(arguments.seed, arguments.json),
    }
}
