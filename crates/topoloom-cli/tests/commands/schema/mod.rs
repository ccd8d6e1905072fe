//! docs/json.md as a schema.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::Value;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");

/// A documented field.
#[derive(Debug, Clone)]
struct Field {
    section: String,
    /// `links[].from` is `links[]`, `from`.
    path: Vec<String>,
    /// Such as `number or null`.
    kind: String,
    optional: bool,
}

impl Field {
    fn name(&self) -> String {
        format!("{}: {}", self.section, self.path.join("."))
    }

    /// Whether it stands for the field at `path`.
    fn is_at(&self, path: &[String]) -> bool {
        is_like(&self.path, path)
    }

    fn has_star(&self) -> bool {
        self.path.iter().any(|part| part.starts_with('*'))
    }
}

/// Whether a path of the page, in which `*` is any name, stands for `path`.
fn is_like(documented: &[String], path: &[String]) -> bool {
    let fits = |(documented, part): (&String, &String)| match documented.strip_prefix('*') {
        Some(rest) => part.ends_with("[]") == (rest == "[]"),
        None => documented == part,
    };
    documented.len() == path.len() && documented.iter().zip(path).all(fits)
}

/// The page, and which of its fields have been seen.
pub struct Page {
    fields: Vec<Field>,
    sections: Vec<String>,
    /// The sections that must be seen.
    wanted: Vec<String>,
    seen: RefCell<BTreeSet<String>>,
}

impl Page {
    /// Reads the page. The sections in `wanted` must be seen as a whole.
    pub fn read(wanted: &[&str]) -> Page {
        let text = std::fs::read_to_string(PAGE).unwrap();
        let mut page = Page {
            fields: Vec::new(),
            sections: Vec::new(),
            wanted: wanted.iter().map(|name| name.to_string()).collect(),
            seen: RefCell::default(),
        };
        let mut section = String::new();
        for line in text.lines() {
            if let Some(title) = line.strip_prefix("## ") {
                section = title.to_string();
                page.sections.push(section.clone());
            } else if let Some((_, rest)) = line.split_once("All fields of [") {
                let base = rest.split(']').next().unwrap();
                let inherited: Vec<Field> = page.of(base).cloned().collect();
                assert!(!inherited.is_empty(), "{section}: no section {base} before it");
                let own = |field: Field| Field { section: section.clone(), ..field };
                page.fields.extend(inherited.into_iter().map(own));
            } else if line.starts_with("| `") {
                page.fields.extend(fields(&section, line));
            }
        }
        for name in &page.wanted {
            assert!(page.sections.contains(name), "docs/json.md has no section \"{name}\"");
        }
        page
    }

    fn of<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(move |field| field.section == section)
    }

    /// Whether a section is about this command.
    pub fn has_section_of(&self, command: &str) -> bool {
        let is_of =
            |section: &String| section == command || section.starts_with(&format!("{command} "));
        self.sections.iter().any(is_of)
    }

    /// Checks an output against a section; a list has an item for each record.
    pub fn check(&self, section: &str, output: &Value) {
        match output {
            Value::Array(items) => {
                items.iter().for_each(|item| self.check_object(section, &mut Vec::new(), item));
            }
            other => self.check_object(section, &mut Vec::new(), other),
        }
    }

    fn check_object(&self, section: &str, path: &mut Vec<String>, value: &Value) {
        let object = value.as_object().unwrap_or_else(|| panic!("{section}: {path:?}: {value}"));
        for field in self.of(section).filter(|field| !field.optional) {
            let (last, parent) = field.path.split_last().unwrap();
            if is_like(parent, path) && !last.starts_with('*') {
                assert!(object.contains_key(last), "{} is missing: {value}", field.name());
            }
        }
        for (name, value) in object {
            path.push(name.clone());
            self.check_field(section, path, value);
            path.pop();
        }
    }

    fn check_field(&self, section: &str, path: &mut Vec<String>, value: &Value) {
        // A field with its own name comes before one that any name fits.
        let found = || self.of(section).filter(|field| field.is_at(path));
        let field = found().find(|field| !field.has_star()).or_else(|| found().next());
        let Some(field) = field else {
            panic!("{section}: {} is not in docs/json.md: {value}", path.join("."));
        };
        let fits = field.kind.split(" or ").any(|kind| is_a(value, kind));
        assert!(fits, "{} is not a {}: {value}", field.name(), field.kind);
        self.seen.borrow_mut().insert(field.name());
        match value {
            Value::Object(_) => self.check_object(section, path, value),
            Value::Array(items) => {
                let name = path.pop().unwrap();
                path.push(format!("{name}[]"));
                for item in items.iter().filter(|item| item.is_object()) {
                    self.check_object(section, path, item);
                }
                path.pop();
                path.push(name);
            }
            _ => {}
        }
    }

    /// Fails if the page has a field that no output had.
    pub fn check_that_all_appeared(&self) {
        let seen = self.seen.borrow();
        for field in self.fields.iter().filter(|field| self.wanted.contains(&field.section)) {
            assert!(seen.contains(&field.name()), "no run showed {}", field.name());
        }
    }
}

/// The fields of a row of a table.
fn fields(section: &str, row: &str) -> Vec<Field> {
    let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
    let [names, kind, meaning] = cells[..] else { panic!("{section}: three cells: {row}") };
    assert!(!meaning.is_empty(), "{section}: what does it mean? {row}");
    let (kind, optional) = match kind.strip_suffix(", optional") {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    kind.split(" or ").for_each(|kind| assert!(is_kind(kind), "{section}: unknown type: {row}"));
    let field = |name: &str| Field {
        section: section.to_string(),
        path: name.split('.').map(str::to_string).collect(),
        kind: kind.to_string(),
        optional,
    };
    // Names are between backquotes.
    names.split('`').skip(1).step_by(2).map(field).collect()
}

const KINDS: [&str; 6] = ["text", "integer", "number", "boolean", "object", "null"];

fn is_kind(kind: &str) -> bool {
    match kind.strip_prefix("list of ") {
        Some(items) => items.split(" and ").all(|item| is_kind(&singular(item))),
        None => KINDS.contains(&kind),
    }
}

/// `numbers` is `number`, and `lists of numbers` is `list of numbers`.
fn singular(kinds: &str) -> String {
    match kinds.strip_prefix("lists of ") {
        Some(items) => format!("list of {items}"),
        None => kinds.strip_suffix('s').unwrap_or(kinds).to_string(),
    }
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "text" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        _ => {
            let items = kind.strip_prefix("list of ").unwrap_or_else(|| panic!("{kind}"));
            let fits = |item: &Value| items.split(" and ").any(|kind| is_a(item, &singular(kind)));
            value.as_array().is_some_and(|list| list.iter().all(fits))
        }
    }
}
