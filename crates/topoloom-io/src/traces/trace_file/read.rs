//! Reads a trace as text.

use std::ops::RangeInclusive;

use topoloom_core::trace::MOST_NESTED;
use topoloom_core::trace::NAMES_END;
use topoloom_core::traffic::{Collective, Group};
use topoloom_core::words::counted;
use topoloom_core::{Event, Trace, budget};

use super::collectives;
use super::label::{FORMAT, VERSION};
use crate::text::cursor::Cursor;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;

/// The most ranks a trace may have: memory is allocated for each rank, and a typing error must not
/// use up all memory.
const MAX_RANKS: u64 = 1 << 24;

/// The memory of a rank that does nothing: its program, and its state while it is read and
/// replayed.
const BYTES_PER_RANK: u64 = 128;

/// The most events of ranks that share a block, which are few bytes in the file and 24 bytes each
/// in memory.
const MOST_SHARED_EVENTS: u64 = 1 << 26;

/// The words of events.
const EVENTS: &str = "c, s, r, S, R, w, W, x, {, }";

/// Reads a trace.
pub fn read(source: &Source<'_>) -> Result<Trace, ReadError> {
    let mut reader = Reader {
        source,
        cursor: Cursor::new(source.bytes()),
        ranks: 0,
        collectives: Vec::new(),
        sorted_members: Vec::new(),
        programs: Vec::new(),
        given: Vec::new(),
        shared_events: 0,
        events: Vec::new(),
        in_block: false,
    };
    reader.version()?;
    reader.header()?;
    while reader.cursor.find_word(b'#') {
        reader.block()?;
    }
    Trace::new(reader.programs, reader.collectives)
        .map_err(|error| source.error(Fault::refused(error)))
}

struct Reader<'a> {
    source: &'a Source<'a>,
    cursor: Cursor<'a>,
    ranks: u32,
    collectives: Vec<Collective>,
    /// For collectives that list their members: the members sorted, to search for one.
    sorted_members: Vec<Vec<u32>>,
    programs: Vec<Vec<Event>>,
    /// Whether a rank already has its block.
    given: Vec<bool>,
    shared_events: u64,
    /// The events of the current block.
    events: Vec<Event>,
    in_block: bool,
}

impl Reader<'_> {
    /// An error in the line of the cursor.
    fn error<T>(&self, fault: impl Into<Fault>) -> Result<T, ReadError> {
        Err(self.source.error_at(self.cursor.position(), fault))
    }

    fn version(&mut self) -> Result<(), ReadError> {
        let words = self.cursor.words();
        let [name, version, rest @ ..] = &words[..] else {
            return self.error(Fault::wanted(format!("a first line \"{FORMAT} {VERSION}\"")));
        };
        if *name != FORMAT.as_bytes() || rest.first().is_some_and(|word| word[0] != b'#') {
            return self.error(Fault::wanted(format!("a first line \"{FORMAT} {VERSION}\"")));
        }
        match collectives::whole(version) {
            Ok(VERSION) => Ok(()),
            Ok(version) if version > VERSION => self.error(Fault::Unsupported(format!(
                "version {version} is newer than this program, which reads up to {VERSION}"
            ))),
            _ => self.error(Fault::expected(format!("version {VERSION}"), shown(version))),
        }
    }

    /// The number of ranks and the collectives.
    fn header(&mut self) -> Result<(), ReadError> {
        if !self.cursor.find_word(b'#') {
            return self
                .error(Fault::expected("\"ranks\" and their number", "the end of the file"));
        }
        match self.cursor.word() {
            Some(b"ranks") => {}
            word => {
                let found = shown(word.unwrap_or_default());
                return self.error(Fault::expected("\"ranks\" and their number", found));
            }
        }
        let ranks = self.number("a number of ranks")?;
        if ranks == 0 {
            return self.error(Fault::expected("at least 1 rank", "0"));
        }
        if ranks > MAX_RANKS {
            return self.error(Fault::TooLarge(format!(
                "{ranks} ranks are too many; at most {MAX_RANKS} are supported"
            )));
        }
        let what = format!("a trace of {}", counted(ranks, "rank"));
        if let Err(error) = budget::memory().check_items(&what, ranks, BYTES_PER_RANK) {
            return self.error(error);
        }
        self.end_of_line()?;
        self.ranks = ranks as u32;
        self.programs = vec![Vec::new(); ranks as usize];
        self.given = vec![false; ranks as usize];
        while self.cursor.find_word(b'#') {
            let before = self.cursor.clone();
            if self.cursor.word() != Some(b"collective") {
                self.cursor = before;
                break;
            }
            self.collective()?;
        }
        Ok(())
    }

    /// A collective, after its keyword.
    fn collective(&mut self) -> Result<(), ReadError> {
        let expected = self.collectives.len();
        let number = self.number("the number of a collective")?;
        if number != expected as u64 {
            return self.error(Fault::expected(format!("collective {expected}"), number));
        }
        let mut words = self.cursor.words();
        let comment = words.iter().position(|word| word[0] == b'#');
        words.truncate(comment.unwrap_or(words.len()));
        let collective = match collectives::parse(&words, self.ranks) {
            Ok(collective) => collective,
            Err(fault) => return self.error(fault),
        };
        let mut sorted = match &collective.group {
            Group::List(ranks) => ranks.to_vec(),
            Group::Strided { .. } => Vec::new(),
        };
        sorted.sort_unstable();
        self.sorted_members.push(sorted);
        self.collectives.push(collective);
        Ok(())
    }

    fn is_member(&self, rank: u32, collective: usize) -> bool {
        match self.collectives[collective].group {
            Group::Strided { first, stride, size } => {
                let offset = rank.checked_sub(first);
                offset.is_some_and(|offset| match stride {
                    0 => offset == 0,
                    _ => offset % stride == 0 && offset / stride < size,
                })
            }
            Group::List(_) => self.sorted_members[collective].binary_search(&rank).is_ok(),
        }
    }

    /// What a rank does, or several ranks that do the same.
    fn block(&mut self) -> Result<(), ReadError> {
        let ranks = self.block_ranks()?;
        // One list is reused for all blocks, so the kept lists have exactly the size they need.
        let mut events = std::mem::take(&mut self.events);
        events.clear();
        let mut open: Vec<usize> = Vec::new();
        while self.cursor.find_word(b'#') {
            let begin = self.cursor.position();
            let Some(letter) = self.cursor.letter() else { break };
            let event = self.event(letter, &ranks)?;
            match event {
                Event::Repeat { times: 0 } => {
                    return self.error(Fault::wanted("at least 1 repetition"));
                }
                Event::Repeat { .. } if open.len() == MOST_NESTED => {
                    return self.error(Fault::TooLarge(format!(
                        "repetitions are nested more than {MOST_NESTED} deep"
                    )));
                }
                Event::Repeat { .. } => open.push(begin),
                Event::End if open.pop().is_none() => {
                    return self.error(Fault::Malformed(
                        "the end of a repetition that did not begin".into(),
                    ));
                }
                _ => {}
            }
            self.end_of_line()?;
            events.push(event);
        }
        if let Some(begin) = open.pop() {
            return Err(self
                .source
                .error_at(begin, Fault::Malformed("a repetition that does not end".into())));
        }
        self.keep(ranks, &events)?;
        self.events = events;
        Ok(())
    }

    /// After `rank`: one rank, or the first and the last of several.
    fn block_ranks(&mut self) -> Result<RangeInclusive<u32>, ReadError> {
        match self.cursor.word().unwrap_or_default() {
            b"rank" => {}
            b"collective" => {
                return self
                    .error(Fault::expected("collectives before the first rank", "one after it"));
            }
            word if self.in_block => {
                return self.error(Fault::expected(format!("{EVENTS} or rank"), shown(word)));
            }
            word => return self.error(Fault::expected("\"rank\"", shown(word))),
        }
        self.in_block = true;
        let Some(word) = self.cursor.word() else {
            return self.error(Fault::expected("a rank", "the end of the line"));
        };
        let mut ends = word.splitn(2, |&byte| byte == b'-');
        let first = self.existing(ends.next().unwrap_or_default())?;
        let last = match ends.next() {
            Some(last) => self.existing(last)?,
            None => first,
        };
        if last < first {
            return self.error(Fault::expected(format!("a last rank from {first} on"), last));
        }
        for rank in first..=last {
            if std::mem::replace(&mut self.given[rank as usize], true) {
                return self.error(Fault::Repeated(format!("rank {rank} is given twice")));
            }
        }
        self.end_of_line()?;
        Ok(first..=last)
    }

    fn existing(&self, word: &[u8]) -> Result<u32, ReadError> {
        match collectives::whole(word) {
            Ok(rank) if rank < u64::from(self.ranks) => Ok(rank as u32),
            Ok(rank) => self.error(no_such_rank(rank, self.ranks)),
            Err(fault) => self.error(fault),
        }
    }

    /// Gives all ranks of a block their events.
    fn keep(&mut self, ranks: RangeInclusive<u32>, events: &[Event]) -> Result<(), ReadError> {
        let others = u64::from(ranks.end() - ranks.start());
        let shared = others.saturating_mul(events.len() as u64);
        self.shared_events = self.shared_events.saturating_add(shared);
        let bytes = size_of::<Event>() as u64;
        let fits =
            budget::memory().check_items("ranks that share blocks", self.shared_events, bytes);
        if let Err(error) = fits {
            return self.error(error);
        }
        if self.shared_events > MOST_SHARED_EVENTS {
            return self.error(Fault::TooLarge(format!(
                "ranks that share blocks have {} events; at most {MOST_SHARED_EVENTS} are possible",
                self.shared_events
            )));
        }
        let (first, last) = (*ranks.start() as usize, *ranks.end() as usize);
        for program in &mut self.programs[first..=last] {
            *program = events.to_vec();
        }
        Ok(())
    }

    /// The event that `word` begins, without the text after it.
    #[inline]
    fn event(&mut self, letter: u8, ranks: &RangeInclusive<u32>) -> Result<Event, ReadError> {
        Ok(match letter {
            b'c' => Event::Compute { nanoseconds: self.number("a number of nanoseconds")? },
            b's' => Event::Send { to: self.rank()?, bytes: self.bytes()?, tag: self.tag()? },
            b'r' => Event::Receive { from: self.rank()?, tag: self.tag()? },
            b'S' => {
                let request = self.request()?;
                let (to, bytes) = (self.rank()?, self.bytes()?);
                Event::StartSend { to, bytes, tag: self.tag()?, request }
            }
            b'R' => {
                let request = self.request()?;
                Event::StartReceive { from: self.rank()?, tag: self.tag()?, request }
            }
            b'w' => Event::Wait { request: self.request()? },
            b'W' => Event::WaitAll,
            b'x' => Event::Collective { number: self.known_collective(ranks)? },
            b'{' => {
                Event::Repeat { times: self.number_up_to(u32::MAX, "a number of repetitions")? }
            }
            b'}' => Event::End,
            _ => {
                let found = shown(&[letter]);
                return self.error(Fault::expected(format!("{EVENTS} or rank"), found));
            }
        })
    }

    fn rank(&mut self) -> Result<u32, ReadError> {
        let rank = self.number("a rank")?;
        match rank < u64::from(self.ranks) {
            true => Ok(rank as u32),
            false => self.error(no_such_rank(rank, self.ranks)),
        }
    }

    fn bytes(&mut self) -> Result<u64, ReadError> {
        self.number("a number of bytes")
    }

    fn request(&mut self) -> Result<u32, ReadError> {
        self.number_up_to(NAMES_END - 1, "a request")
    }

    /// The tag, or 0 if the line ends before it.
    fn tag(&mut self) -> Result<u32, ReadError> {
        match self.cursor.find_word_in_line() && !self.cursor.at_byte(b'#') {
            true => self.number_up_to(NAMES_END - 1, "a tag"),
            false => Ok(0),
        }
    }

    fn known_collective(&mut self, ranks: &RangeInclusive<u32>) -> Result<u32, ReadError> {
        let number = self.number("the number of a collective")?;
        let known = self.collectives.len();
        if number >= known as u64 {
            return self.error(Fault::OutOfRange(format!(
                "there is no collective {number}, only {known} of them"
            )));
        }
        // Checking every rank costs less than copying the event for every rank.
        match ranks.clone().find(|&rank| !self.is_member(rank, number as usize)) {
            None => Ok(number as u32),
            Some(rank) => self.error(Fault::Contradiction(format!(
                "rank {rank} is not a member of collective {number}"
            ))),
        }
    }

    fn number_up_to(&mut self, most: u32, expected: &str) -> Result<u32, ReadError> {
        let number = self.number(expected)?;
        match number <= u64::from(most) {
            true => Ok(number as u32),
            false => self.error(Fault::expected(format!("{expected} up to {most}"), number)),
        }
    }

    #[inline]
    fn number(&mut self, expected: &str) -> Result<u64, ReadError> {
        match self.cursor.count() {
            Some(number) => Ok(number),
            None => self.long_number(expected),
        }
    }

    /// A number that the fast path does not accept, or what is wrong with it.
    #[cold]
    fn long_number(&mut self, expected: &str) -> Result<u64, ReadError> {
        let word = match self.cursor.word() {
            None | Some([b'#', ..]) => {
                return self.error(Fault::expected(expected, "the end of the line"));
            }
            Some(word) => word,
        };
        match collectives::whole(word) {
            Ok(number) => Ok(number),
            Err(fault) if word.iter().all(u8::is_ascii_digit) => self.error(fault),
            Err(_) => self.error(Fault::expected(expected, shown(word))),
        }
    }

    #[inline]
    fn end_of_line(&mut self) -> Result<(), ReadError> {
        if !self.cursor.find_word_in_line() {
            return Ok(());
        }
        if !self.cursor.at_byte(b'#') {
            let found = shown(self.cursor.word().unwrap_or_default());
            return self.error(Fault::expected("the end of the line", found));
        }
        self.cursor.skip_to_line_end();
        Ok(())
    }
}

fn no_such_rank(rank: u64, ranks: u32) -> Fault {
    Fault::OutOfRange(format!("there is no rank {rank}, only 0 to {}", ranks - 1))
}
