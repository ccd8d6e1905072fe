//! One list per kind of thing: what the command line, the help, the reference page and the
//! contract tests all walk.

use crate::spec::{Spec, SpecError};

/// An option that a specification may carry.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The word before `=`, or the bare word itself.
    pub name: &'static str,
    /// What holds when it is not given, in words.
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
    /// A specification that works.
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

/// As much of a name as a message can hold: it may be a whole file that is not what it should be.
fn beginning(name: &str) -> String {
    const LONGEST: usize = 60;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_string(),
    }
}

impl<B> Registry<B> {
    /// The entry that `spec` names, after a check that it knows every option given.
    pub fn find(&self, spec: &Spec) -> Result<&'static Entry<B>, SpecError> {
        let entry = self.entries.iter().find(|entry| entry.name == spec.name).ok_or_else(|| {
            let mut names: Vec<&str> = self.entries.iter().map(|entry| entry.name).collect();
            names.sort_unstable();
            SpecError::new(format!(
                "unknown {} \"{}\"; known: {}",
                self.kind,
                beginning(&spec.name),
                names.join(", ")
            ))
        })?;
        let known = || entry.parameters.iter().chain(self.common);
        for (key, _) in &spec.options {
            if known().all(|parameter| parameter.name != key) {
                let names: Vec<&str> = known().map(|parameter| parameter.name).collect();
                let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
                return Err(SpecError::new(format!(
                    "{}: unknown option \"{key}\"; known: {names}",
                    entry.name
                )));
            }
        }
        Ok(entry)
    }
}
