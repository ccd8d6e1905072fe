//! What the arguments name: traffic, machines and mappings.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use topoloom::core::budget;
use topoloom::core::insight::CollectiveShare;
use topoloom::core::seats::present_slots;
use topoloom::core::topology::{Cluster, PLATFORM};
use topoloom::core::{
    CollectiveMode, Machine, Mapping, PATTERNS, Problem, Spec, Trace, Traffic, Weight,
    parse_pattern, parse_trace,
};
use topoloom::io::{
    Input, MachineError, MappingFile, ReadError, Warnings, describes_machine, describes_platform,
    is_arrangement, is_recording, is_trace, trace_of, traffic_of,
};

use crate::cli::{ProblemArguments, RECORDED, ReplayedArguments};
use crate::files;
use crate::output::collectives::shares_in_words;
use crate::output::numbers::{grouped, plural};
use crate::output::warn;

/// Traffic with its collectives turned into messages or left out.
pub struct Counted {
    pub traffic: Traffic,
    /// What part collectives are; `None` where there are none.
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

/// Traffic that `text` names, with its collectives turned into messages or left out. What is left
/// out is told.
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

/// Flows beyond which people should know why nothing happens for a while.
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

/// The traffic that `text` names, collectives as such: a pattern, unless a file of that name
/// exists.
pub fn load_traffic_as_it_is(text: &str, weight: Weight) -> anyhow::Result<Traffic> {
    if !names_a_file(text) {
        return parse_pattern(text).with_context_of_traffic(text);
    }
    let input = files::open(Path::new(text))?;
    // The totals of a recording hold more than its events, such as one-sided communication; those of
    // an arrangement take less to make.
    let has_totals = is_recording(input.beginning()) || is_arrangement(input.beginning());
    match is_trace(&input) && !has_totals {
        true => Ok(warned(trace_of(&input))?.traffic()),
        false => Ok(warned(traffic_of(&input, weight))?),
    }
}

/// What was read, once the user has been told what it lacks.
fn warned<T>(read: Result<(T, Warnings), ReadError>) -> Result<T, ReadError> {
    let (value, warnings) = read?;
    warnings.iter().for_each(|warning| warn(warning));
    Ok(value)
}

/// Whether a file is meant, not a pattern.
fn names_a_file(text: &str) -> bool {
    let is_pattern = Spec::parse(text)
        .is_ok_and(|spec| PATTERNS.entries.iter().any(|entry| entry.name == spec.name));
    Path::new(text).exists() || (!is_pattern && looks_like_a_path(text))
}

/// Whether a file of events is meant.
pub fn names_a_trace(text: &str) -> bool {
    named_input(text).is_some_and(|input| is_trace(&input))
}

/// Whether a file of the recorder is meant.
pub fn names_a_recording(text: &str) -> bool {
    named_input(text).is_some_and(|input| is_recording(input.beginning()))
}

/// The file that is meant; what is wrong with it is said when it is read.
fn named_input(text: &str) -> Option<Arc<Input>> {
    names_a_file(text).then(|| files::open(Path::new(text)).ok()).flatten()
}

/// What is replayed, with collectives turned into messages.
pub struct Replayed {
    pub trace: Trace,
    /// As it was given.
    pub name: String,
    /// `trace`, `burst` or `rounds=N`.
    pub replay: String,
    pub collectives: String,
    /// What part collectives are; `None` where there are none.
    pub collective_share: Option<CollectiveShare>,
}

/// A send, a receive, and what is noted while they are written.
const BYTES_OF_REPLAY: u64 = 96;

/// What the arguments ask to replay.
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

/// Events with collectives turned into messages or left out, and what part these are.
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
    if names_a_trace(text) {
        Ok(Some(read_trace(text)?))
    } else if names_a_file(text) {
        Ok(None)
    } else {
        parse_trace(text).with_context_of_traffic(text)
    }
}

/// The trace in the file that `text` names.
fn read_trace(text: &str) -> Result<Trace, ReadError> {
    let input = files::open(Path::new(text))?;
    warned(trace_of(&input))
}

/// The trace that `text` names: a file, or a pattern whose order of events is known.
pub fn load_trace(text: &str) -> anyhow::Result<Trace> {
    if names_a_file(text) {
        return Ok(read_trace(text)?);
    }
    match parse_trace(text).with_context_of_traffic(text)? {
        Some(trace) => Ok(trace),
        None => bail!("{text}: the order of events is not known; give --traffic to replay a burst"),
    }
}

trait TrafficContext<T> {
    fn with_context_of_traffic(self, text: &str) -> anyhow::Result<T>;
}

impl<T> TrafficContext<T> for Result<T, topoloom::core::SpecError> {
    /// A bare word may have been meant as a file.
    fn with_context_of_traffic(self, text: &str) -> anyhow::Result<T> {
        self.map_err(|error| {
            let unknown = error.is_unknown_name();
            let hint =
                if unknown { format!(" (and there is no file \"{text}\")") } else { String::new() };
            anyhow::anyhow!("{error}{hint}")
        })
    }
}

fn looks_like_a_path(text: &str) -> bool {
    text.contains(['/', '\\']) || Path::new(text).extension().is_some()
}

/// The machine that `text` names: a specification, a file that describes one, or a file that
/// holds a specification on its first line that is neither empty nor a comment.
pub fn load_machine(text: &str, routing: Option<&str>) -> anyhow::Result<Machine> {
    let path = Path::new(text);
    let machine = if files::is_readable(path) || (text.contains(['/', '\\']) && !text.contains(':'))
    {
        machine_from_file(path)?
    } else {
        machine_of(text).map_err(|error| {
            let unknown = is_unknown_topology(&error) && looks_like_a_path(text);
            let hint =
                if unknown { format!(" (and there is no file \"{text}\")") } else { String::new() };
            anyhow::anyhow!("{error}{hint}")
        })?
    };
    match routing {
        Some(routing) => Ok(machine.with_routing(routing)?),
        None => Ok(machine),
    }
}

/// The machine of a specification, once the user has been told what had to be supposed.
fn machine_of(text: &str) -> Result<Machine, MachineError> {
    let (machine, warnings) = files::read_machine(text)?;
    warnings.iter().for_each(|warning| warn(warning));
    Ok(machine)
}

/// Whether something other than a specification may have been meant.
fn is_unknown_topology(error: &MachineError) -> bool {
    matches!(error, MachineError::Spec(error) if error.is_unknown_name())
}

fn machine_from_file(path: &Path) -> anyhow::Result<Machine> {
    let name = path.display();
    let bytes = files::open(path)?.bytes()?;
    if describes_machine(&bytes) {
        return Ok(machine_of(&format!("{}:{name}", Cluster::NAME))?);
    }
    if describes_platform(&bytes) {
        return Ok(machine_of(&format!("{PLATFORM}:{name}"))?);
    }
    let content = str::from_utf8(&bytes)
        .with_context(|| format!("{name}: expected a machine such as torus:4x4x4"))?;
    let line = content
        .lines()
        .enumerate()
        .map(|(number, line)| (number + 1, line.trim()))
        .find(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    match line {
        Some((number, line)) => machine_of(line).map_err(|error| {
            let hint = if is_unknown_topology(&error) {
                format!(
                    "; if this is a list of links, give graph:{name}; if it is a list of hosts, \
                     import it (topoloom machine import)"
                )
            } else {
                String::new()
            };
            anyhow::anyhow!("{name}:{number}: {error}{hint}")
        }),
        None => bail!("{name}: expected a machine such as torus:4x4x4, found nothing"),
    }
}

/// A problem, and what part collectives have in its traffic.
pub struct CountedProblem {
    pub problem: Problem,
    /// `None` where there are none.
    pub collectives: Option<CollectiveShare>,
}

impl ProblemArguments {
    /// The machine that is meant: the one that was given, or the seats of a recording.
    pub fn machine_or_seats(&self) -> anyhow::Result<String> {
        match self.machine == RECORDED {
            false => Ok(self.machine.clone()),
            true if names_a_recording(&self.traffic) => {
                Ok(format!("{}:{}", Cluster::NAME, self.traffic))
            }
            true => bail!(
                "--machine is missing: it may be left out only if the traffic is a recording, \
                 whose seats are then the machine"
            ),
        }
    }
}

/// Where the ranks of a problem are now, if its traffic is a recording that tells, and the machine
/// has these seats.
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
    Ok(CountedProblem { problem, collectives })
}

/// A mapping for one machine may be meant for another, but hardly.
pub fn warn_of_another_machine(file: &MappingFile, machine: &Machine) {
    if let Some(made_for) = file.machine.as_ref().filter(|made_for| *made_for != machine.spec()) {
        warn(&format!("the mapping was made for {made_for}, not for {}", machine.spec()));
    }
}

/// What the seats of a mapping file say that the machine does not: launchers go by the seats.
pub fn wrong_seats(file: &MappingFile, machine: &Machine) -> Vec<String> {
    let (Some(seating), Some(cluster)) = (&file.seating, machine.topology().cluster()) else {
        return Vec::new();
    };
    let hosts = &cluster.description().hosts;
    let mut wrong = Vec::new();
    if !hosts.iter().map(|host| &host.name).eq(&seating.hosts) {
        wrong.push("the hosts of the mapping are not the hosts of the machine".to_string());
    }
    let nodes = file.node_of_rank.iter().zip(&seating.seats).enumerate();
    for (rank, (&node, seat)) in nodes {
        match cluster.places().get(node as usize) {
            Some(place) if place != seat => {
                wrong.push(format!(
                    "rank {rank}: its host, core or CPUs differ from those of node {node}"
                ));
            }
            _ => {}
        }
    }
    wrong
}

/// The mapping that a file describes; a list of nodes fills each node's slots in order.
pub fn mapping_of_file(file: &MappingFile, problem: &Problem) -> anyhow::Result<Mapping> {
    let machine = problem.machine();
    if file.node_of_rank.len() != problem.num_ranks() {
        bail!(
            "{} in the mapping, {} in the traffic",
            plural(file.node_of_rank.len(), "rank"),
            plural(problem.num_ranks(), "rank")
        );
    }
    let slots = match &file.slot_of_rank {
        Some(slots) => slots.clone(),
        None => slots_of_nodes(&file.node_of_rank, problem)?,
    };
    if let Some(wrong) = wrong_seats(file, machine).first() {
        bail!("{wrong}; `topoloom check` shows more");
    }
    let mapping = problem.mapping(slots)?;
    if let Some(rank) = (0..problem.num_ranks())
        .find(|&rank| mapping.slots()[rank] / machine.slots_per_node() != file.node_of_rank[rank])
    {
        bail!(
            "rank {rank}: slot {} is not on node {}",
            mapping.slots()[rank],
            file.node_of_rank[rank]
        );
    }
    Ok(mapping)
}

fn slots_of_nodes(nodes: &[u32], problem: &Problem) -> anyhow::Result<Vec<u32>> {
    let machine = problem.machine();
    let last = machine.num_nodes() - 1;
    if let Some(rank) = nodes.iter().position(|&node| node as usize > last) {
        bail!("rank {rank} is on node {}, but the machine has nodes 0 to {last}", nodes[rank]);
    }
    let per_node = machine.slots_per_node();
    let sharing = problem.sharing();
    // Heavy ranks first, for they find room least easily; others in their order.
    let mut ranks: Vec<u32> = (0..nodes.len() as u32).collect();
    if sharing.is_some() && problem.traffic().rank_weights().is_some() {
        ranks.sort_by(|&a, &b| problem.rank_weight(b).total_cmp(&problem.rank_weight(a)));
    }
    let mut held = vec![0.0; machine.num_slots()];
    let mut slots = vec![0; nodes.len()];
    for rank in ranks {
        let node = nodes[rank as usize];
        let (weight, capacity) = match sharing {
            Some(sharing) => (problem.rank_weight(rank), sharing.slot_capacity),
            None => (1.0, 1.0),
        };
        let has_room = |&slot: &u32| held[slot as usize] + weight <= capacity;
        let Some(slot) = (node * per_node..(node + 1) * per_node).find(has_room) else {
            let slots = plural(per_node as usize, "slot");
            match sharing {
                Some(_) => bail!("node {node} holds more than its {slots} of {capacity} each"),
                None => bail!("node {node} holds more ranks than its {slots}"),
            }
        };
        held[slot as usize] += weight;
        slots[rank as usize] = slot;
    }
    Ok(slots)
}
