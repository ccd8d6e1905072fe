//! What a recording holds.

use topoloom_core::Trace;
use topoloom_core::traffic::Group;

use super::seats::RecordedSeat;
use super::times::Times;
use crate::traces::mpi_call::MpiCall;

/// What was recorded of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recording {
    /// How many ranks there were.
    pub ranks: u32,
    /// What is known about the run, as key and value: `command`, `library`, `recorder`.
    pub info: Vec<(String, String)>,
    /// What a reader should know, such as things that were left out.
    pub notes: Vec<String>,
    /// The ranks of which not everything is there, by rising rank.
    pub incomplete: Vec<(u32, RankState)>,
    /// The names of the hosts.
    pub hosts: Vec<String>,
    /// The number of each rank's host in `hosts`; empty where they are not known.
    pub host_of_rank: Vec<u32>,
    /// The seat of each rank; empty where they are not known.
    pub seats: Vec<RecordedSeat>,
    /// What each host of `hosts` says of itself, in their order: a line for each file of the
    /// system, as in [`Probe::nodes`](crate::Probe::nodes). A text is empty where its host said
    /// nothing; there are no texts at all where none did.
    pub nodes: Vec<String>,
    /// How long ranks were in MPI, where that was asked for.
    pub times: Option<Times>,
    /// The computing load of each rank.
    pub rank_weights: Option<Vec<f64>>,
    /// What each rank sent, by rising receiver, then kind. Ranks beyond the last row sent nothing.
    pub flows: Vec<Vec<RecordedFlow>>,
    /// How many messages had which size, in no certain order, each kind and class once.
    pub sizes: Vec<SizeClass>,
    /// The collective operations, in all.
    pub collectives: Vec<RecordedCollective>,
    /// What every rank did, event by event.
    pub trace: Option<Trace>,
}

/// Why not everything of a rank was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RankState {
    /// It died, or left without `MPI_Finalize`: what it did until then is there.
    NeverFinalised,
    /// Nothing of it is there.
    Missing,
    /// Recording stopped early, for want of room.
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

/// What one rank sent to one other, or to itself, in one way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedFlow {
    /// The receiver.
    pub to: u32,
    /// In which way.
    pub kind: FlowKind,
    /// How many messages.
    pub messages: f64,
    /// Bytes in all.
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
    /// Bytes in all.
    pub bytes: u64,
}

/// Calls of a collective by one group with the same root and size.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCollective {
    /// Which call.
    pub call: MpiCall,
    /// Who takes part, in the order of the communicator.
    pub group: Group,
    /// The number of the root among the members, of calls that have one.
    pub root: Option<u32>,
    /// How often; at least once.
    pub calls: u64,
    /// Bytes of one call: the message (`Bcast`), what each member contributes (`Gather`,
    /// `Allgather`, `Reduce`, `Allreduce`, `Scan`, `Exscan`) or gets (`Scatter`,
    /// `Reduce_scatter_block`), what it sends to each other (`Alltoall`). 0 for irregular calls.
    pub bytes: u64,
    /// Of irregular calls: (from member, to member, bytes in all calls) by rising numbers. To the
    /// root (`Gatherv`), from it (`Scatterv`), of all pairs (`Alltoallv`, `Alltoallw`), or of a
    /// member to itself what it contributes (`Allgatherv`) or gets (`Reduce_scatter`).
    pub sizes: Vec<(u32, u32, f64)>,
}
