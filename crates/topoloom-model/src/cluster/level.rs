//! Levels of a cluster by their names.

use std::fmt;
use std::str::FromStr;

use super::{Costs, ObjectKind};
use crate::spec::UnknownName;

/// A level at which ranks may be spread out or packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// Hosts, or parts of a host.
    Part(ObjectKind),
    /// A level of switches; 1 is the level that hosts are plugged into.
    Switch(u32),
}

impl FromStr for Level {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Level, UnknownName> {
        if let Some(level) = Costs::switch_level(text) {
            return Ok(Level::Switch(level));
        }
        match text.parse::<ObjectKind>() {
            Ok(kind) if !matches!(kind, ObjectKind::Thread | ObjectKind::Gpu) => {
                Ok(Level::Part(kind))
            }
            _ => {
                let known = "node, group, package, numa, die, L4, L3, L2, L1, core, nvlink, \
                             switch1, switch2, ...";
                Err(UnknownName::new("level", text, known))
            }
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Part(kind) => formatter.write_str(kind.name()),
            Level::Switch(level) => formatter.write_str(&Costs::switch_name(*level)),
        }
    }
}
