//! The recorder's own file: what an application sent in all, and in which order where that was
//! asked for.
//!
//! A binary file of sections with a checksum each; `docs/formats.md` has every byte of it.

mod check;
mod collectives;
mod crc32;
mod encoding;
mod events;
mod groups;
mod nodes;
mod read;
mod seats;
mod sections;
mod times;
mod traffic;
mod warnings;
mod write;

use std::io::{self, Write};
use std::path::Path;

use topoloom_core::traffic::Group;
use topoloom_core::{Entry, Trace, Traffic, Weight};

use crate::text::atomic_write::atomic_write;
use crate::text::error::{ReadError, WriteError};
use crate::text::input::{Input, read_whole};
use crate::text::source::Source;
use crate::text::warnings::Warnings;
use crate::traces::format::{TraceEntry, TraceFormat};
use crate::traces::mpi_call::MpiCall;
use crate::traffic::format::{Format, FormatEntry};

pub(crate) use check::{check_calls, leave_out_damage};
pub(crate) use collectives::of_recorded as nearest_collectives;
pub(crate) use events::Programs;
pub(crate) use nodes::MOST_BYTES as MOST_BYTES_OF_NODES;
pub(crate) use seats::MOST_CPUS_OF_ALL;
pub use seats::RecordedSeat;
pub use sections::{is_recording, recording_has_events};
pub use times::{CallTime, PartnerClass, RankTime, Times};

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

/// Reads the recording at `path`.
pub fn read_recording(path: &Path) -> Result<Recording, ReadError> {
    let bytes = read_whole(path)?;
    parse_recording(&path.display().to_string(), &bytes)
}

/// Reads the recording at `path` but for its events, which may be many times as much as the rest.
pub fn read_recording_without_events(path: &Path) -> Result<Recording, ReadError> {
    let bytes = read_whole(path)?;
    parse_recording_without_events(&path.display().to_string(), &bytes)
}

/// The same of the content `bytes` of a recording called `name`.
pub fn parse_recording_without_events(name: &str, bytes: &[u8]) -> Result<Recording, ReadError> {
    read::read(bytes, read::Wanted::AllButEvents)
        .map_err(|message| Source::new(name, bytes).error(message))
}

/// Reads the content `bytes` of a recording called `name`.
pub fn parse_recording(name: &str, bytes: &[u8]) -> Result<Recording, ReadError> {
    read::read(bytes, read::Wanted::All).map_err(|message| Source::new(name, bytes).error(message))
}

/// Writes a recording at `path`, whole or not at all.
pub fn write_recording(path: &Path, recording: &Recording) -> Result<(), WriteError> {
    let mut trace = recording.trace.as_ref();
    write_with_programs(path, recording, trace.as_mut().map(|trace| trace as &mut dyn Programs))
}

/// The same with these events and not those of the recording.
pub(crate) fn write_with_programs(
    path: &Path,
    recording: &Recording,
    programs: Option<&mut dyn Programs>,
) -> Result<(), WriteError> {
    check::check(recording, programs.as_deref())
        .map_err(|message| WriteError::new(path, message))?;
    atomic_write(path, |writer| write::write_unchecked(recording, programs, writer))
}

pub(crate) static FORMAT_ENTRY: FormatEntry = Entry {
    name: "recording",
    summary: "recording of `topoloom record`: pairs, collectives and rank weights of a run",
    example: "run.rec",
    parameters: &[],
    build: Format {
        endings: &["rec"],
        looks_like: is_recording,
        read: Some(read_totals),
        read_run: None,
        write: Some(write_totals),
        keeps_collectives: true,
    },
};

pub(crate) static TRACE_ENTRY: TraceEntry = TraceEntry {
    name: "recording",
    summary: "recording of `topoloom record --trace`, which has events",
    example: "run.rec",
    parameters: &[],
    build: TraceFormat {
        endings: &["rec"],
        looks_like: is_recording,
        has_events: recording_has_events,
        read: read_events,
        write: Some(write_events),
    },
};

fn read_totals(
    source: &Source<'_>,
    _: Weight,
    warnings: &mut Warnings,
) -> Result<Traffic, ReadError> {
    let recording = read::read(source.bytes(), read::Wanted::Traffic)
        .map_err(|message| source.error(message))?;
    warnings.extend(recording.warnings());
    Ok(recording.traffic())
}

fn write_totals(traffic: &Traffic, _: Weight, writer: &mut dyn Write) -> io::Result<Warnings> {
    write::write(&Recording::of_traffic(traffic), None, writer)?;
    Ok(Warnings::new())
}

fn read_events(input: &Input, bytes: &[u8], warnings: &mut Warnings) -> Result<Trace, ReadError> {
    let name = input.name();
    let without = "recorded without --trace: it has totals, not events";
    let recording = parse_recording(name, bytes)?;
    warnings.extend(recording.warnings());
    recording.trace.ok_or_else(|| Source::new(name, bytes).error(without))
}

fn write_events(mut trace: &Trace, writer: &mut dyn Write) -> io::Result<()> {
    write::write(&Recording::of_traffic(&trace.traffic()), Some(&mut trace), writer)
}
