//! The list of refiners.

use super::entry::RefinerBuilder;
use super::{anneal, mapper, memetic, relieve, swap, tabu};
use crate::registry::Registry;

/// Every known refiner.
pub static REFINERS: Registry<RefinerBuilder> = Registry {
    kind: "refiner",
    entries: &[
        &mapper::ENTRY,
        &swap::ENTRY,
        &tabu::ENTRY,
        &memetic::ENTRY,
        &anneal::ENTRY,
        &relieve::ENTRY,
    ],
    common: &[],
};
