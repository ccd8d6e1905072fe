//! `topoloom reproduce`: a paper's tables beside ours.

mod haec;
mod haec_tables;
mod rahtm;
mod td;

use crate::cli::{Paper, ReproduceArguments};
use crate::progress::set_threads;

pub fn run(arguments: ReproduceArguments) -> anyhow::Result<()> {
    set_threads(arguments.threads)?;
    match arguments.paper {
        Paper::Haec => haec::run(arguments.seed, arguments.json),
        Paper::Td => td::run(arguments.seed, arguments.json),
        Paper::Rahtm => rahtm::run(arguments.seed, arguments.json),
    }
}
