//! Writes a recording, section by section.

use std::io::{self, Write};

use super::content::{FlowKind, RankState, Recording};
use super::encoding::PayloadWriter;
use super::events::{self, Programs};
use super::groups::Groups;
use super::sections::{write_end, write_head, write_section};
use super::{check, collectives, launcher_ranks, nodes, seats, times};

/// Writes a recording, with these events instead of its own.
pub fn write(
    recording: &Recording,
    programs: Option<&mut dyn Programs>,
    writer: &mut dyn Write,
) -> io::Result<()> {
    check::check(recording, programs.as_deref()).map_err(io::Error::other)?;
    write_unchecked(recording, programs, writer)
}

/// Writes a recording that is consistent.
pub fn write_unchecked(
    recording: &Recording,
    programs: Option<&mut dyn Programs>,
    writer: &mut dyn Write,
) -> io::Result<()> {
    write_head(programs.is_some(), writer)?;
    let mut section =
        |name: &str, payload: PayloadWriter| write_section(name, &payload.into_bytes(), writer);
    section("rank", ranks(recording))?;
    if !recording.info.is_empty() {
        section("info", info(recording))?;
    }
    if !recording.notes.is_empty() {
        section("note", texts(&recording.notes))?;
    }
    if !recording.host_of_rank.is_empty() {
        section("host", hosts(recording))?;
    }
    if !recording.seats.is_empty() {
        section("seat", seats::write(&recording.seats))?;
    }
    if !recording.launcher_ranks.is_empty() {
        section("lnch", launcher_ranks::write(&recording.launcher_ranks))?;
    }
    if !recording.nodes.is_empty() {
        section("node", nodes::write(&recording.nodes))?;
    }
    if let Some(times) = &recording.times {
        section("time", times::write(times))?;
    }
    if let Some(weights) = &recording.rank_weights {
        let mut payload = PayloadWriter::default();
        weights.iter().for_each(|&weight| payload.value(weight));
        section("load", payload)?;
    }
    // Also if no rank sends anything: it confirms the number of ranks of the file.
    section("flow", flows(recording))?;
    if !recording.sizes.is_empty() {
        section("size", sizes(recording))?;
    }
    let called = programs.as_ref().map_or(&[][..], |programs| programs.collectives());
    let called: Vec<_> = called.iter().map(|one| collectives::to_recorded(one, 1)).collect();
    let mut groups = Groups::default();
    let totals = collectives::write(&recording.collectives, &mut groups);
    let calls = collectives::write(&called, &mut groups);
    if !groups.all().is_empty() {
        section("grps", collectives::write_groups(&groups))?;
    }
    if !recording.collectives.is_empty() {
        section("coll", totals)?;
    }
    if let Some(programs) = programs {
        section("call", calls)?;
        events::write(programs, writer)?;
    }
    write_end(writer)
}

fn ranks(recording: &Recording) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    payload.number(recording.ranks);
    payload.count(recording.incomplete.len());
    let mut before = 0;
    for &(rank, state) in &recording.incomplete {
        payload.number(rank - before);
        before = rank;
        payload.number(match state {
            RankState::NeverFinalised => 1u32,
            RankState::Missing => 2,
            RankState::CutShort => 3,
        });
    }
    payload
}

fn info(recording: &Recording) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    payload.count(recording.info.len());
    for (key, value) in &recording.info {
        payload.text(key);
        payload.text(value);
    }
    payload
}

fn texts(texts: &[String]) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    payload.count(texts.len());
    texts.iter().for_each(|text| payload.text(text));
    payload
}

fn hosts(recording: &Recording) -> PayloadWriter {
    let mut payload = texts(&recording.hosts);
    payload.runs(&recording.host_of_rank);
    payload
}

fn flows(recording: &Recording) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    for rank in 0..recording.ranks as usize {
        let row = recording.flows.get(rank).map_or(&[][..], Vec::as_slice);
        payload.count(row.len());
        let mut before = 0;
        for flow in row {
            payload.number(flow.to - before);
            before = flow.to;
            payload.number(number_of(flow.kind));
            payload.value(flow.messages);
            payload.value(flow.bytes);
        }
    }
    payload
}

fn sizes(recording: &Recording) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    payload.count(recording.sizes.len());
    for class in &recording.sizes {
        payload.number(number_of(class.kind));
        payload.number(class.class);
        payload.number(class.messages);
        payload.number(class.bytes);
    }
    payload
}

fn number_of(kind: FlowKind) -> u32 {
    match kind {
        FlowKind::PointToPoint => 0,
        FlowKind::OneSided => 1,
        FlowKind::Neighbourhood => 2,
    }
}
