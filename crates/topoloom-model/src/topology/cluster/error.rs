//! Why a description is not a machine.

use thiserror::Error;

use crate::cluster::WiringError;
use crate::topology::graph::GraphError;
use crate::topology::size::MAX_NODES;
use crate::words::counted;

/// Why a description is not a machine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClusterError {
    /// Nothing to run on.
    #[error("the cluster has no hosts")]
    NoHosts,
    /// A host that appears twice.
    #[error("host {0} appears twice")]
    HostTwice(String),
    /// Hosts that are not on different nodes of their network.
    #[error("expected each host on its own node of {0}")]
    WrongNodes(String),
    /// A name that no host can have.
    #[error("host \"{}\": expected a name without blanks, commas, colons and brackets", .0.escape_debug())]
    WrongName(String),
    /// More ranks than places.
    #[error(
        "host {host} has {} for ranks ({kind}), but {} given; give fewer slots, or a smaller place \
         such as a thread",
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
    /// A host without the kind of part that ranks get.
    #[error("host {host} has no place for a rank: it has no {kind}")]
    NoPlace {
        /// The host.
        host: String,
        /// What a place is.
        kind: &'static str,
    },
    /// A host without a seat, while others have some.
    #[error("host {0} has no seat; leave it out, or give it one")]
    NoSeat(String),
    /// A seat on a CPU that does not exist.
    #[error("host {host}: a seat has CPU {cpu}, which the host does not have")]
    NoCpu {
        /// The host.
        host: String,
        /// The CPU.
        cpu: u32,
    },
    /// An index of something that does not exist.
    #[error("host {host}: there is no {what} {number}")]
    NoSuch {
        /// The host.
        host: String,
        /// What it refers to.
        what: &'static str,
        /// The number it gives.
        number: u32,
    },
    /// Groups of switches that contain each other.
    #[error(
        "group of switches {0}: the group around it must come before it and have a higher level"
    )]
    WrongGroup(String),
    /// Cables that do not form a network.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// A network that is too large.
    #[error(transparent)]
    Network(#[from] GraphError),
    /// Forwarding tables that send messages around in circles.
    #[error(
        "the forwarding tables have a loop: what {from} sends to {to} comes back to switch {at} \
         ({} affected)", counted(*pairs as usize, "pair")
    )]
    Loop {
        /// The sender of the first message.
        from: String,
        /// Its destination.
        to: String,
        /// A switch in the loop.
        at: String,
        /// How many pairs of adapters are affected.
        pairs: u64,
    },
    /// More places than fit in memory and in numbers.
    #[error("the cluster has {0} places for ranks; at most {limit} are possible", limit = MAX_NODES)]
    TooLarge(u64),
}
