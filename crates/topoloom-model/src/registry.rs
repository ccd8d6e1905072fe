//! One list per kind of thing. The command line, the help, the reference page and the contract
//! tests all use it.

use crate::spec::{Spec, SpecError};

/// An option that a specification may carry.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The word before `=`, or the bare word itself.
    pub name: &'static str,
    /// The default, in words.
    pub default: &'static str,
    /// One line for the help.
    pub summary: &'static str,
}

/// One line of a registry: everything there is to know about a topology, strategy, ...
#[derive(Debug)]
pub struct Entry<B: 'static> {
    /// The name in specifications.
    pub name: &'static str,
    /// One line for the help.
    pub summary: &'static str,
    /// A valid specification.
    pub example: &'static str,
    /// The options it understands.
    pub parameters: &'static [Parameter],
    /// Makes one from a specification.
    pub build: B,
}

/// A registry: the kind in words, and its entries in the order in which they are shown.
#[derive(Debug)]
pub struct Registry<B: 'static> {
    /// The kind in the singular, such as `topology`.
    pub kind: &'static str,
    /// The entries.
    pub entries: &'static [&'static Entry<B>],
    /// Options that every entry of this kind understands.
    pub common: &'static [Parameter],
}

/// As much of a name as fits in a message: the name may be a whole file that is not what it should
/// be.
fn beginning(name: &str) -> String {
    const LONGEST: usize = 60;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_string(),
    }
}

/// A question with the name that was probably meant, or nothing.
fn suggestion(name: &str, known: &[&str]) -> String {
    // One typing error in a short name, two in a longer one. Long texts are not typing errors.
    let length = name.chars().count();
    let allowed = if length < 5 { 1 } else { 2 };
    let near = known
        .iter()
        .filter(|known| length <= known.len() + allowed)
        .map(|known| (slips(name, known), *known))
        .min();
    match near {
        Some((slips, known)) if slips <= allowed => format!("; did you mean {known}?"),
        _ => String::new(),
    }
}

/// How many known names a text lists, if it lists several and nothing else.
fn listed(text: &str, known: &[&str]) -> Option<usize> {
    let mut parts = text.split(',').map(str::trim);
    let count = parts.clone().count();
    (count > 1 && parts.all(|part| known.contains(&part))).then_some(count)
}

/// How many letters must be added, removed or changed, or neighbours exchanged, to turn one name
/// into the other.
fn slips(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for row in 1..=a.len() {
        let mut here = vec![row];
        for column in 1..=b.len() {
            let changed = last[column - 1] + usize::from(a[row - 1] != b[column - 1]);
            let mut least = changed.min(last[column] + 1).min(here[column - 1] + 1);
            let exchanged =
                row > 1 && column > 1 && a[row - 1] == b[column - 2] && a[row - 2] == b[column - 1];
            if exchanged {
                least = least.min(before_last[column - 2] + 1);
            }
            here.push(least);
        }
        before_last = std::mem::replace(&mut last, here);
    }
    last[b.len()]
}

impl<B> Registry<B> {
    /// The entry that `spec` names, after a check that the entry has every given option.
    pub fn find(&self, spec: &Spec) -> Result<&'static Entry<B>, SpecError> {
        let entry = self.entries.iter().find(|entry| entry.name == spec.name).ok_or_else(|| {
            let mut names: Vec<&str> = self.entries.iter().map(|entry| entry.name).collect();
            names.sort_unstable();
            if let Some(count) = listed(&spec.name, &names) {
                let (kind, name) = (self.kind, &spec.name);
                return SpecError::new(format!("expected one {kind}, found {count}: {name}"));
            }
            SpecError::unknown_name(format!(
                "unknown {} \"{}\"; known: {}{}",
                self.kind,
                beginning(&spec.name),
                names.join(", "),
                suggestion(&spec.name, &names)
            ))
        })?;
        let known = || entry.parameters.iter().chain(self.common);
        for (key, _) in &spec.options {
            if known().all(|parameter| parameter.name != key) {
                let names: Vec<&str> = known().map(|parameter| parameter.name).collect();
                let suggestion = suggestion(key, &names);
                let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
                return Err(SpecError::new(format!(
                    "{}: unknown option \"{key}\"; known: {names}{suggestion}",
                    entry.name
                )));
            }
        }
        Ok(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_known_names_is_told_from_a_wrong_name() {
        assert_eq!(listed("a,b", &["a", "b"]), Some(2));
        for not_a_list in ["a", "a,c", "", ",", "a,"] {
            assert_eq!(listed(not_a_list, &["a", "b"]), None);
        }
    }

    #[test]
    fn slips_are_counted() {
        for (a, b, count) in [
            ("torus", "torus", 0),
            ("tours", "torus", 1),
            ("trus", "torus", 1),
            ("torrus", "torus", 1),
            ("mesh", "mash", 1),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(slips(a, b), count, "{a} {b}");
        }
    }

    #[test]
    fn what_was_probably_meant_is_suggested_and_nothing_else() {
        let known = ["mesh", "torus", "tree"];
        assert_eq!(suggestion("tours", &known), "; did you mean torus?");
        assert_eq!(suggestion("mash", &known), "; did you mean mesh?");
        assert_eq!(suggestion("dragonfly", &known), "");
        assert_eq!(suggestion("x", &known), "");
        assert_eq!(suggestion(&"torus".repeat(1000), &known), "");
        assert_eq!(suggestion("torus", &[]), "");
    }
}
