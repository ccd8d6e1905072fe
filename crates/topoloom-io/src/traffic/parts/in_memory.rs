//! The events of all ranks as one trace, all of them in memory: the simple way, against which the
//! other one is checked.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use topoloom_core::traffic::{Collective, Group};
use topoloom_core::{Event, Trace};
use topoloom_recorder::layout::{RECORD_BYTES, event};

use super::groups::Identity;
use super::part::Part;
use crate::text::tags::Tags;
use crate::traces::mpi_call::MpiCall;
use crate::traffic::recording::{RecordedCollective, nearest_collectives};

/// The trace of all ranks, which agree on their collectives.
pub fn trace(ranks: u32, parts: &[(Part, PathBuf)], groups: &BTreeMap<Identity, Group>) -> Trace {
    let tick = parts.iter().find_map(|(part, _)| part.tick).unwrap_or(1.0);
    let mut shared = Shared::new(groups);
    let mut programs = vec![Vec::new(); ranks as usize];
    for (part, path) in parts {
        let bytes = fs::read(path).unwrap();
        let mut program = Program::new(part, part.tick.unwrap_or(tick));
        for words in records(&bytes, part.num_events) {
            program.add(&mut shared, words);
        }
        programs[part.rank as usize] = program.events;
    }
    let (collectives, numbers) = shared.calls.collectives(groups);
    for event in programs.iter_mut().flatten() {
        if let Event::Collective { number } = event {
            *number = numbers[*number as usize];
        }
    }
    Trace::new(programs, collectives).unwrap()
}

fn records(bytes: &[u8], number: u64) -> impl Iterator<Item = [u64; 4]> + '_ {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    bytes.chunks_exact(RECORD_BYTES).take(number).map(|record| {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(record.chunks_exact(8)) {
            *word = u64::from_ne_bytes(bytes.try_into().expect("chunks of 8 bytes"));
        }
        words
    })
}

/// A communicator as all its members know it: the members, and which of their communicators it is.
type Communicator = (Identity, u64);

/// What ranks have to agree on.
struct Shared<'a> {
    groups: &'a BTreeMap<Identity, Group>,
    tags: Tags,
    communicators: HashMap<Communicator, u32>,
    calls: Calls,
}

impl<'a> Shared<'a> {
    fn new(groups: &'a BTreeMap<Identity, Group>) -> Self {
        Shared {
            groups,
            tags: Tags::default(),
            communicators: HashMap::new(),
            calls: Calls::default(),
        }
    }

    fn number_of(&mut self, communicator: Communicator) -> u32 {
        let next = self.communicators.len() as u32;
        *self.communicators.entry(communicator).or_insert(next)
    }
}

/// The events of one rank.
struct Program<'a> {
    part: &'a Part,
    tick: f64,
    events: Vec<Event>,
    /// Requests that stand for nothing.
    dropped: HashSet<u32>,
    /// The call to which the following parts belong.
    open_call: Option<(u32, u32)>,
}

impl<'a> Program<'a> {
    fn new(part: &'a Part, tick: f64) -> Self {
        Program { part, tick, events: Vec::new(), dropped: HashSet::new(), open_call: None }
    }

    fn add(&mut self, shared: &mut Shared<'_>, words: [u64; 4]) {
        let nanoseconds = (words[3] as f64 * self.tick) as u64;
        if nanoseconds > 0 {
            match self.events.last_mut() {
                Some(Event::Compute { nanoseconds: before }) => {
                    *before = before.saturating_add(nanoseconds);
                }
                _ => self.events.push(Event::Compute { nanoseconds }),
            }
        }
        let code = words[0] & 0xff;
        let request = (words[0] >> 32) as u32;
        match code {
            event::SEND | event::RECEIVE | event::START_SEND | event::START_RECEIVE => {
                let (peer, tag) = (words[1] as u32, (words[1] >> 32) as u32);
                let unknown_tag = (tag as i32) < 0 && tag as i32 != event::NEIGHBOURHOOD_TAG;
                if peer >= self.part.size || unknown_tag {
                    if matches!(code, event::START_SEND | event::START_RECEIVE) {
                        self.dropped.insert(request);
                    }
                    return;
                }
                let communicator = self.communicator(words[0]);
                let communicator = shared.number_of(communicator);
                let tag = shared.tags.number(communicator, tag);
                self.dropped.remove(&request);
                self.events.push(match code {
                    event::SEND => Event::Send { to: peer, bytes: words[2], tag },
                    event::RECEIVE => Event::Receive { from: peer, tag },
                    event::START_SEND => {
                        Event::StartSend { to: peer, bytes: words[2], tag, request }
                    }
                    _ => Event::StartReceive { from: peer, tag, request },
                });
            }
            event::WAIT if !self.dropped.remove(&request) => {
                self.events.push(Event::Wait { request });
            }
            event::COLLECTIVE => self.join(shared, words, request),
            event::PART => {
                if let Some((number, own)) = self.open_call {
                    let (other, from_other) = (words[1] as u32, words[1] >> 32 != 0);
                    let pair = if from_other { (other, own) } else { (own, other) };
                    shared.calls.all[number as usize].sizes.push((pair.0, pair.1, words[2]));
                }
            }
            _ => {}
        }
    }

    fn communicator(&self, first: u64) -> Communicator {
        let number = (first >> 8 & 0xff_ffff) as usize;
        let found = self.part.communicators.get(number);
        let of = found.map(|&(group, which)| (self.part.groups[group].identity, which));
        // All intercommunicators count as one: tags must tell their messages apart.
        of.unwrap_or(((0, 0), u64::MAX))
    }

    fn join(&mut self, shared: &mut Shared<'_>, words: [u64; 4], turn: u32) {
        self.open_call = None;
        let communicator = self.communicator(words[0]);
        let (identity, _) = communicator;
        let number = (words[0] >> 8 & 0xff_ffff) as usize;
        let own = self.part.communicators.get(number).map(|&(group, _)| &self.part.groups[group]);
        let Some(call) = MpiCall::from_number(words[1] & 0xff) else { return };
        let root = ((words[1] >> 32) as u32).checked_sub(1);
        if identity.1 < 2 || !shared.groups.contains_key(&identity) {
            return;
        }
        let Some(own) = own.map(|group| group.own) else { return };
        let communicator = shared.number_of(communicator);
        let calls = &mut shared.calls;
        let number = *calls.numbers.entry((communicator, turn)).or_insert_with(|| {
            let (bytes, sizes) = (words[2], Vec::new());
            calls.all.push(Call { identity, call, root, bytes, sizes });
            calls.all.len() as u32 - 1
        });
        let found = &calls.all[number as usize];
        assert_eq!((found.call, found.root, found.bytes), (call, root, words[2]));
        self.open_call = Some((number, own));
        self.events.push(Event::Collective { number });
    }
}

/// One call of a collective by all members.
#[derive(PartialEq, Eq, Hash)]
struct Call {
    identity: Identity,
    call: MpiCall,
    root: Option<u32>,
    bytes: u64,
    sizes: Vec<(u32, u32, u64)>,
}

/// All calls, by communicator and turn.
#[derive(Default)]
struct Calls {
    all: Vec<Call>,
    numbers: HashMap<(u32, u32), u32>,
}

impl Calls {
    /// The collectives, equal ones once, and for each call the number of its collective.
    fn collectives(self, groups: &BTreeMap<Identity, Group>) -> (Vec<Collective>, Vec<u32>) {
        let mut collectives = Vec::new();
        let mut known: HashMap<Call, u32> = HashMap::new();
        let mut numbers = Vec::with_capacity(self.all.len());
        for mut call in self.all {
            call.sizes.sort_unstable();
            let number = known.get(&call).copied().unwrap_or_else(|| {
                let sizes = call.sizes.iter().map(|&(from, to, bytes)| (from, to, bytes as f64));
                collectives.push(RecordedCollective {
                    call: call.call,
                    group: groups[&call.identity].clone(),
                    root: call.root,
                    calls: 1,
                    bytes: call.bytes,
                    sizes: sizes.collect(),
                });
                let number = collectives.len() as u32 - 1;
                known.insert(call, number);
                number
            });
            numbers.push(number);
        }
        (nearest_collectives(&collectives), numbers)
    }
}
