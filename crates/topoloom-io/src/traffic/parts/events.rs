//! The events of all ranks, read from their files when needed and never kept: a job may have more
//! events than fit into memory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use topoloom_core::Event;
use topoloom_core::trace::NAMES_END;
use topoloom_core::traffic::{Collective, Group};
use topoloom_core::words::counted;
use topoloom_recorder::layout::{RECORD_BYTES, event};

use super::calls::{Call, Calls, Distinct};
use super::groups::Identity;
use super::part::Part;
use crate::text::error::ReadError;
use crate::text::tags::Tags;
use crate::traces::mpi_call::MpiCall;
use crate::traffic::recording::{Programs, RankState, check_calls};

/// The events of a job, in the files of its ranks.
pub struct EventFiles {
    ranks: Vec<Option<RankFile>>,
    shared: Shared,
    distinct: Distinct,
    collectives: Vec<Collective>,
    num_events: u64,
}

/// What a rank wrote, and what is needed to understand it.
struct RankFile {
    path: PathBuf,
    rank: u32,
    size: u32,
    num_events: u64,
    /// Nanoseconds per tick.
    tick: f64,
    /// The group and which communicator of that group, by the communicator's number.
    communicators: Vec<(usize, u64)>,
    /// The identity of the members, and this rank's number among them.
    groups: Vec<(Identity, u32)>,
}

/// The passes through the files: the first finds what ranks have in common, the next reads the
/// sizes of collectives, the last reads the events themselves.
enum Pass<'a> {
    Survey,
    Sizes,
    Events(&'a mut dyn FnMut(Event) -> io::Result<()>),
}

impl EventFiles {
    /// Surveys the events of all ranks. If the ranks' collectives do not fit together, there are no
    /// events, and a note says so. Ranks with fewer events than they counted are marked as cut
    /// short.
    pub fn survey(
        ranks: u32,
        parts: &mut [(Part, PathBuf)],
        groups: &BTreeMap<Identity, Group>,
        notes: &mut Vec<String>,
    ) -> Result<Option<EventFiles>, ReadError> {
        let tick = parts.iter().find_map(|(part, _)| part.tick).unwrap_or(1.0);
        let mut files = EventFiles {
            ranks: (0..ranks).map(|_| None).collect(),
            shared: Shared::new(groups),
            distinct: Distinct::default(),
            collectives: Vec::new(),
            num_events: 0,
        };
        for (part, path) in parts.iter_mut() {
            let mut file = RankFile::new(part, path.clone(), tick);
            let found = file
                .go_through(&mut files.shared, &mut files.distinct, Pass::Survey)
                .map_err(|error| ReadError::cannot_read(path, &error))?;
            if found < file.num_events {
                part.state.get_or_insert(RankState::CutShort);
                file.num_events = found;
            }
            files.ranks[part.rank as usize] = Some(file);
        }
        if let Some(why) = files.shared.disagreement.take() {
            notes.push(format!("there are no events: {why}"));
            return Ok(None);
        }
        files.distinct = files.shared.calls.distinct();
        if files.distinct.needs_sizes(&files.shared.calls) {
            for file in files.ranks.iter_mut().flatten() {
                file.go_through(&mut files.shared, &mut files.distinct, Pass::Sizes)
                    .map_err(|error| ReadError::cannot_read(&file.path, &error))?;
            }
        }
        files.collectives = files.shared.calls.collectives(&mut files.distinct, groups);
        if let Err(why) = check_calls(&files.collectives, ranks) {
            notes.push(format!("there are no events: {why}"));
            return Ok(None);
        }
        if files.shared.left_out > 0 {
            notes.push(format!(
                "{} left out: the partner of the message is not known",
                counted(files.shared.left_out, "event")
            ));
        }
        files.num_events = files.shared.num_events;
        Ok(Some(files))
    }

    /// How many events there are.
    pub fn num_events(&self) -> u64 {
        self.num_events
    }
}

impl Programs for EventFiles {
    fn num_ranks(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn collectives(&self) -> &[Collective] {
        &self.collectives
    }

    fn for_each(
        &mut self,
        rank: u32,
        visit: &mut dyn FnMut(Event) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(file) = self.ranks.get_mut(rank as usize).and_then(Option::as_mut) else {
            return Ok(());
        };
        file.go_through(&mut self.shared, &mut self.distinct, Pass::Events(visit)).map(|_| ())
    }
}

impl RankFile {
    fn new(part: &mut Part, path: PathBuf, tick: f64) -> RankFile {
        RankFile {
            path,
            rank: part.rank,
            size: part.size,
            num_events: if part.has_events { part.num_events } else { 0 },
            tick: part.tick.unwrap_or(tick),
            communicators: std::mem::take(&mut part.communicators),
            groups: part.groups.iter().map(|group| (group.identity, group.own)).collect(),
        }
    }

    /// Reads the records one by one; returns how many there were.
    fn go_through(
        &self,
        shared: &mut Shared,
        distinct: &mut Distinct,
        pass: Pass<'_>,
    ) -> io::Result<u64> {
        let mut program = Program::new(self, shared, distinct, pass);
        let found = for_each_record(self, |words| program.add(words))?;
        program.end()?;
        Ok(found)
    }
}

/// Shows the records of a file, which may have fewer of them than its rank counted.
fn for_each_record(
    file: &RankFile,
    mut visit: impl FnMut([u64; 4]) -> io::Result<()>,
) -> io::Result<u64> {
    if file.num_events == 0 {
        return Ok(0);
    }
    let mut opened = match File::open(&file.path) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut buffer = vec![0; 4096 * RECORD_BYTES];
    let mut seen = 0;
    loop {
        let length = fill(&mut opened, &mut buffer)?;
        for record in buffer[..length].chunks_exact(RECORD_BYTES) {
            if seen == file.num_events {
                return Ok(seen);
            }
            let mut words = [0; 4];
            for (word, bytes) in words.iter_mut().zip(record.chunks_exact(8)) {
                *word = u64::from_ne_bytes(bytes.try_into().expect("chunks of 8 bytes"));
            }
            visit(words)?;
            seen += 1;
        }
        if length < buffer.len() {
            return Ok(seen);
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// A communicator as all its members know it: the members, and which of their communicators it is.
type Communicator = (Identity, u64);

/// What ranks have to agree on. The first pass fills it, and later passes find the same values.
struct Shared {
    groups: BTreeMap<Identity, Group>,
    tags: Tags,
    communicators: HashMap<Communicator, u32>,
    calls: Calls,
    disagreement: Option<String>,
    left_out: u64,
    num_events: u64,
}

impl Shared {
    fn new(groups: &BTreeMap<Identity, Group>) -> Self {
        Shared {
            groups: groups.clone(),
            tags: Tags::default(),
            communicators: HashMap::new(),
            calls: Calls::default(),
            disagreement: None,
            left_out: 0,
            num_events: 0,
        }
    }

    fn number_of(&mut self, communicator: Communicator) -> u32 {
        let next = self.communicators.len() as u32;
        *self.communicators.entry(communicator).or_insert(next)
    }
}

/// One pass through the events of one rank.
struct Program<'a, 'v> {
    file: &'a RankFile,
    shared: &'a mut Shared,
    distinct: &'a mut Distinct,
    pass: Pass<'v>,
    /// The computing time since the last event.
    computed: u64,
    /// Requests that stand for nothing.
    dropped: HashSet<u32>,
    /// The call to which the following parts belong: its entry, the call itself, and this member's
    /// number.
    open_call: Option<(u32, Call, u32)>,
    /// The communicator that was looked up last: its number in this file, and its number among all.
    last_communicator: Option<(u64, u32)>,
    /// The tag that was looked up last, with its communicator, and its number.
    last_tag: Option<((u32, u32), u32)>,
}

impl<'a, 'v> Program<'a, 'v> {
    fn new(
        file: &'a RankFile,
        shared: &'a mut Shared,
        distinct: &'a mut Distinct,
        pass: Pass<'v>,
    ) -> Self {
        let dropped = HashSet::new();
        Program {
            file,
            shared,
            distinct,
            pass,
            computed: 0,
            dropped,
            open_call: None,
            last_communicator: None,
            last_tag: None,
        }
    }

    fn add(&mut self, words: [u64; 4]) -> io::Result<()> {
        let nanoseconds = (words[3] as f64 * self.file.tick) as u64;
        self.computed = self.computed.saturating_add(nanoseconds);
        let code = words[0] & 0xff;
        let request = (words[0] >> 32) as u32;
        match code {
            event::SEND | event::RECEIVE | event::START_SEND | event::START_RECEIVE => {
                let (peer, tag) = (words[1] as u32, (words[1] >> 32) as u32);
                let unknown_tag = (tag as i32) < 0 && tag as i32 != event::NEIGHBOURHOOD_TAG;
                let starts = matches!(code, event::START_SEND | event::START_RECEIVE);
                if peer >= self.file.size || unknown_tag || (starts && request >= NAMES_END) {
                    if matches!(self.pass, Pass::Survey) {
                        self.shared.left_out += 1;
                    }
                    if starts {
                        self.dropped.insert(request);
                    }
                    return Ok(());
                }
                let communicator = self.communicator(words[0]);
                let tag = self.tag(communicator, tag);
                if !self.dropped.is_empty() {
                    self.dropped.remove(&request);
                }
                self.push(match code {
                    event::SEND => Event::Send { to: peer, bytes: words[2], tag },
                    event::RECEIVE => Event::Receive { from: peer, tag },
                    event::START_SEND => {
                        Event::StartSend { to: peer, bytes: words[2], tag, request }
                    }
                    _ => Event::StartReceive { from: peer, tag, request },
                })
            }
            event::WAIT if !self.dropped.remove(&request) && request < NAMES_END => {
                self.push(Event::Wait { request })
            }
            event::COLLECTIVE => self.join(words, request),
            event::PART => {
                self.take_part(words);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Passes an event on, after the computing before it.
    fn push(&mut self, event: Event) -> io::Result<()> {
        self.end()?;
        self.show(event)
    }

    /// Passes on the computing after the last event.
    fn end(&mut self) -> io::Result<()> {
        match std::mem::take(&mut self.computed) {
            0 => Ok(()),
            nanoseconds => self.show(Event::Compute { nanoseconds }),
        }
    }

    fn show(&mut self, event: Event) -> io::Result<()> {
        match &mut self.pass {
            Pass::Survey => self.shared.num_events += 1,
            Pass::Sizes => {}
            Pass::Events(visit) => visit(event)?,
        }
        Ok(())
    }

    /// The group of a communicator and this rank's number in it.
    fn group(&self, first: u64) -> Option<(Communicator, u32)> {
        let number = (first >> 8 & 0xff_ffff) as usize;
        let &(group, which) = self.file.communicators.get(number)?;
        let &(identity, own) = self.file.groups.get(group)?;
        Some(((identity, which), own))
    }

    /// The number of a communicator among those of all ranks.
    fn communicator(&mut self, first: u64) -> u32 {
        let own = first >> 8 & 0xff_ffff;
        if let Some((_, number)) = self.last_communicator.filter(|&(last, _)| last == own) {
            return number;
        }
        // All intercommunicators count as one: tags must tell their messages apart.
        let found = self.group(first).map_or(((0, 0), u64::MAX), |(communicator, _)| communicator);
        let number = self.shared.number_of(found);
        self.last_communicator = Some((own, number));
        number
    }

    fn tag(&mut self, communicator: u32, tag: u32) -> u32 {
        let key = (communicator, tag);
        if let Some((_, number)) = self.last_tag.filter(|&(last, _)| last == key) {
            return number;
        }
        let number = self.shared.tags.number(communicator, tag);
        self.last_tag = Some((key, number));
        number
    }

    fn join(&mut self, words: [u64; 4], turn: u32) -> io::Result<()> {
        self.open_call = None;
        let Some(((identity, _), own)) = self.group(words[0]) else { return Ok(()) };
        let Some(call) = MpiCall::from_number(words[1] & 0xff) else { return Ok(()) };
        let root = ((words[1] >> 32) as u32).checked_sub(1);
        let call = Call { identity, call, root, bytes: words[2] };
        let Some(group) = self.shared.groups.get(&identity) else { return Ok(()) };
        let is_member = own < group.size() && group.member(own) == self.file.rank;
        if identity.1 < 2 || group.size() != identity.1 || !is_member || !call.is_possible() {
            return Ok(());
        }
        let communicator = self.communicator(words[0]);
        let entry = match self.shared.calls.entry(communicator, turn, call) {
            Ok(entry) => entry,
            Err(other) => {
                let disagreement = format!(
                    "rank {} calls {} of {}, but another member calls {} of {}",
                    self.file.rank,
                    call.call.name(),
                    counted(call.bytes, "byte"),
                    other.call.name(),
                    counted(other.bytes, "byte")
                );
                self.shared.disagreement.get_or_insert(disagreement);
                return Ok(());
            }
        };
        self.open_call = Some((entry, call, own));
        let number = match self.pass {
            Pass::Events(_) => self.distinct.number(entry),
            _ => 0,
        };
        self.push(Event::Collective { number })
    }

    /// Records a size of the previous call.
    fn take_part(&mut self, words: [u64; 4]) {
        let Some((entry, call, own)) = self.open_call else { return };
        let (other, from_other) = (words[1] as u32, words[1] >> 32 != 0);
        if other >= call.identity.1 || !call.call.is_irregular() {
            return;
        }
        let (from, to) = if from_other { (other, own) } else { (own, other) };
        let size = (from, to, words[2]);
        match self.pass {
            Pass::Survey => self.shared.calls.add_size(entry, size),
            Pass::Sizes => self.distinct.keep_size(entry, size),
            Pass::Events(_) => {}
        }
    }
}
