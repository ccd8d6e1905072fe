//! Traces of ranks from Chakra's nodes. The members of a group are in the files' metadata, or are the
//! ranks whose files name it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use topoloom_core::Traffic;
use topoloom_core::training::Operation;

use super::super::group_list;
use super::super::join::traffic_of;
use super::super::operations;
use super::super::rank_trace::{GroupCall, Message, OwnGroup, RankTrace, check_members};
use super::node::{ChakraCall, RankNodes, What};
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::warnings::Warnings;
use crate::traffic::ranks::ranks;

/// What the group of all ranks is called.
const ALL: &str = "all";

/// The file of a rank.
pub(super) struct RankFile {
    pub file: String,
    pub rank: u32,
    pub nodes: RankNodes,
}

/// The traffic of these ranks. `stated` is how many ranks the files say there are.
pub(super) fn traffic(
    name: &str,
    files: Vec<RankFile>,
    stated: Option<u64>,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let whole = |fault: Fault| ReadError::new(name, fault);
    if files.iter().all(|file| file.nodes.calls().is_empty()) {
        let fault = "expected nodes that communicate (COMM_COLL, COMM_SEND), found none";
        return Err(whole(Fault::Missing(fault.into())));
    }
    let mut defined: BTreeMap<String, OwnGroup> = BTreeMap::new();
    for file in &files {
        let error = |fault: Fault| ReadError::new(file.file.clone(), fault);
        for group in group_list::own_groups(&file.nodes.groups).map_err(error)? {
            defined.insert(group.name.clone(), group);
        }
    }
    let world = world(&files, defined.values(), stated);
    ranks(world).and_then(|_| check_members(world)).map_err(whole)?;
    if world > files.len() as u64 {
        warnings.push(format!(
            "there are files of {} of {world} ranks; of the others only what those exchange with \
             them is known",
            files.len()
        ));
    }
    let groups = Groups { defined, mentions: mentions(&files), all: (0..world as u32).collect() };
    let traces: Vec<RankTrace> = files.into_iter().map(|file| groups.trace(file, world)).collect();
    traffic_of(name, &traces, warnings)
}

/// One more than the last rank that is named, or as many as are stated.
fn world<'a>(
    files: &[RankFile],
    defined: impl Iterator<Item = &'a OwnGroup>,
    stated: Option<u64>,
) -> u64 {
    let partner = |call: &ChakraCall| match call.what {
        What::Send(rank) | What::Receive(rank) => Some(rank),
        _ => None,
    };
    let calls = files.iter().flat_map(|file| file.nodes.calls().iter());
    let partners = calls.filter_map(|(call, _)| partner(call));
    let members = defined.flat_map(|group| group.members.iter().copied());
    let named = partners.chain(members).chain(files.iter().map(|file| file.rank));
    let last = named.max().map_or(1, |last| u64::from(last) + 1);
    last.max(stated.unwrap_or(0))
}

/// Which ranks do something in which group.
fn mentions(files: &[RankFile]) -> BTreeMap<String, Arc<[u32]>> {
    let mut mentions: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for file in files {
        for (call, _) in file.nodes.calls().iter() {
            if let Some(group) = &call.group {
                mentions.entry(group.clone()).or_default().insert(file.rank);
            }
        }
    }
    mentions.into_iter().map(|(name, ranks)| (name, ranks.into_iter().collect())).collect()
}

struct Groups {
    defined: BTreeMap<String, OwnGroup>,
    mentions: BTreeMap<String, Arc<[u32]>>,
    all: Arc<[u32]>,
}

impl Groups {
    /// The group of this name.
    fn group(&self, name: Option<&str>) -> OwnGroup {
        let Some(name) = name else {
            let members = self.all.clone();
            return OwnGroup { name: String::new(), kind: ALL.to_string(), members };
        };
        match (self.defined.get(name), self.mentions.get(name)) {
            (Some(group), _) => group.clone(),
            (None, members) => {
                let members = members.cloned().unwrap_or_else(|| Arc::from([]));
                let kind = super::super::group_names::kind_of("", &members);
                OwnGroup { name: name.to_string(), kind, members }
            }
        }
    }

    fn trace(&self, file: RankFile, world: u64) -> RankTrace {
        let mut trace = RankTrace {
            file: file.file,
            rank: Some(file.rank),
            world: Some(world),
            ..RankTrace::default()
        };
        for (call, times) in file.nodes.calls().iter() {
            self.add(&mut trace, call, *times);
        }
        trace
    }

    fn add(&self, trace: &mut RankTrace, call: &ChakraCall, times: u64) {
        let name = call.group.as_deref();
        let own = trace.rank.unwrap_or(0);
        let (from, to) = match call.what {
            What::Together(operation) => {
                let group = self.place(trace, name);
                let members = trace.groups[group].members.len() as u64;
                // The bytes of a gather are those of a member's part.
                let bytes = match operation {
                    Operation::AllGather => call.bytes.saturating_mul(members),
                    _ => call.bytes,
                };
                trace.calls.add(GroupCall { group, operation, bytes }, times);
                return;
            }
            What::Reduce => {
                trace.note(operations::REDUCTIONS, times);
                let group = self.place(trace, name);
                let operation = Operation::Broadcast;
                trace.calls.add(GroupCall { group, operation, bytes: call.bytes }, times);
                return;
            }
            What::Unknown(what) => {
                trace.leave_out(format!("of {what}, which is not supported"), times);
                return;
            }
            What::Send(to) => (own, to),
            What::Receive(from) => (from, own),
        };
        if from == to {
            trace.leave_out("of a rank to itself", times);
            return;
        }
        let group = name.map(|name| self.place(trace, Some(name)));
        trace.messages.add(Message { group, from, to, bytes: call.bytes }, times);
    }

    /// The place of a group among the groups of the trace, which it joins if it is new.
    fn place(&self, trace: &mut RankTrace, name: Option<&str>) -> usize {
        let known = trace.groups.iter().position(|group| group.name == name.unwrap_or_default());
        known.unwrap_or_else(|| {
            trace.groups.push(self.group(name));
            trace.groups.len() - 1
        })
    }
}
