//! A placement that a report compares with others.

use topoloom::core::Mapping;

use crate::placing::search::Found;

/// A placement and its origin.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The name of the strategy or of the file.
    pub name: String,
    pub mapping: Mapping,
    /// How it was found, if a search found it.
    pub search: Option<Search>,
    /// The mean cost of the runs of its strategy, if there were several.
    pub mean_cost: Option<f64>,
}

/// How a placement was found.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    pub seconds: f64,
    pub seed: u64,
    /// What was optimised.
    pub objective: &'static str,
    /// Whether it was not cut short.
    pub complete: bool,
}

impl Candidate {
    /// The result of a strategy.
    pub fn found(name: &str, found: Found) -> Candidate {
        let search = Search {
            seconds: found.seconds,
            seed: found.run.seed(),
            objective: found.objective,
            complete: !found.run.was_cut_short(),
        };
        let name = name.to_string();
        Candidate { name, mapping: found.mapping, search: Some(search), mean_cost: None }
    }
}
