//! `topoloom map`: find a placement and write it to a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use clap::Args;
use topoloom::core::objective::{GroupBytes, HopBytes, LinkLoadMean, MaxLinkLoad};
use topoloom::core::{Effort, Mapping, Objective, Problem, parse_strategy};
use topoloom::io::{GainRecord, MappingFile, is_solution_name, write_mapping};

use crate::arguments::{
    ProblemArguments, SearchArguments, SeatArguments, WholeHostArguments, Worth,
};
use crate::files::loader;
use crate::inputs::{CountedProblem, load_problem, present_placement};
use crate::output::numbers::fine_percent;
use crate::output::table::wrapped;
use crate::output::{print, print_json, warn, warn_of_early_end};
use crate::outputs;
use crate::placing::baseline::{Baseline, baselines, comparison, kept_in_words, reference};
use crate::placing::record::{record, search_record};
use crate::placing::replayed::{Replays, SLACK, Times, has_hosts};
use crate::placing::score_text::show;
use crate::placing::search::{Found, Searches};
use crate::placing::strategy_list::AUTO;
use crate::placing::{costs, groups, idle_hosts};
use crate::session;

#[derive(Debug, Args)]
pub struct MapArguments {
    #[command(flatten)]
    pub problem: ProblemArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    /// The strategy, optionally followed by refiners: 'hilbert | bokhari'
    #[arg(long, default_value = AUTO)]
    pub strategy: String,
    /// Use the new placement only if it costs less by at least this share (1%, 0.5% or 0.01).
    /// Otherwise the present one, or the one that launchers make, is kept [default: 1% for auto, any
    /// gain for training jobs; results of other strategies are always used]
    #[arg(long, value_name = "SHARE")]
    pub worth: Option<Worth>,
    #[command(flatten)]
    pub whole_hosts: WholeHostArguments,
    #[command(flatten)]
    pub seats: SeatArguments,
    /// Keep the state of a search with --effort extreme in this file. The same command continues from
    /// it
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Write the mapping to this file: JSON, one node number per line if the name ends in .txt, or
    /// a QAPLIB solution if it ends in .sln
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(mut arguments: MapArguments) -> anyhow::Result<()> {
    let named = parse_strategy(&arguments.strategy)?;
    if let Some(path) = &arguments.output {
        let problem = &arguments.problem;
        let inputs =
            [Some(&problem.traffic), Some(&problem.machine), arguments.search.objective.as_ref()];
        outputs::check(path, inputs.into_iter().flatten().map(String::as_str))?;
    }
    let mut searches = Searches::new(arguments.search.clone())?;
    if let Some(path) = &arguments.checkpoint {
        if arguments.search.work.effort != Effort::Extreme {
            bail!("--checkpoint keeps the state of --effort extreme: other efforts have none");
        }
        outputs::check(path, [arguments.problem.traffic.as_str(), &arguments.problem.machine])?;
        searches = searches.with_checkpoint(path)?;
    }
    let costs = arguments.problem.costs()?;
    if let (Some(path), None) = (&arguments.output, &costs) {
        refuse_solution(path)?;
    }
    arguments.problem.machine = arguments.seats.machine(&arguments.problem)?;
    let CountedProblem { problem, collectives } = load_problem(&arguments.problem)?;
    let searches = searches.suit(&problem, costs.as_ref());
    let strategy = arguments.whole_hosts.strategy(&arguments.strategy, named, &problem)?;
    let present = present_placement(&arguments.problem.traffic, &problem)?;
    let starts: Vec<&Mapping> = present.iter().collect();
    let name = &arguments.strategy;
    let mut found =
        arguments.seats.search(&searches, name, strategy.as_ref(), &problem, &starts)?;
    if searches.has_useless_checkpoint() && !found.run.was_cut_short() {
        warn("no checkpoint was written: there is no evolution for this problem and objective");
    }
    if found.run.was_cut_short() {
        warn_of_early_end();
    }
    let objective = searches.objective.as_deref().unwrap_or(strategy.usual_objective());
    // The result is not compared with placements that break the rules for seats.
    let mut baselines = baselines(&problem, objective, present.clone());
    baselines.retain(|baseline| arguments.seats.allow(&baseline.mapping, &problem));
    // Launchers of training jobs fill hosts in the order of their list, whatever the network is.
    let is_listed = |baseline: &Baseline| baseline.name == "block";
    if problem.traffic().step().is_some() && baselines.iter().any(is_listed) {
        baselines.retain(|baseline| baseline.name != "in-order");
    }
    if arguments.whole_hosts.restricts() {
        baselines.clear();
    }
    let is_usual = arguments.strategy.trim() == AUTO && searches.objective.is_none();
    let mut times = None;
    if let (true, Some(baseline)) = (is_usual, reference(&baselines)) {
        let search = |searches: &Searches| {
            arguments.seats.search(searches, name, strategy.as_ref(), &problem, &starts).ok()
        };
        times = fastest(&arguments, &problem, &mut found, baseline, &searches, search);
    }
    let mut verdict = Verdict::of(&arguments, &found, &baselines, costs.is_some());
    verdict.hear(times, &arguments, &baselines);
    let mut name = arguments.strategy.clone();
    if let Some(kept) = verdict.kept {
        (found.mapping, found.cost, name) = (kept.mapping.clone(), kept.cost, kept.name.clone());
        found.shown_cost = objective.shown(&problem, &found.mapping, found.cost);
    }
    let file = || MappingFile {
        strategy: Some(name.clone()),
        objective: Some(found.objective.to_string()),
        seed: Some(searches.seed()),
        cost: costs.as_ref().map(|costs| costs.cost(&problem, &found.mapping)),
        traffic: traffic_name(&arguments.problem.traffic),
        ..MappingFile::of(&problem, &found.mapping)
    };
    if let Some(path) = &arguments.output {
        let file = file();
        outputs::write_or_rescue("the placement", |to| write_mapping(to.of(path), &file))?;
    }
    session::keep(|done| done.mapping = Some(file()));
    let score = searches.score(&problem, &found.mapping, found.started);
    let traffic = &arguments.problem.traffic;
    let mut record = record(&problem, traffic, collectives.as_ref(), &score);
    let mut search = search_record(&name, &found);
    search.notes.extend(idle_hosts::note(&problem, &found.mapping));
    record.search = Some(search);
    groups::add(&mut record, &problem, &found.mapping);
    costs::add(&mut record, &problem, &found.mapping, searches.objective.as_deref(), &costs)?;
    record.baseline_groups = reference(&baselines)
        .filter(|baseline| baseline.mapping != found.mapping)
        .and_then(|baseline| groups::records(&problem, &baseline.mapping));
    record.gain = verdict.record;
    if arguments.json {
        print_json(&record);
        return Ok(());
    }
    let mut text = show(&record);
    if let Some(sentence) = &verdict.sentence {
        text.push_str(&format!("\n{}\n", wrapped(sentence, "")));
    }
    match &arguments.output {
        Some(path) => text.push_str(&format!("\nwritten to {}\n", path.display())),
        None => text.push_str("\nnot written: give --output mapping.json to keep it\n"),
    }
    print(&text);
    Ok(())
}

/// The gain of the new placement, and whether it is worth it.
struct Verdict<'a> {
    record: Option<GainRecord>,
    sentence: Option<String>,
    /// The baseline, if it is kept.
    kept: Option<&'a Baseline>,
}

impl<'a> Verdict<'a> {
    /// A strategy that the user names is used as it is, unless a gain is required; `auto` must gain
    /// something.
    fn of(
        arguments: &MapArguments,
        found: &Found,
        baselines: &'a [Baseline],
        has_costs: bool,
    ) -> Self {
        let Some(baseline) = reference(baselines) else {
            return Verdict { record: None, sentence: None, kept: None };
        };
        let strategy = arguments.strategy.trim();
        // Most bytes of a training job never leave their host, so a small share counts there. Nobody
        // has placed the ranks of an assignment problem yet.
        let usual = match found.objective == GroupBytes.name() || has_costs {
            true => Worth::ANY,
            false => Worth::default(),
        };
        let usual = (strategy == AUTO).then_some(usual);
        let worth = arguments.worth.or(usual);
        let kept = worth.filter(|worth| !baseline.is_beaten(found.cost, worth.share()));
        let sentence = match kept {
            Some(worth) => kept_in_words(strategy, found.cost, worth, baseline),
            None => comparison(strategy, found.cost, found.objective, baselines),
        };
        // It is obvious that in-order costs as much as in-order.
        let is_baseline = baselines.len() == 1 && strategy == baseline.name;
        Verdict {
            record: Some(baseline.record(found.cost, Some(kept.is_some()))),
            sentence: (!is_baseline).then_some(sentence),
            kept: kept.map(|_| baseline),
        }
    }

    /// A placement by `auto` that costs less must not make the run slower, as far as a simulation can
    /// tell.
    fn hear(&mut self, times: Option<Times>, arguments: &MapArguments, all: &'a [Baseline]) {
        let (Some(times), Some(baseline)) = (times, reference(all)) else { return };
        if let Some(record) = &mut self.record {
            record.simulated_gain = times.gain();
        }
        if self.kept.is_none() && times.is_slower() {
            self.kept = Some(baseline);
            self.sentence = Some(times.kept_in_words(arguments.strategy.trim(), baseline));
            if let Some(record) = &mut self.record {
                record.kept = Some(true);
            }
        }
    }
}

/// Pairs of ranks up to which searches that look at links take a few seconds.
const MOST_FLOWS_FOR_LINKS: usize = 16_384;

/// Replays the placement that was found beside the one it would replace. On machines with several
/// hosts, placements for the loads of links are replayed too, and the fastest is used.
fn fastest(
    arguments: &MapArguments,
    problem: &Problem,
    found: &mut Found,
    baseline: &Baseline,
    searches: &Searches,
    search: impl Fn(&Searches) -> Option<Found>,
) -> Option<Times> {
    if found.mapping == baseline.mapping {
        return None;
    }
    let replays = Replays::new(&arguments.problem, problem, searches, found.started)?;
    let old = replays.seconds(&baseline.mapping)?;
    let mut new = replays.seconds(&found.mapping)?;
    let by_cost = new;
    let mut chosen = None;
    // With more pairs, a search that looks at links is not quick.
    let is_sparse = problem.traffic().num_flows() <= MOST_FLOWS_FOR_LINKS;
    let looks = has_hosts(problem) && is_sparse;
    let on_links: [Arc<dyn Objective>; 2] =
        [Arc::new(MaxLinkLoad), Arc::new(LinkLoadMean::default())];
    for objective in on_links.into_iter().filter(|_| looks) {
        // Each gets what the ones before it have left of the time limit.
        let Some(other) = search(&searches.quick(objective, found.started)) else { continue };
        let Some(seconds) = replays.seconds(&other.mapping) else { break };
        let cost = HopBytes.cost(problem, &other.mapping);
        if seconds < new * (1.0 - SLACK) && cost < baseline.cost {
            (found.mapping, found.cost, found.shown_cost) = (other.mapping, cost, cost);
            (new, chosen) = (seconds, Some(other.objective));
        }
    }
    if let Some(objective) = chosen {
        let less = fine_percent(1.0 - new / by_cost);
        let note =
            format!("auto: a placement for {objective}, whose simulated run takes {less} less");
        found.run.note(note);
    }
    Some(Times { new, old })
}

/// Refuses a file name for a solution of QAPLIB: such a file says what the placement costs, and here
/// no costs are given.
fn refuse_solution(path: &Path) -> anyhow::Result<()> {
    if is_solution_name(path) {
        bail!(
            "{}: a solution of QAPLIB needs the costs of a file of QAPLIB, given as --traffic without \
             --machine; otherwise use a name that ends in .json or .txt",
            path.display()
        );
    }
    Ok(())
}

/// The name of the traffic, if it can be read again.
fn traffic_name(given: &str) -> Option<String> {
    let is_gone = loader().is_in_memory(given) || given.starts_with("/dev/");
    (!is_gone).then(|| given.to_string())
}
