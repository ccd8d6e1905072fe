//! Reads a recording, section by section.

use topoloom_core::Trace;
use topoloom_core::traffic::Group;

use super::content::{FlowKind, RankState, RecordedFlow, Recording, SizeClass};
use super::encoding::Payload;
use super::sections::Sections;
use super::{check, collectives, events, launcher_ranks, nodes, seats, times};
use crate::text::fault::Fault;
use crate::traffic::ranks;

/// Which parts of a recording are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    All,
    /// Events may be many times larger than the rest.
    AllButEvents,
    /// Neither events nor other data about ranks and hosts, only their traffic.
    Traffic,
}

/// With fewer ranks than this, memory per rank does not matter. With more, the file must have at
/// least one byte per rank.
const FEW_RANKS: u64 = 1 << 16;

/// Reads a recording: all of it, or the parts that make up its traffic. Errors name the section.
pub fn read(bytes: &[u8], wanted: Wanted) -> Result<Recording, Fault> {
    let sections = Sections::split(bytes)?;
    let mut recording = Recording::default();
    let all = &mut recording;
    // In this order, whatever their order in the file: later sections need earlier ones.
    within(&sections, "rank", |payload| read_ranks(all, payload, bytes.len()))?;
    within(&sections, "info", |payload| read_info(all, payload))?;
    within(&sections, "note", |payload| read_notes(all, payload))?;
    within(&sections, "host", |payload| read_hosts(all, payload))?;
    if wanted != Wanted::Traffic {
        let hosts = all.hosts.len();
        all.seats = within(&sections, "seat", |payload| seats::read(payload, all.ranks))?;
        all.launcher_ranks =
            within(&sections, "lnch", |payload| launcher_ranks::read(payload, all.ranks))?;
        all.nodes = within(&sections, "node", |payload| nodes::read(payload, hosts))?;
        all.times = within(&sections, "time", |payload| times::read(payload, all.ranks).map(Some))?;
    }
    within(&sections, "load", |payload| read_rank_weights(all, payload))?;
    within(&sections, "flow", |payload| read_flows(all, payload))?;
    within(&sections, "size", |payload| read_sizes(all, payload))?;
    let groups = within(&sections, "grps", |payload| collectives::read_groups(payload, all.ranks))?;
    all.collectives = within(&sections, "coll", |payload| collectives::read(payload, &groups))?;
    match (sections.has_events, sections.payload("evnt").is_some()) {
        (true, false) => {
            return Err(Fault::Contradiction(
                "evnt: the section is missing, but the header says that it is present".into(),
            ));
        }
        (false, true) => {
            return Err(Fault::Contradiction(
                "evnt: the section is present, but the header says that it is not".into(),
            ));
        }
        (true, true) if wanted == Wanted::All => {
            recording.trace = Some(read_trace(&sections, &groups, recording.ranks)?);
        }
        _ => {}
    }
    recording.flows.resize_with(recording.ranks as usize, Vec::new);
    // The events are checked already.
    check::check(&recording, None)?;
    Ok(recording)
}

/// The result of `read` for the section with this name, which it must read completely; the default
/// if there is none.
fn within<T: Default>(
    sections: &Sections<'_>,
    name: &'static str,
    read: impl FnOnce(&mut Payload<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let Some(payload) = sections.payload(name) else { return Ok(T::default()) };
    let mut payload = Payload::new(name, payload);
    let read = read(&mut payload)?;
    payload.end()?;
    Ok(read)
}

fn read_trace(sections: &Sections<'_>, groups: &[Group], ranks: u32) -> Result<Trace, Fault> {
    let calls = within(sections, "call", |payload| {
        let calls = collectives::read(payload, groups)?;
        collectives::check_single_calls(&calls).map_err(|fault| payload.error(fault))?;
        // Checked before anything is made from them.
        check::check_collectives(&calls, 0.0, ranks, "call")?;
        Ok(collectives::of_recorded(&calls))
    })?;
    let programs = within(sections, "evnt", |payload| events::read(payload, ranks))?;
    Trace::new(programs, calls).map_err(|error| Fault::refused(error).within("evnt"))
}

fn read_ranks(
    recording: &mut Recording,
    payload: &mut Payload<'_>,
    file_bytes: usize,
) -> Result<(), Fault> {
    let count = payload.number()?;
    if count <= ranks::MAX_RANKS && count > FEW_RANKS.max(file_bytes as u64) {
        return Err(payload.error(Fault::TooLarge(format!(
            "{count} ranks are too many for a file of {file_bytes} bytes"
        ))));
    }
    recording.ranks = ranks::ranks(count).map_err(|fault| payload.error(fault))?;
    let mut rank = 0u32;
    for number in 0..payload.count(2, "exceptions")? {
        let step = payload.small("rank")?;
        rank = match rank.checked_add(step) {
            Some(rank) if number == 0 || step > 0 => rank,
            _ => {
                return Err(payload.error(Fault::Malformed(
                    "the exceptions are not in rising order of rank".into(),
                )));
            }
        };
        let state = match payload.number()? {
            1 => RankState::NeverFinalised,
            2 => RankState::Missing,
            3 => RankState::CutShort,
            other => {
                return Err(payload.error(Fault::expected("a state 1, 2 or 3", other)));
            }
        };
        recording.incomplete.push((rank, state));
    }
    Ok(())
}

fn read_info(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), Fault> {
    for _ in 0..payload.count(2, "entries")? {
        recording.info.push((payload.text()?, payload.text()?));
    }
    Ok(())
}

fn read_notes(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), Fault> {
    for _ in 0..payload.count(1, "notes")? {
        recording.notes.push(payload.text()?);
    }
    Ok(())
}

fn read_hosts(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), Fault> {
    for _ in 0..payload.count(1, "hosts")? {
        recording.hosts.push(payload.text()?);
    }
    recording.host_of_rank = payload.runs(recording.ranks, "host")?;
    Ok(())
}

fn read_rank_weights(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), Fault> {
    let weights: Result<Vec<f64>, Fault> = (0..recording.ranks).map(|_| payload.value()).collect();
    recording.rank_weights = Some(weights?);
    Ok(())
}

fn read_flows(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), Fault> {
    recording.flows.reserve_exact(recording.ranks as usize);
    for _ in 0..recording.ranks {
        let count = payload.count(4, "flows")?;
        let mut row = Vec::with_capacity(count);
        let mut to = 0u32;
        for _ in 0..count {
            let step = payload.small("receiver")?;
            to = to.checked_add(step).ok_or_else(|| {
                payload.error(Fault::TooLarge("a receiver has more than 32 bits".into()))
            })?;
            let kind = read_kind(payload)?;
            row.push(RecordedFlow {
                to,
                kind,
                messages: payload.value()?,
                bytes: payload.value()?,
            });
        }
        recording.flows.push(row);
    }
    Ok(())
}

fn read_kind(payload: &mut Payload<'_>) -> Result<FlowKind, Fault> {
    match payload.number()? {
        0 => Ok(FlowKind::PointToPoint),
        1 => Ok(FlowKind::OneSided),
        2 => Ok(FlowKind::Neighbourhood),
        other => Err(payload.error(Fault::expected("a kind 0, 1 or 2", other))),
    }
}

fn read_sizes(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), Fault> {
    for _ in 0..payload.count(4, "classes")? {
        let kind = read_kind(payload)?;
        let class = payload.number()?;
        let class = u8::try_from(class).map_err(|_| payload.error(check::no_class(class)))?;
        let (messages, bytes) = (payload.number()?, payload.number()?);
        recording.sizes.push(SizeClass { kind, class, messages, bytes });
    }
    Ok(())
}
