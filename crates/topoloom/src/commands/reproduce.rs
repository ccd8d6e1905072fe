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
    match arguments.paper {
        Paper::Haec => haec::run(arguments.seed, arguments.json),
        Paper::Td => {
            let model = arguments.model.as_deref().unwrap_or(td::MODEL);
            td::run(model, arguments.seed, arguments.json)
        }
        Paper::Multicore => multicore::run(arguments.seed, arguments.json),
        Paper::Rahtm => rahtm::run(arguments.seed, arguments.json),
        Paper::Heterogeneous => heterogeneous::run(arguments.seed, arguments.json),
    }
}
