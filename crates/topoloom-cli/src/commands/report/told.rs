//! What a report is about, and what was found for it.

use topoloom::core::insight::CollectiveShare;
use topoloom::core::{Objective, Problem};

use super::candidate::Candidate;
use super::hosts::Hosts;
use super::replay_plan::ReplayPlan;
use crate::arguments::{ProblemArguments, SearchArguments};
use crate::placing::baseline::Baseline;
use crate::placing::search::Searches;

/// What was found, before it is told.
#[derive(Default)]
pub struct Gathered {
    /// In any order; the default placement is among them.
    pub candidates: Vec<Candidate>,
    /// The name of the chosen one; the best if none is.
    pub chosen: Option<String>,
    /// Whether it was chosen because it should be better than others, not named by the user.
    pub looked_for_better: bool,
    /// Strategies that do not fit, and why.
    pub not_applicable: Vec<(String, String)>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// What a report is about.
pub struct Told<'a> {
    pub problem: &'a Problem,
    pub arguments: &'a ProblemArguments,
    /// What part of the traffic collectives are.
    pub collectives: Option<&'a CollectiveShare>,
    pub search: &'a SearchArguments,
    pub searches: &'a Searches,
    pub objective: &'a dyn Objective,
    /// What others are compared with, where there is anything.
    pub baseline: Option<&'a Baseline>,
    pub replay: &'a ReplayPlan,
    pub hosts: &'a Hosts,
    /// Whether candidates are sorted by the mean of several runs.
    pub sorted_by_mean: bool,
    /// Whether nothing may be told that a clock said.
    pub reproducible: bool,
}
