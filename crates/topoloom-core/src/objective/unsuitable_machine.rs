//! Machines for which some kind of cost is not defined.

use thiserror::Error;

use crate::machine::Machine;

/// Why a cost is not defined for placements on a machine, in words that follow the objective's
/// name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnsuitableMachine {
    /// The cost is about links.
    #[error("needs links, and {machine} has none")]
    NoLinks {
        /// The machine's specification.
        machine: String,
    },
    /// The loads of all links do not fit into memory.
    #[error("keeps at most {most} links, and {machine} has up to {links}")]
    TooManyLinks {
        /// The machine's specification.
        machine: String,
        /// The maximum number of links it has.
        links: u64,
        /// How many are possible.
        most: u64,
    },
    /// The cost is about dimensions.
    #[error("needs a mesh or a torus, which {machine} is not")]
    NoDimensions {
        /// The machine's specification.
        machine: String,
    },
    /// A reason specific to one objective.
    #[error("{0}")]
    Other(String),
}

/// The number of links whose loads are kept: three numbers each.
const MOST_LINKS: u64 = 1 << 27;

/// Whether a machine has links.
pub(super) fn check_wired(machine: &Machine) -> Result<(), UnsuitableMachine> {
    match machine.topology().is_wired() {
        true => Ok(()),
        false => Err(UnsuitableMachine::NoLinks { machine: machine.spec().to_string() }),
    }
}

/// Whether the loads of a machine's links can be followed; if not, why.
pub(crate) fn check_links(machine: &Machine) -> Result<(), UnsuitableMachine> {
    check_wired(machine)?;
    let links = machine.topology().link_id_bound();
    if links > MOST_LINKS {
        let machine = machine.spec().to_string();
        return Err(UnsuitableMachine::TooManyLinks { machine, links, most: MOST_LINKS });
    }
    Ok(())
}
