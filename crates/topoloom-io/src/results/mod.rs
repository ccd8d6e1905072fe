//! The results of the program, as JSON and CSV.

pub(crate) mod score_record;
pub(crate) mod simulation_record;
