//! Why a machine cannot be written for another program.

use thiserror::Error;
use topoloom_core::words::counted;

/// Why a machine cannot be written for another program.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExportError {
    /// Only distances are known.
    #[error("{0} has no links, only distances, so there are no routes to write")]
    NoLinks(String),
    /// There is a route for each pair of hosts, which is too many.
    #[error(
        "{machine} has {}, so {routes} routes; at most {most} can be written",
        counted(*hosts, "host")
    )]
    TooManyRoutes {
        /// The machine.
        machine: String,
        /// How many hosts it has.
        hosts: usize,
        /// How many routes they have.
        routes: u64,
        /// The most that can be written.
        most: u64,
    },
    /// The routes are too long.
    #[error(
        "the routes of {machine} have more than {most} links in all, which is too many to write"
    )]
    TooLongRoutes {
        /// The machine.
        machine: String,
        /// The most that can be written.
        most: u64,
    },
    /// The machine has too many links.
    #[error("{machine} has {links} link numbers; at most {most} can be written")]
    TooManyLinks {
        /// The machine.
        machine: String,
        /// How many numbers its links have.
        links: u64,
        /// The most that can be written.
        most: u64,
    },
    /// Two hosts have the same name.
    #[error("two hosts are called {0}, but every host needs its own name")]
    SameName(String),
    /// The format cannot hold a name.
    #[error("the name of host {0} contains a control character, which XML cannot hold")]
    Name(String),
}
