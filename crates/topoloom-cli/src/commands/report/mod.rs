//! `topoloom report`: one page that shows why a placement is better; `compare --html` writes the same.

mod candidates;
mod launches;
mod replay;
mod steps;

use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use topoloom::core::insight::{CollectiveShare, Recognition};
use topoloom::core::objective::{Energy, HopBytes};
use topoloom::core::{Mapping, Objective, Problem, Score, Weight, score_within};
use topoloom::io::atomic_write;
use topoloom::show::report::{CallTime, Placed, Report, TimeInMpi};

pub use candidates::Candidate;
pub use launches::Hosts;
pub use replay::{ReplayPlan, Replayed};

use super::baseline::{Baseline, PRESENT, ROUNDING, baselines, reference};
use super::map::AUTO;
use super::placement::{Named, name_kind};
use super::search::Searches;
use super::traffic::recognised;
use crate::cli::{ProblemArguments, ReportArguments, SearchArguments};
use crate::files::read_recording_without_events;
use crate::inputs::{CountedProblem, load_problem, names_a_recording, present_placement};
use crate::output::numbers::bytes;
use crate::output::{collectives, inform, warnings};
use crate::outputs;

/// What is compared where nothing is said: cheap ones of every kind, and what launchers do.
pub const USUAL: &str = "in-order,round-robin,random,scan,hilbert,greedy,bisection,multilevel,auto";

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
    // What others are compared with comes first: it takes no time, and shows whether the hosts suffice.
    with_default(&mut gathered, &told)?;
    launches::check(&told, &gathered.candidates[0].mapping)?;
    candidates::gather(&told, (chosen, named), &arguments.strategies, &mut gathered)?;
    write(&told, gathered, &arguments.output)
}

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

/// Refuses, before any search, what could not be written after it, or would replace what is read.
pub fn check_output<'a>(
    path: &Path,
    problem: &'a ProblemArguments,
    inputs: impl Iterator<Item = &'a String>,
) -> anyhow::Result<()> {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    if ending.is_none_or(|ending| ending != "html" && ending != "htm") {
        bail!("{}: a report is a page; expected a name that ends in .html", path.display());
    }
    let of_problem = [&problem.traffic, &problem.machine].into_iter();
    outputs::check(path, of_problem.chain(inputs).map(String::as_str))
}

/// Adds the default placement to candidates that do not have it.
pub fn with_default(gathered: &mut Gathered, told: &Told<'_>) -> anyhow::Result<()> {
    let Some(baseline) = told.baseline else {
        bail!("there is no default placement to compare others with");
    };
    let name = &baseline.name;
    if gathered.candidates.iter().any(|candidate| candidate.name == *name) {
        return Ok(());
    }
    gathered.candidates.push(match name.as_str() {
        PRESENT => Candidate {
            name: name.clone(),
            mapping: baseline.mapping.clone(),
            search: None,
            mean_cost: None,
        },
        strategy => candidates::search(strategy, told)?
            .map_err(|reason| anyhow::anyhow!("{strategy} is not applicable: {reason}"))?,
    });
    Ok(())
}

/// Writes the page.
pub fn write(told: &Told<'_>, gathered: Gathered, path: &Path) -> anyhow::Result<()> {
    let page = report(told, gathered)?.html();
    outputs::write_or_rescue("the report", |to| {
        atomic_write(&to.of(path), |writer| writer.write_all(page.as_bytes()))
    })?;
    inform(&format!("{}: the report, {}", path.display(), bytes(page.len() as f64)));
    Ok(())
}

fn report<'a>(told: &Told<'a>, mut gathered: Gathered) -> anyhow::Result<Report<'a>> {
    with_default(&mut gathered, told)?;
    let problem = told.problem;
    let rest = told.searches.rest_of_limit(Instant::now());
    let mut placements: Vec<Placed> =
        gathered.candidates.drain(..).map(|candidate| placed(told, candidate)).collect();
    // Stable: of equal ones the first stays first.
    placements.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let position = |name: &str| placements.iter().position(|placed| placed.name == name);
    let default = told.baseline.and_then(|baseline| position(&baseline.name)).unwrap_or(0);
    let mut chosen = gathered.chosen.as_deref().and_then(position).unwrap_or(0);
    // What was looked for to be better, and is not, is no reason to move.
    let tried = no_better(told, &gathered, &placements[chosen], &placements[default]);
    if tried.is_some() {
        chosen = default;
    }
    let mut without_energy = false;
    for number in [default, chosen] {
        let placed = &mut placements[number];
        // Every route is walked link by link, which takes longer than scoring does.
        let late = problem.traffic().num_flows() > MOST_UNTIMED && rest.is_over();
        without_energy |= late;
        (placed.joules, placed.busiest_seconds) =
            costs_of_links(problem, &placed.mapping, &placed.score, !late);
    }
    let mapping_file = steps::mapping_file(problem, &placements[chosen]);
    let (mut files, mut launches, mut launch_note) = (Vec::new(), Vec::new(), None);
    launches::add(told, &mapping_file, &mut files, &mut launches, &mut launch_note)?;
    let pair = [&placements[default], &placements[chosen]];
    let (simulation, not_simulated) = replay::simulate(told, pair, default == chosen)?;
    let steps = steps::steps(told, &placements[chosen], simulation.is_some());
    // What was said on the way belongs to what is shown.
    let mut remarks = warnings();
    remarks.extend(gathered.remarks);
    if without_energy {
        remarks.push("The energy of the links was not computed (time limit).".to_string());
    }
    let cut: Vec<&str> = placements.iter().filter(|p| !p.complete).map(|p| &p.name[..]).collect();
    if !cut.is_empty() {
        remarks.push(format!(
            "Cut short by a limit or an interruption, with the best result so far: {}.",
            cut.join(", ")
        ));
    }
    Ok(Report {
        problem,
        traffic: told.arguments.traffic.clone(),
        collectives: told.collectives.map(collectives::sentence),
        structure: recognised(
            &Recognition::of(problem.traffic(), problem.graph(), problem.weight()),
            problem.weight(),
        ),
        times: time_in_mpi(&told.arguments.traffic)?,
        placements,
        default,
        default_how: told.baseline.map_or("", Baseline::explanation),
        chosen,
        no_better_by: tried,
        sorted_by: match told.sorted_by_mean {
            true => format!("mean {}", told.objective.name()),
            false => told.objective.name().to_string(),
        },
        sorted_by_hop_bytes: told.objective.is_hop_bytes() && !told.sorted_by_mean,
        not_applicable: gathered.not_applicable,
        simulation,
        not_simulated,
        steps,
        files,
        launches,
        launch_note,
        version: env!("CARGO_PKG_VERSION").to_string(),
        remarks,
    })
}

/// How long ranks were in MPI, where the traffic is a recording that tells.
fn time_in_mpi(traffic: &str) -> anyhow::Result<Option<TimeInMpi>> {
    if !names_a_recording(traffic) {
        return Ok(None);
    }
    let times = read_recording_without_events(Path::new(traffic))?.times;
    Ok(times.map(|times| TimeInMpi {
        ranks: times
            .ranks
            .iter()
            .map(|time| time.map(|time| (time.wall_seconds(), time.mpi_seconds())))
            .collect(),
        calls: times
            .calls
            .iter()
            .map(|call| CallTime {
                call: call.call.clone(),
                partner: call.partner.name(),
                calls: call.calls,
                seconds: call.seconds(),
            })
            .collect(),
    }))
}

/// What the chosen placement does against the default one, in words, where it was looked for to be
/// better and is not. A mapping file, or a strategy that was named, is shown as it is.
fn no_better(
    told: &Told<'_>,
    gathered: &Gathered,
    chosen: &Placed,
    default: &Placed,
) -> Option<String> {
    let baseline = told.baseline.filter(|_| chosen.name != default.name)?;
    (gathered.looked_for_better && !baseline.is_beaten(chosen.cost, ROUNDING))
        .then(|| format!("{} {}", chosen.name, baseline.against(chosen.cost)))
}

fn placed(told: &Told<'_>, candidate: Candidate) -> Placed {
    let Candidate { name, mapping, search, mean_cost } = candidate;
    // The limit is for each step of a report; a problem keeps its bound once it is known.
    let mut rest = told.searches.rest_of_limit(Instant::now());
    Placed {
        score: score_within(told.problem, &mapping, &mut rest),
        cost: mean_cost.unwrap_or_else(|| told.objective.cost(told.problem, &mapping)),
        name,
        mapping,
        joules: None,
        busiest_seconds: None,
        seconds: search.filter(|_| !told.reproducible).map(|search| search.seconds),
        seed: search.map(|search| search.seed),
        objective: search.map(|search| search.objective),
        complete: search.is_none_or(|search| search.complete),
    }
}

/// Flows of which the energy is found whatever the clock says.
const MOST_UNTIMED: usize = 1 << 20;

/// The energy of what is sent, where it is wanted, and the time that the busiest link needs.
fn costs_of_links(
    problem: &Problem,
    mapping: &Mapping,
    score: &Score,
    with_energy: bool,
) -> (Option<f64>, Option<f64>) {
    let bytes_count = problem.weight() == Weight::Bytes;
    let fastest = problem.machine().topology().fastest_link();
    let Some(links) = score.links.filter(|_| bytes_count && fastest > 0.0) else {
        return (None, None);
    };
    let energy = with_energy.then(|| Energy.cost(problem, mapping));
    (energy, Some(links.max_relative_load / fastest))
}
