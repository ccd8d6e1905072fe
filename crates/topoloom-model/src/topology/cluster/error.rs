//! Why a description is not a machine.

use thiserror::Error;

use crate::topology::size::MAX_NODES;
use crate::words::counted;

/// Why a description is not a machine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClusterError {
    /// Nothing to run on.
    #[error("the cluster has no hosts")]
    NoHosts,
    /// A host twice.
    #[error("host {0} appears twice")]
    HostTwice(String),
    /// A name that no host can have.
    #[error("host \"{}\": expected a name without blanks, commas, colons and brackets", .0.escape_debug())]
    WrongName(String),
    /// More ranks than places.
    #[error(
        "host {host} has {} for ranks ({kind}), but {} given; give fewer slots, or a smaller place \
         such as --place thread",
        counted(*places, "place"), counted(*slots, "slot")
    )]
    TooManySlots {
        /// The host.
        host: String,
        /// How many places it has.
        places: usize,
        /// What a place is.
        kind: &'static str,
        /// How many were asked for.
        slots: u32,
    },
    /// A host without what ranks get.
    #[error("host {host} has no place for a rank: it has no {kind}")]
    NoPlace {
        /// The host.
        host: String,
        /// What a place is.
        kind: &'static str,
    },
    /// A host without a seat, where others have some.
    #[error("host {0} has no seat; leave it out, or give it one")]
    NoSeat(String),
    /// A seat on a CPU that is not there.
    #[error("host {host}: a seat has CPU {cpu}, which the host does not have")]
    NoCpu {
        /// The host.
        host: String,
        /// The CPU.
        cpu: u32,
    },
    /// An index that leads nowhere.
    #[error("host {host}: there is no {what} {number}")]
    NoSuch {
        /// The host.
        host: String,
        /// What it refers to.
        what: &'static str,
        /// The number it gives.
        number: u32,
    },
    /// Groups of switches that are in each other.
    #[error(
        "group of switches {0}: the group around it must come before it and have a higher level"
    )]
    WrongGroup(String),
    /// More than fits into memory and numbers.
    #[error("the cluster has {0} places for ranks; at most {limit} are possible", limit = MAX_NODES)]
    TooLarge(u64),
}
