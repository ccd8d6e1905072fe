//! What the arguments name: traffic, machines and mappings.

use std::path::Path;
use std::sync::Arc;

use anyhow::bail;
use topoloom::core::budget;
use topoloom::core::insight::CollectiveShare;
use topoloom::core::objective::CostMatrix;
use topoloom::core::seats::present_slots;
use topoloom::core::topology::Cluster;
use topoloom::core::{CollectiveMode, Machine, Mapping, Problem, Spec, Trace, Traffic, Weight};
use topoloom::io::{LoadError, MappingFile, PlacementError, Warnings, machine_without_structure};

use crate::arguments::{ProblemArguments, RECORDED, ReplayedArguments};
use crate::crew;
use crate::files::{self, loader};
use crate::output::collectives::shares_in_words;
use crate::output::numbers::grouped;
use crate::output::warn;

/// Traffic with its collectives turned into messages or left out.
pub struct Counted {
    pub traffic: Traffic,
    /// The share of collectives; `None` if there are none.
    pub collectives: Option<CollectiveShare>,
}

/// The traffic that `text` names, with collectives turned into messages or left out.
pub fn load_traffic(
    text: &str,
    weight: Weight,
    collectives: CollectiveMode,
) -> anyhow::Result<Traffic> {
    Ok(load_counted(text, weight, collectives)?.traffic)
}

/// The same, with the share of its collectives.
pub fn load_counted(
    text: &str,
    weight: Weight,
    collectives: CollectiveMode,
) -> anyhow::Result<Counted> {
    expanded(load_traffic_as_it_is(text, weight)?, text, collectives)
}

/// Traffic that `text` names, with its collectives turned into messages or left out. A message says
/// what is left out.
pub fn expanded(
    traffic: Traffic,
    text: &str,
    collectives: CollectiveMode,
) -> anyhow::Result<Counted> {
    if traffic.collectives().is_empty() {
        return Ok(Counted { traffic, collectives: None });
    }
    let with = traffic.with_collectives(collectives).map_err(|error| {
        let share = CollectiveShare::left_out(&traffic);
        let share = share.map_or(String::new(), |share| format!(" ({})", shares_in_words(&share)));
        anyhow::anyhow!(
            "{text}: {error}; give --collectives none to leave them out{share}, or an algorithm of \
             fewer pairs, such as algorithm:alltoall=bruck"
        )
    })?;
    let share = match collectives {
        CollectiveMode::None => CollectiveShare::left_out(&traffic),
        mode => CollectiveShare::counted(mode, &traffic, &with),
    };
    warn_of_left_out(text, share.as_ref());
    if share.is_some() && with.num_flows() > MANY_FLOWS {
        warn(&format!(
            "{text}: with its collectives it has {} flows between pairs, which takes time and \
             memory; --collectives none leaves them out",
            grouped(with.num_flows() as f64)
        ));
    }
    Ok(Counted { traffic: with, collectives: share })
}

/// With more flows than this, users should know why nothing happens for a while.
const MANY_FLOWS: usize = 1 << 22;

fn warn_of_left_out(text: &str, share: Option<&CollectiveShare>) {
    if let Some(share) = share.filter(|share| share.mode == CollectiveMode::None) {
        warn(&format!(
            "{text}: collectives are left out, {}; give --collectives algorithm or direct to count \
             them",
            shares_in_words(share)
        ));
    }
}

/// The traffic that `text` names, with collectives kept as they are.
pub fn load_traffic_as_it_is(text: &str, weight: Weight) -> anyhow::Result<Traffic> {
    Ok(warned(loader().traffic(text, weight)?))
}

/// The value that was read, after the user has been told what it lacks.
fn warned<T>((value, warnings): (T, Warnings)) -> T {
    warnings.iter().for_each(|warning| warn(warning));
    value
}

/// Whether `text` names a file of events.
pub fn names_a_trace(text: &str) -> bool {
    loader().names_a_trace(text)
}

/// Whether `text` names a file of the recorder.
pub fn names_a_recording(text: &str) -> bool {
    loader().names_a_recording(text)
}

/// What is replayed, with collectives turned into messages.
pub struct Replayed {
    pub trace: Trace,
    /// As it was given.
    pub name: String,
    /// `trace`, `burst` or `rounds=N`.
    pub replay: String,
    pub collectives: String,
    /// The share of collectives; `None` if there are none.
    pub collective_share: Option<CollectiveShare>,
}

/// The bytes of a send, a receive, and what is noted while they are written.
const BYTES_OF_REPLAY: u64 = 96;

/// The replay that the arguments ask for.
pub fn load_replayed(arguments: &ReplayedArguments) -> anyhow::Result<Replayed> {
    let mode = arguments.collectives.mode;
    let replayed = |name: &str, replay: String, trace: Trace, share| Replayed {
        trace,
        name: name.to_string(),
        replay,
        collectives: mode.to_string(),
        collective_share: share,
    };
    let events = |text: &str, trace: Trace| -> anyhow::Result<Replayed> {
        let (trace, share) = expanded_trace(trace, mode)?;
        warn_of_left_out(text, share.as_ref());
        Ok(replayed(text, "trace".into(), trace, share))
    };
    if let Some(text) = &arguments.trace {
        return events(text, load_trace(text)?);
    }
    let text = arguments.traffic.as_deref().unwrap_or_default();
    let in_order = match arguments.replay {
        None => trace_in_order(text)?,
        Some(_) => None,
    };
    match in_order {
        Some(trace) => events(text, trace),
        None => {
            let Counted { traffic, collectives } = load_counted(text, Weight::Bytes, mode)?;
            let replay = arguments.replay.unwrap_or_default();
            let what = format!("the events of {text}");
            budget::memory().check_items(&what, traffic.num_flows() as u64, BYTES_OF_REPLAY)?;
            let trace = Trace::of_traffic(&traffic, replay);
            Ok(replayed(text, replay.to_string(), trace, collectives))
        }
    }
}

/// Events with collectives turned into messages or left out, and the share of the collectives.
fn expanded_trace(
    trace: Trace,
    mode: CollectiveMode,
) -> anyhow::Result<(Trace, Option<CollectiveShare>)> {
    if trace.collectives().is_empty() {
        return Ok((trace.expanded(mode)?, None));
    }
    let traffic = trace.traffic();
    let expanded = trace.expanded(mode)?;
    let share = match mode {
        CollectiveMode::None => CollectiveShare::left_out(&traffic),
        mode => CollectiveShare::counted(mode, &traffic, &expanded.traffic()),
    };
    Ok((expanded, share))
}

/// The events of the traffic that `text` names, if their order is known.
pub fn trace_in_order(text: &str) -> anyhow::Result<Option<Trace>> {
    Ok(warned(loader().trace_in_order(text)?))
}

/// The trace that `text` names: a file, or a pattern whose order of events is known.
pub fn load_trace(text: &str) -> anyhow::Result<Trace> {
    match loader().trace(text) {
        Err(error @ LoadError::NoOrder(_)) => bail!("{error}; give --traffic to replay a burst"),
        read => Ok(warned(read?)),
    }
}

/// The machine that `text` names, after the user has been told what had to be assumed.
pub fn load_machine(text: &str, routing: Option<&str>) -> anyhow::Result<Machine> {
    let machine = warned(loader().machine(text)?);
    match routing {
        Some(routing) => Ok(machine.with_routing(routing)?),
        None => Ok(machine),
    }
}

/// A problem, and the share of collectives in its traffic.
pub struct CountedProblem {
    pub problem: Problem,
    /// `None` if there are none.
    pub collectives: Option<CollectiveShare>,
}

impl ProblemArguments {
    /// What each pair of nodes costs, if the traffic file says it and no machine is given.
    pub fn costs(&self) -> anyhow::Result<Option<Arc<CostMatrix>>> {
        match self.machine == RECORDED {
            true => Ok(loader().costs_beside_traffic(&self.traffic)?.map(Arc::new)),
            false => Ok(None),
        }
    }

    /// The machine that is meant: the one that was given, the seats of a recording, or the nodes of
    /// an assignment problem.
    pub fn machine_or_seats(&self) -> anyhow::Result<String> {
        match self.machine == RECORDED {
            false => Ok(self.machine.clone()),
            true if names_a_recording(&self.traffic) => {
                let spec = Spec {
                    name: Cluster::NAME.to_string(),
                    shape: Some(self.traffic.clone()),
                    options: Vec::new(),
                };
                Ok(spec.to_string())
            }
            true => match self.costs()? {
                Some(costs) => Ok(machine_without_structure(costs.num_nodes())),
                None => bail!(
                    "--machine is missing: it may be left out only if the traffic is a recording, \
                     whose seats are then the machine, or a file of QAPLIB, which has costs between \
                     nodes"
                ),
            },
        }
    }
}

/// Where the ranks of a problem are now, if its traffic is a recording that contains seats, and the
/// machine has these seats.
pub fn present_placement(traffic: &str, problem: &Problem) -> anyhow::Result<Option<Mapping>> {
    let Some(cluster) = problem.machine().topology().cluster() else { return Ok(None) };
    if !names_a_recording(traffic) {
        return Ok(None);
    }
    let seats = files::read_recording_without_events(Path::new(traffic))?.job_seats();
    let slots = seats.and_then(|seats| present_slots(&seats, cluster));
    Ok(slots.and_then(|slots| problem.mapping(slots).ok()))
}

/// The problem that the arguments describe.
pub fn load_problem(arguments: &ProblemArguments) -> anyhow::Result<CountedProblem> {
    let counting = &arguments.counting;
    let machine = load_machine(&arguments.machine_or_seats()?, counting.routing.as_deref())?;
    let Counted { traffic, collectives } =
        load_counted(&arguments.traffic, counting.weight, counting.collectives.mode)?;
    let problem = Problem::with_imbalance(traffic, machine, counting.weight, counting.imbalance)?;
    Ok(CountedProblem { problem: crew::in_common(problem), collectives })
}

/// A mapping for one machine can be meant for another, but this is unlikely.
pub fn warn_of_another_machine(file: &MappingFile, machine: &Machine) {
    if let Some(made_for) = file.machine.as_ref().filter(|made_for| *made_for != machine.spec()) {
        warn(&format!("the mapping was made for {made_for}, not for {}", machine.spec()));
    }
}

/// The mapping that a file describes; a list of nodes fills each node's slots in order.
pub fn mapping_of_file(file: &MappingFile, problem: &Problem) -> anyhow::Result<Mapping> {
    match file.placement(problem) {
        Err(error @ PlacementError::Seats(_)) => bail!("{error}; `topoloom check` shows more"),
        placement => Ok(placement?),
    }
}
