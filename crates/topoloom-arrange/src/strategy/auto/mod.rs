//! `auto`: the best result of all strategies, improved.

mod amount;
mod columns;
mod grids;
mod parts;
mod search;

use topoloom_core::{Entry, Parameter, SpecError};

pub(super) use search::Auto;

use super::interface::ArrangerBuilder;
use super::shared_links::SharedLinks;

pub(super) static ENTRY: Entry<ArrangerBuilder> = Entry {
    name: "auto",
    summary: "the best of the heuristics, improved by exact orders, exchanges and random changes",
    example: "auto",
    parameters: &[Parameter {
        name: "rounds",
        default: "by effort",
        summary: "random changes per search",
    }],
    build: |spec| {
        spec.no_shape()?;
        let rounds = spec.get::<u64>("rounds", "a number of rounds")?;
        if rounds.is_some_and(|rounds| rounds > 1_000_000_000) {
            return Err(SpecError::new("auto: expected at most 1000000000 rounds"));
        }
        Ok(Box::new(Auto { rounds, asks: Some(|| Box::new(SharedLinks::default())) }))
    },
};
