//! Traffic from the traces of some or all ranks of a job.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use topoloom_core::traffic::Group;
use topoloom_core::training::{Call, Carry, GroupKind, GroupName, Operation, StepTraffic};
use topoloom_core::words::counted;
use topoloom_core::{Traffic, budget};

use super::group_names;
use super::messages::{self, Pairs, Sizes, WHEN};
use super::rank_trace::RankTrace;
use super::regular;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::warnings::Warnings;
use crate::traffic::ranks::ranks;

/// Ranks per node, if no trace tells how many GPUs a node has.
const USUAL_RANKS_PER_NODE: u32 = 8;

/// What messages that belong to no group are called.
const NO_GROUP: &str = "messages";

/// The traffic of the job that these are the traces of. Errors that concern no single file name
/// `name`.
pub(super) fn traffic_of(
    name: &str,
    traces: &[RankTrace],
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let whole = |fault: Fault| ReadError::new(name, fault);
    let world = world(traces).map_err(whole)?;
    check_ranks(traces, world)?;
    let mut job = Job::new(traces, world);
    job.complete(warnings).map_err(whole)?;
    let kinds = job.kinds(warnings);
    warn_about_calls(traces, warnings);
    let devices = traces.iter().map(|trace| trace.devices).max().unwrap_or(0);
    let ranks_per_node = match u32::try_from(devices) {
        Ok(devices @ 2..) => devices.min(world),
        _ => USUAL_RANKS_PER_NODE.min(world),
    };
    let step = StepTraffic { ranks: world, ranks_per_node, kinds, carry: Carry::Ring };
    if !step.kinds.iter().any(GroupKind::sends) {
        warnings.push("no rank sends anything to another one".to_string());
    }
    step.traffic_on(|rank| rank / ranks_per_node).map_err(|error| whole(error.into()))
}

/// How many ranks there are: what the traces say, else as many as they name.
fn world(traces: &[RankTrace]) -> Result<u32, Fault> {
    let stated = || traces.iter().filter_map(|trace| Some((trace.world?, trace)));
    if let Some((world, first)) = stated().next() {
        if let Some((other, trace)) = stated().find(|(other, _)| *other != world) {
            return Err(Fault::Contradiction(format!(
                "expected traces of one job, found {} in {} and {other} in {}",
                counted(world, "rank"),
                first.file,
                trace.file
            )));
        }
        return ranks(world);
    }
    let named = |trace: &RankTrace| {
        let groups = trace.groups.iter().flat_map(|group| group.members.iter().copied());
        let messages = trace.messages.iter().flat_map(|(message, _)| [message.from, message.to]);
        groups.chain(messages).chain(trace.rank).max()
    };
    let last = traces.iter().filter_map(named).max().unwrap_or(0);
    ranks(u64::from(last) + 1)
}

/// Every rank is below the number of ranks, and has one trace.
fn check_ranks(traces: &[RankTrace], world: u32) -> Result<(), ReadError> {
    let mut seen: HashMap<u32, &str> = HashMap::new();
    // Traces may share the lists of members.
    let mut checked: HashSet<*const u32> = HashSet::new();
    for trace in traces {
        let error = |fault: Fault| ReadError::new(trace.file.clone(), fault);
        let new = trace.groups.iter().filter(|group| checked.insert(group.members.as_ptr()));
        let new: Vec<_> = new.collect();
        let groups = new.iter().flat_map(|group| group.members.iter().copied());
        let messages = trace.messages.iter().flat_map(|(message, _)| [message.from, message.to]);
        let mut named = groups.chain(messages).chain(trace.rank);
        if let Some(rank) = named.find(|&rank| rank >= world) {
            let ranks = counted(world, "rank");
            let fault =
                Fault::OutOfRange(format!("rank {rank} is not among the {ranks} of the job"));
            return Err(error(fault));
        }
        for group in new {
            let distinct: HashSet<u32> = group.members.iter().copied().collect();
            if distinct.len() != group.members.len() {
                let fault = format!("group {} has a member twice", group.name);
                return Err(error(Fault::Repeated(fault)));
            }
        }
        if let Some(rank) = trace.rank
            && let Some(other) = seen.insert(rank, &trace.file)
        {
            let fault = format!("expected one trace per rank, found rank {rank} in {other} too");
            return Err(error(Fault::Repeated(fault)));
        }
    }
    Ok(())
}

/// How often a group does an operation with this many bytes.
type CallCounts = BTreeMap<(&'static str, u64), (Operation, f64)>;

/// A group with what traces say about it.
struct KnownGroup {
    members: Vec<u32>,
    /// The calls, from the first trace that has any.
    calls: CallCounts,
    /// How many traces tell its calls.
    reports: usize,
    pairs: Pairs,
    /// Whether no trace is of one of its members: its members and calls were derived.
    is_derived: bool,
}

/// All groups of a kind.
struct Kind {
    name: String,
    groups: Vec<KnownGroup>,
    places: HashMap<Vec<u32>, usize>,
}

impl Kind {
    fn group(&mut self, members: &[u32]) -> &mut KnownGroup {
        let place = match self.places.get(members) {
            Some(&place) => place,
            None => {
                self.places.insert(members.to_vec(), self.groups.len());
                self.groups.push(KnownGroup {
                    members: members.to_vec(),
                    calls: CallCounts::new(),
                    reports: 0,
                    pairs: Pairs::new(),
                    is_derived: false,
                });
                self.groups.len() - 1
            }
        };
        &mut self.groups[place]
    }

    fn has_calls(&self) -> bool {
        self.groups.iter().any(|group| !group.calls.is_empty() || !group.pairs.is_empty())
    }
}

/// What is known of a job.
struct Job {
    world: u32,
    kinds: Vec<Kind>,
    /// Messages that belong to no group.
    messages: BTreeMap<(u32, u32), Sizes>,
    /// Kinds whose groups do different things in the eyes of their members.
    differing: Vec<String>,
}

impl Job {
    fn new(traces: &[RankTrace], world: u32) -> Job {
        let mut job =
            Job { world, kinds: Vec::new(), messages: BTreeMap::new(), differing: Vec::new() };
        let traced: HashSet<u32> = traces.iter().filter_map(|trace| trace.rank).collect();
        for trace in traces {
            for (number, group) in trace.groups.iter().enumerate() {
                let kind = job.kind(&group.kind);
                job.kinds[kind].group(&group.members);
                job.add_calls(kind, trace, number);
            }
            for (message, times) in trace.messages.iter() {
                // The sender's word counts, if there is a trace of it.
                let is_sender = trace.rank == Some(message.from);
                if !is_sender && traced.contains(&message.from) {
                    continue;
                }
                let group = message.group.map(|number| &trace.groups[number]);
                let places = group.and_then(|group| {
                    let place = |rank: u32| group.members.iter().position(|&one| one == rank);
                    Some((&group.kind, &group.members, (place(message.from)?, place(message.to)?)))
                });
                let sizes = match places {
                    Some((kind, members, pair)) => {
                        let kind = job.kind(kind);
                        job.kinds[kind].group(members).pairs.entry(pair).or_default()
                    }
                    None => job.messages.entry((message.from, message.to)).or_default(),
                };
                let sum = sizes.entry(message.bytes).or_default();
                *sum = sum.saturating_add(*times);
            }
        }
        // The usual kinds first, in their usual order; the others as they came.
        let order = |kind: &Kind| {
            let known = group_names::known(&kind.name);
            GroupName::ALL.iter().position(|name| Some(*name) == known).unwrap_or(usize::MAX)
        };
        job.kinds.sort_by_key(order);
        job.kinds.retain(|kind| kind.has_calls() || group_names::known(&kind.name).is_some());
        job
    }

    fn kind(&mut self, name: &str) -> usize {
        let place = self.kinds.iter().position(|kind| kind.name == name);
        place.unwrap_or_else(|| {
            let kind = Kind { name: name.to_string(), groups: Vec::new(), places: HashMap::new() };
            self.kinds.push(kind);
            self.kinds.len() - 1
        })
    }

    /// Adds what a trace says about the calls of one of its groups. Members tell the same, except
    /// for all-to-alls, of which each tells its own bytes.
    fn add_calls(&mut self, kind: usize, trace: &RankTrace, number: usize) {
        let mut calls = CallCounts::new();
        for (call, times) in trace.calls.iter().filter(|(call, _)| call.group == number) {
            let key = (call.operation.name(), call.bytes);
            calls.entry(key).or_insert((call.operation, 0.0)).1 += *times as f64;
        }
        if calls.is_empty() {
            return;
        }
        let group = self.kinds[kind].group(&trace.groups[number].members);
        let shared = |calls: &CallCounts| -> Vec<((&'static str, u64), f64)> {
            let calls =
                calls.iter().filter(|(_, (operation, _))| *operation != Operation::AllToAll);
            calls.map(|(key, (_, times))| (*key, *times)).collect()
        };
        if group.reports == 0 {
            group.calls = calls;
            group.reports = 1;
            return;
        }
        let differs = shared(&group.calls) != shared(&calls);
        let before = group.reports as f64;
        group.reports += 1;
        // The mean over the members that tell.
        let is_exchange = |(_, (operation, _)): &(&(&str, u64), &mut (Operation, f64))| {
            *operation == Operation::AllToAll
        };
        for (_, (_, times)) in group.calls.iter_mut().filter(is_exchange) {
            *times *= before / (before + 1.0);
        }
        for (key, (operation, times)) in calls {
            if operation == Operation::AllToAll {
                group.calls.entry(key).or_insert((operation, 0.0)).1 += times / (before + 1.0);
            }
        }
        let name = &self.kinds[kind].name;
        if differs && !self.differing.contains(name) {
            self.differing.push(name.clone());
        }
    }

    /// Adds the groups that follow from the known ones.
    fn complete(&mut self, warnings: &mut Warnings) -> Result<(), Fault> {
        // A group of one rank takes most: twice its list, and what is known of it.
        const BYTES_PER_RANK: u64 = 400;
        let mut derived: u64 = 0;
        for kind in &mut self.kinds {
            let known: Vec<&[u32]> = kind.groups.iter().map(|group| &group.members[..]).collect();
            let covered: HashSet<u32> =
                known.iter().flat_map(|group| group.iter().copied()).collect();
            if covered.len() == self.world as usize {
                continue;
            }
            let number = known.len();
            derived += u64::from(self.world);
            budget::memory().check_items("the ranks of all groups", derived, BYTES_PER_RANK)?;
            let all = group_names::may_be_regular(&kind.name)
                .then(|| regular::all_groups(&known, self.world))
                .flatten();
            let Some(all) = all else {
                if kind.has_calls() {
                    warnings.push(format!(
                        "{}: {} of {} in the traces; others do not follow from their members and \
                         are left out",
                        kind.name,
                        counted(number, "group"),
                        counted(covered.len(), "rank"),
                    ));
                }
                continue;
            };
            if kind.has_calls() {
                warnings.push(format!(
                    "{}: {number} of {} groups in the traces; the others are assumed to have the \
                     same form, {}, and to send as much",
                    kind.name,
                    all.len(),
                    regular::form(known[0]),
                ));
            }
            for members in all {
                let is_new = !kind.places.contains_key(&members);
                let group = kind.group(&members);
                group.is_derived |= is_new;
            }
            kind.groups.sort_by_key(|group| group.members.iter().min().copied());
            kind.places.clear();
        }
        Ok(())
    }

    /// The stage of each rank: its place in its pipeline.
    fn stages(&self) -> HashMap<u32, usize> {
        let pipelines = self.kinds.iter().filter(|kind| kind.name == GroupName::Pp.name());
        let groups = pipelines.flat_map(|kind| &kind.groups);
        groups.flat_map(|group| group.members.iter().copied().zip(0..)).collect()
    }

    fn kinds(&self, warnings: &mut Warnings) -> Vec<GroupKind> {
        let stages = self.stages();
        let mut all = Vec::new();
        let mut pairs: Vec<GroupKind> = Vec::new();
        for kind in &self.kinds {
            let mut lists = Lists::default();
            let mut assumed = 0;
            let mut others: BTreeMap<(u32, u32), Sizes> = BTreeMap::new();
            // The first list of each stage, and the first of all, for groups without a trace.
            let mut by_stage: HashMap<usize, u32> = HashMap::new();
            let stage = |group: &KnownGroup| {
                group.members.first().and_then(|rank| stages.get(rank)).copied().unwrap_or(0)
            };
            let mut list_of_group: Vec<Option<u32>> = Vec::new();
            for group in &kind.groups {
                if group.reports == 0 && group.pairs.is_empty() {
                    list_of_group.push(None);
                    continue;
                }
                let mut calls = calls_of(&group.calls);
                let is_ring = kind.name == GroupName::Cp.name();
                match messages::as_operations(&group.pairs, group.members.len(), is_ring) {
                    Some(found) => {
                        calls.extend(found.calls);
                        assumed += found.assumed;
                    }
                    None => {
                        for (&(from, to), sizes) in &group.pairs {
                            others.insert((group.members[from], group.members[to]), sizes.clone());
                        }
                    }
                }
                let list = lists.number(calls);
                by_stage.entry(stage(group)).or_insert(list);
                list_of_group.push(Some(list));
            }
            let first = list_of_group.iter().flatten().next().copied();
            let nothing = lists.number(Vec::new());
            let list_of = |(group, list): (&KnownGroup, Option<u32>)| {
                let like = by_stage.get(&stage(group)).copied().or(first);
                // What a rank with a trace did not do was not done.
                list.or(like.filter(|_| group.is_derived)).unwrap_or(nothing)
            };
            let list_of_group = kind.groups.iter().zip(list_of_group).map(list_of).collect();
            if assumed > 0 {
                let pairs = counted(assumed, "pair");
                warnings.push(format!(
                    "{}: the messages of {pairs} of neighbours are not in the traces; they are \
                     assumed to be like those of other neighbours",
                    kind.name
                ));
            }
            let weight = group_names::weight(&kind.name);
            if !others.is_empty() {
                let name = format!("{}-pairs", kind.name);
                if kind.groups.iter().any(|group| group.is_derived) {
                    warnings.push(format!(
                        "{}: messages are not the same between all neighbours; those of groups \
                         that are not in the traces are left out",
                        kind.name
                    ));
                }
                pairs.push(kind_of_pairs(name, weight, &others));
            }
            all.push(GroupKind {
                name: kind.name.clone(),
                weight,
                groups: kind.groups.iter().map(|group| as_group(&group.members)).collect(),
                list_of_group,
                lists: lists.lists,
            });
        }
        if !self.differing.is_empty() {
            warnings.push(format!(
                "members of the same group tell different calls ({}): those of the first trace \
                 count; were all ranks traced for the same steps?",
                self.differing.join(", ")
            ));
        }
        all.extend(pairs);
        if !self.messages.is_empty() {
            all.push(kind_of_pairs(NO_GROUP.to_string(), 1.0, &self.messages));
        }
        all
    }
}

fn as_group(members: &[u32]) -> Group {
    Group::of_members(Arc::from(members))
}

fn calls_of(counts: &CallCounts) -> Vec<Call> {
    let call = |(&(_, bytes), &(operation, times)): (&(&str, u64), &(Operation, f64))| Call {
        operation,
        when: WHEN,
        times,
        bytes: bytes as f64,
    };
    counts.iter().map(call).collect()
}

/// Each pair as a group of two, in which the first sends to the second.
fn kind_of_pairs(name: String, weight: f64, pairs: &BTreeMap<(u32, u32), Sizes>) -> GroupKind {
    let mut lists = Lists::default();
    let (mut groups, mut list_of_group) = (Vec::new(), Vec::new());
    for (&(from, to), sizes) in pairs {
        groups.push(as_group(&[from, to]));
        list_of_group.push(lists.number(messages::of_sizes(Operation::Forward, sizes).collect()));
    }
    GroupKind { name, weight, groups, list_of_group, lists: lists.lists }
}

/// Lists of calls, each of them once.
#[derive(Default)]
struct Lists {
    lists: Vec<Vec<Call>>,
    places: HashMap<Vec<(&'static str, u64, u64)>, u32>,
}

impl Lists {
    fn number(&mut self, calls: Vec<Call>) -> u32 {
        let key = |call: &Call| (call.operation.name(), call.bytes.to_bits(), call.times.to_bits());
        let place = self.places.entry(calls.iter().map(key).collect());
        *place.or_insert_with(|| {
            self.lists.push(calls);
            self.lists.len() as u32 - 1
        })
    }
}

/// What is not counted, or counted differently, over all traces.
fn warn_about_calls(traces: &[RankTrace], warnings: &mut Warnings) {
    let mut left_out: BTreeMap<&str, u64> = BTreeMap::new();
    let mut notes: BTreeMap<&str, u64> = BTreeMap::new();
    for trace in traces {
        for (what, times) in &trace.left_out {
            *left_out.entry(what).or_default() += times;
        }
        for (what, times) in &trace.notes {
            *notes.entry(what).or_default() += times;
        }
    }
    for (what, times) in left_out {
        warnings.push(format!("{} {what} left out", counted(times, "call")));
    }
    for (what, times) in notes {
        warnings.push(format!("{what} ({})", counted(times, "call")));
    }
}
