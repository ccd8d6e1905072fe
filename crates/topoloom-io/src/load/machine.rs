//! Machines by name: a specification, a file that describes one, or a file that holds a
//! specification.

use std::path::Path;
use std::str;

use topoloom_core::topology::{Cluster, PLATFORM};
use topoloom_core::{Machine, Spec};

use super::error::LoadError;
use super::loader::{Loader, looks_like_a_path};
use crate::machines::described::describes_machine;
use crate::machines::specification::{machine_of_spec, read_machine_with};
use crate::machines::{is_scotch_target, parse_scotch_target};
use crate::platforms::describes_platform;
use crate::text::fault::Fault;
use crate::text::foreign_kind;
use crate::text::json::kind_in_words;
use crate::text::source::Source;
use crate::text::warnings::Warnings;

impl Loader {
    /// The machine that `text` names: a specification, a file that describes one, or a file that
    /// holds a specification on its first line that is neither empty nor a comment.
    pub fn machine(&self, text: &str) -> Result<(Machine, Warnings), LoadError> {
        if let Some(machine) = self.given.as_ref().and_then(|given| given.machine(text)) {
            return Ok((machine, Warnings::new()));
        }
        let path = Path::new(text);
        if self.is_readable(path) || (text.contains(['/', '\\']) && !text.contains(':')) {
            return self.machine_from_file(path);
        }
        self.machine_of(text).map_err(|error| match error {
            LoadError::Spec(error) if looks_like_a_path(text) => LoadError::of_text(error, text),
            error => error,
        })
    }

    fn machine_of(&self, text: &str) -> Result<(Machine, Warnings), LoadError> {
        Ok(read_machine_with(text, &|path| self.open(path))?)
    }

    fn machine_from_file(&self, path: &Path) -> Result<(Machine, Warnings), LoadError> {
        let name = path.display().to_string();
        let bytes = self.open(path)?.bytes()?;
        let described = |topology: &str| {
            let spec =
                Spec { name: topology.to_string(), shape: Some(name.clone()), options: Vec::new() };
            Ok(machine_of_spec(&spec, &|path| self.open(path))?)
        };
        if describes_machine(&bytes) {
            return described(Cluster::NAME);
        }
        if is_scotch_target(&bytes) {
            let target = parse_scotch_target(&name, &bytes)?;
            return self.machine_of(&target.spec).map_err(|error| LoadError::Line {
                file: name.clone(),
                line: target.line,
                error: Box::new(error),
                hint: String::new(),
            });
        }
        if describes_platform(&bytes) {
            return described(PLATFORM);
        }
        let source = Source::new(&name, &bytes);
        if let Some(advice) = foreign_kind::advice(&bytes) {
            return Err(source.error(Fault::WrongInput(advice.into())).into());
        }
        let expected = "a machine such as torus:4x4x4";
        if let Some(found) = kind_in_words(&bytes) {
            return Err(source.error(Fault::expected(expected, found)).into());
        }
        let content =
            str::from_utf8(source.bytes()).map_err(|_| source.error(Fault::wanted(expected)))?;
        let line = content
            .lines()
            .zip(1..)
            .map(|(line, number)| (number, line.trim()))
            .find(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let (number, line) =
            line.ok_or_else(|| source.error(Fault::expected(expected, "nothing")))?;
        self.machine_of(line).map_err(|error| {
            let hint = match error.is_unknown_name() {
                true => format!(
                    "; if this is a list of links, give graph:{name}; if it is a list of hosts, \
                     import it (topoloom machine import)"
                ),
                false => String::new(),
            };
            LoadError::Line { file: name.clone(), line: number, error: Box::new(error), hint }
        })
    }
}
