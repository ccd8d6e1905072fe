//! The programs of all ranks, assembled from their lines.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use topoloom_core::words::counted;
use topoloom_core::{Event, Trace};

use super::action::{Action, Words};
use crate::text::cursor::Cursor;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::count;
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traces::collective_calls::{CollectiveCalls, Joining};
use crate::traces::compute::compute;
use crate::traces::matching::{self, ANY};
use crate::traffic::ranks::MAX_RANKS;

/// All ranks are in the one communicator that such traces know.
const WORLD: u32 = 0;

/// What is collected over all files.
pub struct Programs<'a> {
    name: &'a str,
    ranks: Vec<Rank>,
    /// Whether one file has the lines of all ranks.
    merged: bool,
    members: Arc<[u32]>,
    calls: CollectiveCalls,
    persistent: u64,
    one_sided: u64,
    /// Elements of types whose size is not known.
    of_unknown_size: u64,
}

/// A request as waits name it: sender, receiver and tag, as written.
type Key = (i64, i64, i64);

/// What one rank has done so far.
struct Rank {
    program: Vec<Event>,
    /// Requests that were not waited for, the oldest first.
    open: HashMap<Key, VecDeque<u32>>,
    num_requests: u32,
    default_bytes: u64,
    begun: bool,
}

impl Rank {
    fn new() -> Rank {
        let open = HashMap::new();
        Rank { program: Vec::new(), open, num_requests: 0, default_bytes: 1, begun: false }
    }

    fn start(&mut self, key: Key) -> u32 {
        let request = self.num_requests;
        self.num_requests += 1;
        self.open.entry(key).or_default().push_back(request);
        request
    }
}

impl<'a> Programs<'a> {
    /// As many ranks as files; for a single file, as many ranks as its lines name.
    pub fn new(name: &'a str, files: &[Source<'_>]) -> Result<Programs<'a>, ReadError> {
        let whole = |fault: Fault| ReadError::new(name.to_string(), fault);
        let merged = files.len() == 1;
        let ranks = match files {
            [one] => ranks_of(one)?,
            several => several.len() as u64,
        };
        if ranks == 0 || ranks > MAX_RANKS {
            return Err(whole(Fault::expected(format!("1 to {MAX_RANKS} ranks"), ranks)));
        }
        Ok(Programs {
            name,
            ranks: (0..ranks).map(|_| Rank::new()).collect(),
            merged,
            members: (0..ranks as u32).collect(),
            calls: CollectiveCalls::default(),
            persistent: 0,
            one_sided: 0,
            of_unknown_size: 0,
        })
    }

    /// Adds the lines of a file.
    pub fn add(&mut self, file: usize, source: &Source<'_>) -> Result<(), ReadError> {
        for (number, line) in source.lines() {
            let words = Cursor::new(line).words();
            if words.is_empty() || words[0].starts_with(b"#") {
                continue;
            }
            self.line(file, words).map_err(|fault| source.error_in_line(number, fault))?;
        }
        if !self.merged && !self.ranks[file].begun {
            return Err(source.error(Fault::expected(format!("lines of rank {file}"), "none")));
        }
        Ok(())
    }

    fn line(&mut self, file: usize, mut words: Vec<&[u8]>) -> Result<(), Fault> {
        let number = count(words.remove(0))?;
        let rank = usize::try_from(number).ok().filter(|&rank| rank < self.ranks.len());
        let rank = rank.filter(|&rank| self.merged || rank == file).ok_or_else(|| {
            Fault::expected(format!("rank {file}, the rank of this file"), number)
        })?;
        let mut words = Words {
            words,
            ranks: self.ranks.len() as u32,
            default_bytes: self.ranks[rank].default_bytes,
            of_unknown_size: 0,
        };
        let action = words.action()?;
        self.of_unknown_size = self.of_unknown_size.saturating_add(words.of_unknown_size);
        if !self.ranks[rank].begun && !matches!(action, Action::Init { .. }) {
            return Err(Fault::wanted("\"init\" as the first thing that a rank does"));
        }
        self.ranks[rank].begun = true;
        self.act(rank, action)
    }

    fn act(&mut self, rank: usize, action: Action) -> Result<(), Fault> {
        if let Action::Collective { joining, nanoseconds } = action {
            return self.collective(rank, joining, nanoseconds);
        }
        let me = rank as i64;
        let of = &mut self.ranks[rank];
        let any = |number: Option<u32>| number.unwrap_or(ANY);
        match action {
            Action::Init { doubles } => of.default_bytes = if doubles { 8 } else { 1 },
            Action::Compute { nanoseconds } => compute(&mut of.program, nanoseconds),
            Action::Send { to: Some(to), tag, bytes, begins } => {
                let tag = any(tag);
                let event = match begins {
                    false => Event::Send { to, bytes, tag },
                    true => {
                        let request = of.start((me, i64::from(to), as_written(tag)));
                        Event::StartSend { to, bytes, tag, request }
                    }
                };
                of.program.push(event);
            }
            Action::Receive { from, tag, begins } => {
                let (from, tag) = (any(from), any(tag));
                let event = match begins {
                    false => Event::Receive { from, tag },
                    true => {
                        let request = of.start((as_written(from), me, as_written(tag)));
                        Event::StartReceive { from, tag, request }
                    }
                };
                of.program.push(event);
            }
            Action::Both { to, bytes, from } => of.both(to, bytes, from),
            Action::Wait { from, to, tag } => {
                // A rank that has tested before has nothing left to wait for.
                let key = (from.max(-1), to.max(-1), tag.max(-1));
                if let Some(request) = of.open.get_mut(&key).and_then(VecDeque::pop_front) {
                    of.program.push(Event::Wait { request });
                }
            }
            Action::WaitAll => {
                of.program.push(Event::WaitAll);
                of.open.clear();
                of.num_requests = 0;
            }
            Action::Persistent => self.persistent += 1,
            Action::OneSided => self.one_sided += 1,
            Action::Nothing | Action::Send { to: None, .. } | Action::Collective { .. } => {}
        }
        Ok(())
    }

    fn collective(&mut self, rank: usize, joining: Joining, nanoseconds: u64) -> Result<(), Fault> {
        let call =
            self.calls.join(WORLD, &self.members, rank as u32, joining).map_err(|error| {
                Fault::Contradiction(format!(
                    "{error}; such traces do not name the communicator of a collective"
                ))
            })?;
        let of = &mut self.ranks[rank];
        of.program.extend(call.map(|number| Event::Collective { number }));
        compute(&mut of.program, nanoseconds);
        Ok(())
    }

    /// The trace, with warnings about what it does not hold.
    pub fn finish(self, warnings: &mut Warnings) -> Result<Trace, ReadError> {
        let whole = |fault: Fault| ReadError::new(self.name.to_string(), fault);
        let silent = self.ranks.iter().position(|rank| !rank.begun);
        if let Some(rank) = silent {
            return Err(whole(Fault::expected(format!("lines of rank {rank}"), "none")));
        }
        let num_ranks = self.ranks.len();
        let mut programs: Vec<Vec<Event>> =
            self.ranks.into_iter().map(|rank| rank.program).collect();
        let dropped = matching::resolve(&mut programs, &self.calls.sizes(|_| num_ranks));
        let (collectives, numbers) = self.calls.finish(|_| self.members.clone()).map_err(whole)?;
        for event in programs.iter_mut().flatten() {
            if let Event::Collective { number } = event {
                *number = numbers[*number as usize];
            }
        }
        if !collectives.is_empty() {
            warnings.push(
                "time-independent traces do not name the communicator of a collective: all ranks \
                 are assumed to take part"
                    .into(),
            );
        }
        let mut warn_of = |count: u64, one: &str, what: &str| {
            if count > 0 {
                warnings.push(format!("{} {what}", counted(count, one)));
            }
        };
        warn_of(
            self.persistent,
            "start",
            "of persistent requests left out: the trace does not say what they send",
        );
        warn_of(self.one_sided, "one-sided operation", "left out");
        warn_of(
            self.of_unknown_size,
            "element",
            "of datatypes of unknown size counted as one byte each",
        );
        warn_of(
            dropped as u64,
            "receive",
            "from any rank, or from no rank, left out: no message came",
        );
        Trace::new(programs, collectives).map_err(|error| whole(Fault::refused(error)))
    }
}

impl Rank {
    /// Sends and receives at once, with tags that the trace does not contain.
    fn both(&mut self, to: Option<u32>, bytes: u64, from: Option<u32>) {
        let receive = from.map(|from| Event::Receive { from, tag: ANY });
        match (to, receive) {
            (Some(to), Some(receive)) => {
                let request = self.num_requests;
                self.num_requests += 1;
                let send = Event::StartSend { to, bytes, tag: ANY, request };
                self.program.extend([send, receive, Event::Wait { request }]);
            }
            (Some(to), None) => self.program.push(Event::Send { to, bytes, tag: ANY }),
            (None, receive) => self.program.extend(receive),
        }
    }
}

/// A rank or tag as waits name it: "any" as -1, however it is written.
fn as_written(number: u32) -> i64 {
    if number == ANY { -1 } else { i64::from(number) }
}

/// How many ranks the lines of a file name. Missing ranks are detected later, but a large number
/// alone must not take memory.
fn ranks_of(source: &Source<'_>) -> Result<u64, ReadError> {
    let (mut most, mut lines) = (0, 0);
    for (number, line) in source.lines() {
        let Some(word) = Cursor::new(line).word() else { continue };
        if word.starts_with(b"#") {
            continue;
        }
        let rank = count(word).map_err(|fault| source.error_in_line(number, fault))?;
        lines += 1;
        most = rank.max(most);
    }
    // Every rank has at least one line.
    match most < lines {
        true => Ok(most + 1),
        false => Err(source
            .error(Fault::expected(format!("lines of ranks 0 to {most}"), counted(lines, "line")))),
    }
}
