//! The subject of a report, and the results for it.

use topoloom::core::insight::CollectiveShare;
use topoloom::core::{Objective, Problem};

use super::candidate::Candidate;
use super::hosts::Hosts;
use super::replay_plan::ReplayPlan;
use crate::arguments::{ProblemArguments, SearchArguments};
use crate::placing::baseline::Baseline;
use crate::placing::search::Searches;

/// The results, before they are presented.
#[derive(Default)]
pub struct Gathered {
    /// In any order; the default placement is among them.
    pub candidates: Vec<Candidate>,
    /// The name of the chosen one; `None` chooses the best.
    pub chosen: Option<String>,
    /// Whether it was chosen because it should be better than others, not because the user named
    /// it.
    pub looked_for_better: bool,
    /// Strategies that do not fit, and why.
    pub not_applicable: Vec<(String, String)>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// The subject of a report.
pub struct Told<'a> {
    pub problem: &'a Problem,
    pub arguments: &'a ProblemArguments,
    /// The share of collectives in the traffic.
    pub collectives: Option<&'a CollectiveShare>,
    pub search: &'a SearchArguments,
    pub searches: &'a Searches,
    pub objective: &'a dyn Objective,
    /// The placement that others are compared with, if there is one.
    pub baseline: Option<&'a Baseline>,
    pub replay: &'a ReplayPlan,
    pub hosts: &'a Hosts,
    /// Whether candidates are sorted by the mean of several runs.
    pub sorted_by_mean: bool,
    /// Whether the page must not contain anything that depends on the clock.
    pub reproducible: bool,
}
