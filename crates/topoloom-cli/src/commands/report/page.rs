//! The page itself: every placement scored, the best beside the default one.

use std::path::Path;
use std::time::Instant;

use anyhow::bail;
use topoloom::core::insight::Recognition;
use topoloom::core::objective::Energy;
use topoloom::core::{Mapping, Objective, Problem, Score, Weight, score_within};
use topoloom::io::atomic_write;
use topoloom::show::report::{CallTime, Placed, Report, TimeInMpi};

use super::candidate::Candidate;
use super::told::{Gathered, Told};
use super::{candidates, launches, mapping_file, replay, steps};
use crate::files::read_recording_without_events;
use crate::inputs::names_a_recording;
use crate::output::numbers::bytes;
use crate::output::structure::recognised;
use crate::output::{collectives, inform, warnings};
use crate::outputs;
use crate::placing::baseline::{Baseline, PRESENT, ROUNDING};
use crate::session;

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
        strategy => candidates::search(strategy, strategy, told)?
            .map_err(|reason| anyhow::anyhow!("{strategy} is not applicable: {reason}"))?,
    });
    Ok(())
}

/// Writes the page.
pub fn write(told: &Told<'_>, gathered: Gathered, path: &Path) -> anyhow::Result<()> {
    let page = report(told, gathered)?.html();
    if session::is_in_memory(path) {
        session::keep(|done| done.page = Some(page));
        return Ok(());
    }
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
    // Stable: among equals, the first stays first.
    placements.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let position = |name: &str| placements.iter().position(|placed| placed.name == name);
    let default = told.baseline.and_then(|baseline| position(&baseline.name)).unwrap_or(0);
    let mut chosen = gathered.chosen.as_deref().and_then(position).unwrap_or(0);
    // A placement that was searched for and is not better is no reason to move.
    let tried = no_better(told, &gathered, &placements[chosen], &placements[default]);
    if tried.is_some() {
        chosen = default;
    }
    let mut without_energy = false;
    for number in [default, chosen] {
        let placed = &mut placements[number];
        // Every route is walked link by link, which takes longer than scoring.
        let late = problem.traffic().num_flows() > MOST_UNTIMED && rest.is_over();
        without_energy |= late;
        (placed.joules, placed.busiest_seconds) =
            costs_of_links(problem, &placed.mapping, &placed.score, !late);
    }
    let mapping_file = mapping_file::mapping_file(problem, &placements[chosen]);
    let (mut files, mut launches, mut launch_note) = (Vec::new(), Vec::new(), None);
    launches::add(told, &mapping_file, &mut files, &mut launches, &mut launch_note)?;
    let pair = [&placements[default], &placements[chosen]];
    let (simulation, not_simulated) = replay::simulate(told, pair, default == chosen)?;
    let steps = steps::steps(told, &placements[chosen], simulation.is_some());
    // Earlier warnings belong on the page too.
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

/// How long ranks were in MPI, if the traffic is a recording with times.
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

/// How the chosen placement compares with the default one, in words, if it should be better but is
/// not. A mapping file, or a strategy that the user named, is shown as it is.
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
    // The limit applies to each step of a report; a problem keeps its bound once it is known.
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

/// Up to this many flows, the energy is computed whatever the clock says.
const MOST_UNTIMED: usize = 1 << 20;

/// The energy of the messages, if it is wanted, and the time that the busiest link needs.
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
