//! JSON as trees whose values know their lines.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::{self, Read};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::json::json_error;
use crate::text::source::Source;
use crate::text::tree::{self, Tree, Value};

/// Whether content begins like JSON with fields, or with a list of fields or lists. `[1-4]` is a
/// list of hosts.
pub(crate) fn is_json(bytes: &[u8]) -> bool {
    let text = Source::new("", bytes).bytes().trim_ascii_start();
    match text.split_first() {
        Some((b'{', _)) => true,
        Some((b'[', rest)) => matches!(rest.trim_ascii_start().first(), Some(b'{' | b'[')),
        _ => false,
    }
}

/// The value of a source.
pub(crate) fn parse(source: &Source<'_>) -> Result<Tree, ReadError> {
    let progress = Progress::default();
    let reader = Counted { bytes: source.bytes(), progress: &progress };
    let mut json = serde_json::Deserializer::from_reader(reader);
    let read = TreeSeed(&progress).deserialize(&mut json);
    read.and_then(|tree| json.end().map(|()| tree)).map_err(|error| {
        match progress.fault.borrow_mut().take() {
            Some((line, fault)) => source.error_in_line(line, fault),
            None => {
                let error = json_error(source, &error);
                ReadError { fault: error.fault.within("JSON"), ..error }
            }
        }
    })
}

/// How far the text was read.
#[derive(Default)]
struct Progress {
    /// The ends of lines before the last byte. The parser looks one byte ahead.
    ends: Cell<usize>,
    last: Cell<u8>,
    values: Cell<usize>,
    /// What is wrong, and in which line, if the parser does not report it.
    fault: RefCell<Option<(usize, Fault)>>,
}

impl Progress {
    fn line(&self) -> usize {
        self.ends.get() + 1
    }

    fn check<T, E: Error>(&self, checked: Result<T, (usize, Fault)>) -> Result<T, E> {
        checked.map_err(|(line, fault)| {
            let error = E::custom(&fault);
            *self.fault.borrow_mut() = Some((line, fault));
            error
        })
    }
}

/// Gives one byte at a time, and counts lines.
struct Counted<'a> {
    bytes: &'a [u8],
    progress: &'a Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (Some((&byte, rest)), Some(place)) = (self.bytes.split_first(), buffer.first_mut())
        else {
            return Ok(0);
        };
        (*place, self.bytes) = (byte, rest);
        let ended = self.progress.last.replace(byte) == b'\n';
        self.progress.ends.set(self.progress.ends.get() + usize::from(ended));
        Ok(1)
    }
}

#[derive(Clone, Copy)]
struct TreeSeed<'a>(&'a Progress);

impl TreeSeed<'_> {
    fn tree<E: Error>(self, line: usize, value: Value) -> Result<Tree, E> {
        self.0.values.set(self.0.values.get() + 1);
        let fits = tree::check_size(self.0.values.get());
        self.0.check(fits.map_err(|fault| (line, fault)))?;
        Ok(Tree { line, value })
    }

    fn text<E: Error>(self, text: impl ToString) -> Result<Tree, E> {
        self.tree(self.0.line(), Value::Text(text.to_string()))
    }
}

impl<'de> DeserializeSeed<'de> for TreeSeed<'_> {
    type Value = Tree;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TreeSeed<'_> {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        self.tree(self.0.line(), Value::Nothing)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Tree, E> {
        self.text(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Tree, E> {
        self.text(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Tree, E> {
        self.text(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Tree, E> {
        self.text(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Tree, E> {
        self.text(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let line = self.0.line();
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(self)? {
            items.push(item);
        }
        self.tree(line, Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let line = self.0.line();
        let mut fields = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            fields.push((name, map.next_value_seed(self)?));
        }
        let fields = self.0.check(tree::fields(fields))?;
        self.tree(line, fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Tree, String> {
        parse(&Source::new("a.json", text.as_bytes())).map_err(|error| error.to_string())
    }

    #[test]
    fn values_have_their_lines() {
        let tree = read("{\n \"a\": 1\n,\n\"b\": [\n{\"c\": null}, \"\\u00e9\"\n]}\n").unwrap();
        let b = tree.get("b").unwrap();
        assert_eq!((tree.get("a").unwrap().line, b.line, b.items()[0].line), (2, 4, 5));
        assert_eq!((tree.text_of("a"), b.items()[1].text()), (Some("1"), Some("é")));
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_line() {
        assert_eq!(read("{\n\"a\": 1,\n\"a\": 2}").unwrap_err(), "a.json:3: \"a\" appears twice");
        assert_eq!(read("{\n\"a\": [1").unwrap_err(), "a.json:2: JSON: the file ends too early");
        assert!(read("{}\nx").unwrap_err().starts_with("a.json:2: "));
        assert!(read(&"[".repeat(10_000)).unwrap_err().starts_with("a.json:1: "));
    }

    #[test]
    fn json_is_told_from_lists_of_hosts() {
        assert!(is_json(b" {\"a\": 1}") && is_json(b"[ {}]") && is_json(b"[[1]]"));
        assert!(!is_json(b"[1-4]") && !is_json(b"n1") && !is_json(b""));
    }
}
