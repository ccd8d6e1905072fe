//! `topoloom report`: one page that shows why a placement is better; `compare --html` writes the same.

pub mod arguments;
mod candidate;
mod candidates;
mod hosts;
mod launches;
mod mapping_file;
mod page;
mod replay;
mod replay_plan;
mod steps;
mod told;

use std::path::Path;

use anyhow::bail;
use topoloom::core::objective::HopBytes;
use topoloom::io::STANDARD_OUTPUT;

pub use candidate::Candidate;
pub use hosts::Hosts;
pub use page::write;
pub use replay_plan::ReplayPlan;
pub use told::{Gathered, Told};

use crate::arguments::ProblemArguments;
use crate::inputs::{CountedProblem, load_problem, present_placement};
use crate::outputs;
use crate::placing::baseline::{baselines, reference};
use crate::placing::placement::{Named, name_kind};
use crate::placing::search::Searches;
use crate::placing::strategy_list::AUTO;
use crate::session;
use arguments::ReportArguments;

pub fn run(arguments: ReportArguments) -> anyhow::Result<()> {
    let inputs = [Some(&arguments.mapping), arguments.hosts.as_ref()];
    check_output(&arguments.output, &arguments.problem, inputs.into_iter().flatten())?;
    let hosts = Hosts::read(arguments.hosts.as_deref(), &arguments.command)?;
    let searches = Searches::new(arguments.search.clone())?;
    let mut problem_arguments = arguments.problem;
    let chosen = arguments.mapping.as_str();
    let named = name_kind(chosen)?;
    if let Named::File(file) = &named {
        problem_arguments.counting.imbalance =
            problem_arguments.counting.imbalance.or(file.imbalance);
    }
    let CountedProblem { problem, collectives } = load_problem(&problem_arguments)?;
    let searches = searches.suit(&problem, problem_arguments.costs()?.as_ref());
    let objective = searches.objective.as_deref().unwrap_or(&HopBytes);
    let present = present_placement(&problem_arguments.traffic, &problem)?;
    let baselines = baselines(&problem, objective, present);
    let options = (arguments.model.as_deref(), arguments.replay);
    let told = Told {
        problem: &problem,
        arguments: &problem_arguments,
        collectives: collectives.as_ref(),
        search: &arguments.search,
        searches: &searches,
        objective,
        baseline: reference(&baselines),
        replay: &ReplayPlan::new(options, &problem_arguments, &problem)?,
        hosts: &hosts,
        sorted_by_mean: false,
        reproducible: arguments.reproducible,
    };
    let looked_for_better = chosen == AUTO;
    let mut gathered = Gathered { looked_for_better, ..Gathered::default() };
    // The baseline comes first: it takes no time, and shows whether there are enough hosts.
    page::with_default(&mut gathered, &told)?;
    launches::check(&told, &gathered.candidates[0].mapping)?;
    candidates::gather(&told, (chosen, named), &arguments.strategy, &mut gathered)?;
    write(&told, gathered, &arguments.output)
}

/// Refuses, before any search, a file that could not be written after it, or would overwrite an
/// input.
pub fn check_output<'a>(
    path: &Path,
    problem: &'a ProblemArguments,
    inputs: impl Iterator<Item = &'a String>,
) -> anyhow::Result<()> {
    if session::is_in_memory(path) {
        return Ok(());
    }
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    let is_page = ending.is_some_and(|ending| ending == "html" || ending == "htm");
    if !is_page && path != Path::new(STANDARD_OUTPUT) {
        bail!("{}: a report is a page; expected a name that ends in .html", path.display());
    }
    let of_problem = [&problem.traffic, &problem.machine].into_iter();
    outputs::check(path, of_problem.chain(inputs).map(String::as_str))
}
