//! Lists and fields in each other, each with its line, from JSON or YAML.

use std::collections::HashSet;

use topoloom_core::budget;

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::number::shown;
use crate::text::source::Source;

/// Deeper than any description of a cluster.
pub(crate) const DEEPEST: usize = 64;

/// A value and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    pub line: usize,
    pub value: Value,
}

/// What a value is. Numbers and words are text, as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Nothing,
    Text(String),
    List(Vec<Tree>),
    Fields(Vec<(String, Tree)>),
}

impl Tree {
    /// The value of a field, unless it is missing or empty.
    pub fn get(&self, name: &str) -> Option<&Tree> {
        let (_, value) = self.fields().iter().find(|(field, _)| field == name)?;
        (value.value != Value::Nothing).then_some(value)
    }

    /// The fields; none if it is something else.
    pub fn fields(&self) -> &[(String, Tree)] {
        match &self.value {
            Value::Fields(fields) => fields,
            _ => &[],
        }
    }

    /// The items; none if it is not a list.
    pub fn items(&self) -> &[Tree] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a field; nothing if the field is missing or something else.
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }

    /// The text of a field that must be there.
    pub fn need_text(&self, source: &Source<'_>, name: &str) -> Result<&str, ReadError> {
        match self.get(name) {
            Some(value) => value.text().filter(|text| !text.is_empty()).ok_or_else(|| {
                let fault = Fault::expected("a text", value.kind()).within(name);
                value.error(source, fault)
            }),
            None => Err(self.error(source, Fault::Missing(format!("\"{name}\" is missing")))),
        }
    }

    /// The items of a field; none if the field is missing.
    pub fn list_of(&self, source: &Source<'_>, name: &str) -> Result<&[Tree], ReadError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Tree { value: Value::List(items), .. }) => Ok(items),
            Some(value) => {
                Err(value.error(source, Fault::expected("a list", value.kind()).within(name)))
            }
        }
    }

    /// An error in its line.
    pub fn error(&self, source: &Source<'_>, fault: Fault) -> ReadError {
        source.error_in_line(self.line, fault)
    }

    /// What it is, for errors.
    pub fn kind(&self) -> String {
        match &self.value {
            Value::Nothing => "nothing".to_string(),
            Value::Text(text) => shown(text.as_bytes()),
            Value::List(_) => "a list".to_string(),
            Value::Fields(_) => "fields".to_string(),
        }
    }

    /// How many values it has, including itself.
    pub fn size(&self) -> usize {
        let inside: usize = match &self.value {
            Value::Nothing | Value::Text(_) => 0,
            Value::List(items) => items.iter().map(Tree::size).sum(),
            Value::Fields(fields) => fields.iter().map(|(_, value)| value.size()).sum(),
        };
        1 + inside
    }
}

/// Fields, each of which appears once. The error has the line of the second one.
pub(crate) fn fields(fields: Vec<(String, Tree)>) -> Result<Value, (usize, Fault)> {
    let mut names = HashSet::new();
    match fields.iter().find(|(name, _)| !names.insert(name)) {
        Some((name, value)) => {
            let fault = Fault::Repeated(format!("{} appears twice", shown(name.as_bytes())));
            Err((value.line, fault))
        }
        None => Ok(Value::Fields(fields)),
    }
}

/// Whether this many values fit in memory.
pub(crate) fn check_size(values: usize) -> Result<(), Fault> {
    // A value, its name, and what the allocator adds to both.
    const BYTES_EACH: u64 = 2 * size_of::<(String, Tree)>() as u64;
    Ok(budget::memory().check_items("so many values", values as u64, BYTES_EACH)?)
}
