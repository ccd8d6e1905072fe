//! What a recording holds.

use topoloom_core::Trace;
use topoloom_core::traffic::Group;

use super::seats::RecordedSeat;
use super::times::Times;
use crate::traces::mpi_call::MpiCall;

/// The recording of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    /// How many ranks there were.
    pub ranks: u32,
    /// What is known about the run, as key and value: `command`, `library`, `recorder`.
    pub info: Vec<(String, String)>,
    /// What a reader should know, such as things that were left out.
    pub notes: Vec<String>,
    /// The ranks whose data is incomplete, in ascending order.
    pub incomplete: Vec<(u32, RankState)>,
    /// The names of the hosts.
    pub hosts: Vec<String>,
    /// The number of each rank's host in `hosts`; empty if they are not known.
    pub host_of_rank: Vec<u32>,
    /// The seat of each rank; empty if they are not known.
    pub seats: Vec<RecordedSeat>,
    /// The rank that the launcher gave to each rank's process; empty if they are the same.
    pub launcher_ranks: Vec<u32>,
    /// How each host of `hosts` describes itself, in their order: one line per system file, as in
    /// [`Probe::nodes`](crate::Probe::nodes). A text is empty if its host has no description. There
    /// are no texts at all if no host has one.
    pub nodes: Vec<String>,
    /// How long ranks were in MPI, if that was asked for.
    pub times: Option<Times>,
    /// The computing load of each rank.
    pub rank_weights: Option<Vec<f64>>,
    /// What each rank sent, by ascending receiver, then kind. Ranks beyond the last row sent
    /// nothing.
    pub flows: Vec<Vec<RecordedFlow>>,
    /// How many messages had which size, in no particular order, each kind and class once.
    pub sizes: Vec<SizeClass>,
    /// The collective operations of the whole run.
    pub collectives: Vec<RecordedCollective>,
    /// What every rank did, event by event.
    pub trace: Option<Trace>,
}

/// Why the data of a rank is incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankState {
    /// It died, or left without `MPI_Finalize`. Its data up to then is recorded.
    NeverFinalised,
    /// It has no data.
    Missing,
    /// Recording stopped early for lack of space.
    CutShort,
}

/// How messages were sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlowKind {
    /// By send and receive.
    PointToPoint,
    /// By put, get and accumulate.
    OneSided,
    /// By collectives among the neighbours of a process topology.
    Neighbourhood,
}

/// What one rank sent to another, or to itself, in one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedFlow {
    /// The receiver.
    pub to: u32,
    /// In which way.
    pub kind: FlowKind,
    /// How many messages.
    pub messages: f64,
    /// Total bytes.
    pub bytes: f64,
}

/// The messages of about one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeClass {
    /// In which way they were sent.
    pub kind: FlowKind,
    /// 0 has the empty messages, and c those of 2^(c-1) to 2^c - 1 bytes.
    pub class: u8,
    /// How many messages.
    pub messages: u64,
    /// Total bytes.
    pub bytes: u64,
}

/// Calls of a collective by one group with the same root and size.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCollective {
    /// Which call.
    pub call: MpiCall,
    /// The members, in the order of the communicator.
    pub group: Group,
    /// The number of the root among the members, for calls that have one.
    pub root: Option<u32>,
    /// How often; at least once.
    pub calls: u64,
    /// Bytes of one call: the message (`Bcast`), what each member contributes (`Gather`,
    /// `Allgather`, `Reduce`, `Allreduce`, `Scan`, `Exscan`) or gets (`Scatter`,
    /// `Reduce_scatter_block`), what it sends to each other (`Alltoall`). 0 for irregular calls.
    pub bytes: u64,
    /// For irregular calls: (from member, to member, bytes in all calls) in ascending order. To the
    /// root (`Gatherv`), from it (`Scatterv`), of all pairs (`Alltoallv`, `Alltoallw`), or of a
    /// member to itself what it contributes (`Allgatherv`) or gets (`Reduce_scatter`).
    pub sizes: Vec<(u32, u32, f64)>,
}
