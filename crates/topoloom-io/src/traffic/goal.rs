//! GOAL: schedules of LogGOPSim and ATLAHS as text. The traffic is what ranks send.
//!
//! `num_ranks N`, then `rank r { ... }` for each rank that does something. Inside are operations, each
//! after a label if it has one: `l1: send 1024b to 3 tag 0`, `recv 1024b from 3`, `calc 500`, perhaps
//! with `cpu` and `nic`. `l2 requires l1` and `l2 irequires l1` say what waits for what.

use std::collections::HashSet;

use topoloom_core::{Entry, Traffic, TrafficBuilder, Weight};

use super::format::{Format, FormatEntry};
use super::ranks::ranks;
use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::{count, shown};
use crate::text::source::Source;
use crate::text::warnings::Warnings;

pub(super) static ENTRY: FormatEntry = Entry {
    name: "goal",
    summary: "schedule of LogGOPSim and ATLAHS as text; only what ranks send is used",
    example: "schedule.goal",
    parameters: &[],
    build: Format {
        endings: &["goal"],
        looks_like: |bytes| Words::new(bytes).next().is_some_and(|word| word.text == FIRST),
        read: Some(read),
        read_run: None,
        write: None,
        keeps_collectives: false,
    },
};

/// The first word of a file.
const FIRST: &[u8] = b"num_ranks";

/// A word and where it is.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a [u8],
    at: usize,
}

/// The words of a file. Braces and colons are words; comments are none.
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    fn new(bytes: &'a [u8]) -> Words<'a> {
        Words { bytes, at: 0 }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            let rest = &self.bytes[self.at..];
            let first = rest.first()?;
            let length = match first {
                _ if first.is_ascii_whitespace() => {
                    self.at += 1;
                    continue;
                }
                _ if rest.starts_with(b"//") || *first == b'#' => {
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                    continue;
                }
                b'{' | b'}' | b':' => 1,
                _ => {
                    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"{}:".contains(byte);
                    rest.iter().position(ends).unwrap_or(rest.len())
                }
            };
            let word = Word { text: &rest[..length], at: self.at };
            self.at += length;
            return Some(word);
        }
    }
}

struct Reader<'a> {
    source: &'a Source<'a>,
    words: std::iter::Peekable<Words<'a>>,
}

impl<'a> Reader<'a> {
    fn error(&self, word: Option<Word<'_>>, expected: &str) -> ReadError {
        match word {
            Some(word) => {
                self.source.error_at(word.at, Fault::expected(expected, shown(word.text)))
            }
            None => {
                let end = self.source.bytes().len();
                self.source.error_at(end, Fault::expected(expected, "the end of the file"))
            }
        }
    }

    fn word(&mut self, expected: &str) -> Result<Word<'a>, ReadError> {
        let word = self.words.next();
        word.ok_or_else(|| self.error(None, expected))
    }

    /// Takes this word.
    fn need(&mut self, text: &str) -> Result<(), ReadError> {
        let expected = format!("\"{text}\"");
        let word = self.word(&expected)?;
        match word.text == text.as_bytes() {
            true => Ok(()),
            false => Err(self.error(Some(word), &expected)),
        }
    }

    fn takes(&mut self, text: &[u8]) -> bool {
        self.words.next_if(|word| word.text == text).is_some()
    }

    fn number(&mut self, what: &str) -> Result<(u64, Word<'a>), ReadError> {
        let word = self.word(what)?;
        let number = count(word.text).map_err(|_| self.error(Some(word), what))?;
        Ok((number, word))
    }

    fn rank(&mut self, num_ranks: u32) -> Result<u32, ReadError> {
        let (number, word) = self.number("a rank")?;
        let rank = u32::try_from(number).ok().filter(|rank| *rank < num_ranks);
        rank.ok_or_else(|| {
            let last = num_ranks - 1;
            let fault = Fault::OutOfRange(format!("rank {number} is not among 0 to {last}"));
            self.source.error_at(word.at, fault)
        })
    }

    /// A number of bytes, such as `1024b`.
    fn size(&mut self) -> Result<u64, ReadError> {
        let expected = "a number of bytes, such as 1024b";
        let word = self.word(expected)?;
        let digits = word.text.strip_suffix(b"b").unwrap_or(word.text);
        count(digits).map_err(|_| self.error(Some(word), expected))
    }

    /// `tag 0`, `cpu 0` and `nic 0`, in any order.
    fn options(&mut self) -> Result<(), ReadError> {
        let is_option = |word: &Word<'_>| [&b"tag"[..], b"cpu", b"nic"].contains(&word.text);
        while self.words.next_if(is_option).is_some() {
            self.number("a whole number")?;
        }
        Ok(())
    }
}

fn read(source: &Source<'_>, _: Weight, _: &mut Warnings) -> Result<Traffic, ReadError> {
    let mut reader = Reader { source, words: Words::new(source.bytes()).peekable() };
    reader.need("num_ranks")?;
    let (number, word) = reader.number("the number of ranks")?;
    let num_ranks = ranks(number).map_err(|fault| source.error_at(word.at, fault))?;
    let mut builder = TrafficBuilder::new(num_ranks);
    let mut seen = HashSet::new();
    while reader.words.peek().is_some() {
        reader.need("rank")?;
        let at = reader.words.peek().map_or(0, |word| word.at);
        let rank = reader.rank(num_ranks)?;
        if !seen.insert(rank) {
            let fault = Fault::Repeated(format!("rank {rank} appears twice"));
            return Err(source.error_at(at, fault));
        }
        reader.need("{")?;
        while !reader.takes(b"}") {
            statement(&mut reader, rank, num_ranks, &mut builder)?;
        }
    }
    Ok(builder.build())
}

/// Reads an operation, or what an operation waits for.
fn statement(
    reader: &mut Reader<'_>,
    rank: u32,
    num_ranks: u32,
    builder: &mut TrafficBuilder,
) -> Result<(), ReadError> {
    let expected = "send, recv, calc, a label or \"}\"";
    let mut word = reader.word(expected)?;
    if reader.takes(b":") {
        word = reader.word("send, recv or calc")?;
    } else if reader.takes(b"requires") || reader.takes(b"irequires") {
        return reader.word("a label").map(drop);
    }
    match word.text {
        b"send" => {
            let bytes = reader.size()?;
            reader.need("to")?;
            let to = reader.rank(num_ranks)?;
            builder.add(rank, to, 1.0, bytes as f64);
        }
        b"recv" => {
            reader.size()?;
            reader.need("from")?;
            reader.rank(num_ranks)?;
        }
        b"calc" => drop(reader.number("a number of nanoseconds")?),
        _ => return Err(reader.error(Some(word), expected)),
    }
    reader.options()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Traffic, String> {
        let source = Source::new("a.goal", text.as_bytes());
        read(&source, Weight::Bytes, &mut Warnings::new()).map_err(|error| error.to_string())
    }

    #[test]
    fn sends_are_traffic() {
        let text = "// two ranks\nnum_ranks 3\nrank 0 {\nl1: calc 500 cpu 1\nl2 : send 10b to 2 tag 7 \
                    cpu 0 nic 1\nl2 requires l1\nsend 5b to 2\n}\nrank 2{\nl1: recv 10b from 0 tag 7\n\
                    l2: send 1 to 0\nl2 irequires l1 }\n";
        let flows: Vec<_> = parse(text).unwrap().flows().collect();
        let flows: Vec<_> =
            flows.iter().map(|flow| (flow.from.0, flow.to.0, flow.messages, flow.bytes)).collect();
        assert_eq!(flows, [(0, 2, 2.0, 15.0), (2, 0, 1.0, 1.0)]);
    }

    #[test]
    fn errors_have_their_line() {
        let error = |text: &str| parse(text).unwrap_err();
        assert_eq!(error("num_ranks x"), "a.goal:1: expected the number of ranks, found \"x\"");
        assert_eq!(error("num_ranks 0"), "a.goal:1: expected at least 1 rank, found 0");
        assert_eq!(error("num_ranks 2\nrank 2 {\n}"), "a.goal:2: rank 2 is not among 0 to 1");
        assert_eq!(
            error("num_ranks 2\nrank 0 {\nl1: send xb to 1\n}"),
            "a.goal:3: expected a number of bytes, such as 1024b, found \"xb\""
        );
        assert_eq!(
            error("num_ranks 2\nrank 0 {\nl1: put 1b to 1\n}"),
            "a.goal:3: expected send, recv, calc, a label or \"}\", found \"put\""
        );
        assert_eq!(
            error("num_ranks 2\nrank 0 {\nsend 1b to 1\n"),
            "a.goal:4: expected send, recv, calc, a label or \"}\", found the end of the file"
        );
        assert_eq!(
            error("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}"),
            "a.goal:4: rank 0 appears twice"
        );
    }
}
