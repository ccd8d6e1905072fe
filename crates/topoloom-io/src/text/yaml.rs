//! YAML as trees. With aliases, a few bytes can stand for any amount of text, so aliases have their
//! own limit.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::text::error::ReadError;
use crate::text::fault::Fault;
use crate::text::source::Source;
use crate::text::tree::{self, DEEPEST, Tree, Value};

/// How many values aliases may repeat in one file.
const MOST_REPEATED: usize = 1 << 16;

/// Whether content begins like YAML with fields or a list: `---`, `- ` or `name:`.
pub(crate) fn is_yaml(bytes: &[u8]) -> bool {
    let source = Source::new("", bytes);
    let mut lines = source.lines().map(|(_, line)| line.trim_ascii_end());
    let Some(line) = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")) else {
        return false;
    };
    let is_name = |letter: &u8| letter.is_ascii_alphanumeric() || b"_-./".contains(letter);
    let name = line.iter().take_while(|letter| is_name(letter)).count();
    let field = name > 0
        && line.get(name) == Some(&b':')
        && line.get(name + 1).is_none_or(|&next| next == b' ');
    line == b"---" || line.starts_with(b"--- ") || line.starts_with(b"- ") || field
}

/// The documents of a source.
pub(crate) fn parse(source: &Source<'_>) -> Result<Vec<Tree>, ReadError> {
    let text = std::str::from_utf8(source.bytes())
        .map_err(|error| source.error_at(error.valid_up_to(), Fault::wanted("UTF-8 text")))?;
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let fault = Fault::Malformed(format!("expected YAML: {}", error.info()));
            source.error_in_line(error.marker().line().max(1), fault)
        })?;
        let line = span.start.line().max(1);
        builder.line = line;
        builder.add(event).map_err(|fault| source.error_in_line(builder.line, fault))?;
    }
    Ok(builder.documents)
}

/// A list or fields whose end is not yet reached.
struct Open {
    line: usize,
    anchor: usize,
    inside: Inside,
}

enum Inside {
    List(Vec<Tree>),
    /// The fields, and the name of the next one.
    Fields(Vec<(String, Tree)>, Option<String>),
}

#[derive(Default)]
struct Builder {
    /// Where an error is.
    line: usize,
    documents: Vec<Tree>,
    open: Vec<Open>,
    /// What aliases may refer to.
    anchored: HashMap<usize, Tree>,
    values: usize,
    repeated: usize,
}

impl Builder {
    fn add(&mut self, event: Event<'_>) -> Result<(), Fault> {
        let line = self.line;
        match event {
            Event::SequenceStart(anchor, _) => {
                self.begin(Open { line, anchor, inside: Inside::List(Vec::new()) })
            }
            Event::MappingStart(anchor, _) => {
                self.begin(Open { line, anchor, inside: Inside::Fields(Vec::new(), None) })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { line, anchor, inside }) = self.open.pop() else { return Ok(()) };
                let value = match inside {
                    Inside::List(items) => Value::List(items),
                    Inside::Fields(fields, _) => {
                        tree::fields(fields).map_err(|(line, fault)| {
                            self.line = line;
                            fault
                        })?
                    }
                };
                self.put(Tree { line, value }, anchor)
            }
            Event::Scalar(text, style, anchor, _) => {
                let plain = style == ScalarStyle::Plain;
                let nothing = plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                let value = if nothing { Value::Nothing } else { Value::Text(text.into_owned()) };
                self.put(Tree { line, value }, anchor)
            }
            Event::Alias(anchor) => {
                let Some(tree) = self.anchored.get(&anchor) else {
                    return Err(Fault::Malformed("an alias of something that contains it".into()));
                };
                let tree = tree.clone();
                self.repeat(&tree)?;
                self.put(tree, 0)
            }
            Event::DocumentStart(_) => {
                self.anchored.clear();
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn begin(&mut self, open: Open) -> Result<(), Fault> {
        if self.open.len() >= DEEPEST {
            return Err(Fault::TooLarge(format!("more than {DEEPEST} lists in each other")));
        }
        if let Some(Open { inside: Inside::Fields(_, None), .. }) = self.open.last() {
            return Err(Fault::expected("the name of a field", "a list or fields"));
        }
        self.open.push(open);
        Ok(())
    }

    /// Puts a value where it belongs.
    fn put(&mut self, tree: Tree, anchor: usize) -> Result<(), Fault> {
        self.values += 1;
        tree::check_size(self.values)?;
        if anchor != 0 {
            self.repeat(&tree)?;
            self.anchored.insert(anchor, tree.clone());
        }
        match self.open.last_mut().map(|open| &mut open.inside) {
            None => self.documents.push(tree),
            Some(Inside::List(items)) => items.push(tree),
            Some(Inside::Fields(fields, name)) => match (name.take(), tree.value) {
                (Some(name), value) => fields.push((name, Tree { line: tree.line, value })),
                (None, Value::Text(text)) => *name = Some(text),
                (None, Value::Nothing) => *name = Some("null".to_string()),
                (None, _) => {
                    return Err(Fault::expected("the name of a field", "a list or fields"));
                }
            },
        }
        Ok(())
    }

    /// Counts what an alias repeats, and what is kept for aliases.
    fn repeat(&mut self, tree: &Tree) -> Result<(), Fault> {
        self.repeated += tree.size();
        self.values += tree.size();
        match self.repeated > MOST_REPEATED {
            true => {
                Err(Fault::TooLarge(format!("aliases repeat more than {MOST_REPEATED} values")))
            }
            false => tree::check_size(self.values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Tree> {
        parse(&Source::new("a.yaml", text.as_bytes())).unwrap()
    }

    fn refusal(text: &str) -> String {
        parse(&Source::new("a.yaml", text.as_bytes())).unwrap_err().to_string()
    }

    #[test]
    fn values_have_their_lines() {
        let documents = read("# c\na: 1\nb:\n  - x\n  - {c: \"~\", d: ~}\n---\n- z\n");
        assert_eq!(documents.len(), 2);
        let b = documents[0].get("b").unwrap();
        assert_eq!((documents[0].text_of("a"), b.items()[1].line), (Some("1"), 5));
        assert_eq!(b.items()[1].text_of("c"), Some("~"));
        assert_eq!(b.items()[1].get("d"), None);
        assert_eq!(documents[1].items()[0].line, 7);
    }

    #[test]
    fn aliases_repeat_values_within_limits() {
        let documents = read("a: &x [1, 2]\nb: *x\n");
        assert_eq!(documents[0].get("b").unwrap().items().len(), 2);
        // Each line has ten times the values of the line before it.
        let mut bomb = "a0: &a0 [1]\n".to_string();
        for line in 1..12 {
            let before = format!("*a{}", line - 1);
            bomb += &format!("a{line}: &a{line} [{}]\n", vec![before; 10].join(", "));
        }
        let refused = refusal(&bomb);
        assert!(refused.ends_with("aliases repeat more than 65536 values"), "{refused}");
        assert!(refusal("a: &x [*x]\n").contains("an alias of something that contains it"));
    }

    #[test]
    fn what_is_not_yaml_is_refused_with_its_line() {
        assert!(refusal("a: 1\nb: [1\n").starts_with("a.yaml:"));
        assert_eq!(refusal("a: 1\nb: 2\na: 3\n"), "a.yaml:3: \"a\" appears twice");
        assert!(refusal(&"[".repeat(100)).ends_with("more than 64 lists in each other"));
        assert!(refusal("? [1]\n: 2\n").contains("the name of a field"));
        assert!(refusal("a: *nothing\n").starts_with("a.yaml:1: expected YAML"));
    }

    #[test]
    fn yaml_is_told_from_lists_of_hosts() {
        for yaml in ["---\n- a", "# c\n\nswitches:\n  a:", "- topology: t", "kind: List"] {
            assert!(is_yaml(yaml.as_bytes()), "{yaml}");
        }
        for other in ["", "n01\n", "n01:4\n", "n01 slots=4", "0,1,5", "[1-4]", "-1", "%%a: b"] {
            assert!(!is_yaml(other.as_bytes()), "{other}");
        }
    }
}
