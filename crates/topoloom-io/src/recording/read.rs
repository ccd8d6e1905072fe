//! Reads a recording, section by section.

use topoloom_core::Trace;

use super::encoding::Payload;
use super::sections::Sections;
use super::{FlowKind, RankState, RecordedFlow, Recording, SizeClass, check, collectives, events};
use crate::formats;

/// With fewer ranks than this, memory that is taken by rank is little. With more, the file has a
/// byte or more for each.
const FEW_RANKS: u64 = 1 << 16;

/// Reads a recording; its events only if they are wanted. Errors name the section.
pub fn read(bytes: &[u8], with_events: bool) -> Result<Recording, String> {
    let sections = Sections::split(bytes)?;
    let mut recording = Recording::default();
    // One section after the other, whatever their order in the file: later ones need earlier ones.
    let mut section = |name, read: &mut Read<'_>| match sections.payload(name) {
        Some(payload) => {
            let mut payload = Payload::new(name, payload);
            read(&mut recording, &mut payload)?;
            payload.end()
        }
        None => Ok(()),
    };
    section("rank", &mut |recording, payload| read_ranks(recording, payload, bytes.len()))?;
    section("info", &mut read_info)?;
    section("note", &mut read_notes)?;
    section("host", &mut read_hosts)?;
    section("load", &mut read_rank_weights)?;
    section("flow", &mut read_flows)?;
    section("size", &mut read_sizes)?;
    let mut groups = Vec::new();
    section("grps", &mut |recording, payload| {
        groups = collectives::read_groups(payload, recording.ranks)?;
        Ok(())
    })?;
    section("coll", &mut |recording, payload| {
        recording.collectives = collectives::read(payload, &groups)?;
        Ok(())
    })?;
    let has = |name| sections.payload(name).is_some();
    if has("evnt") != sections.has_events {
        return Err(match sections.has_events {
            true => "evnt: the section is missing, but the file's beginning says that it is there",
            false => "evnt: the section is there, but the file's beginning says that it is not",
        }
        .to_string());
    }
    if sections.has_events && with_events {
        let mut calls = Vec::new();
        section("call", &mut |_, payload| {
            calls = collectives::read(payload, &groups)?;
            collectives::check_single_calls(&calls).map_err(|message| payload.error(message))
        })?;
        let calls = collectives::of_recorded(&calls);
        section("evnt", &mut |recording, payload| {
            let programs = events::read(payload, recording.ranks)?;
            let trace = Trace::new(programs, calls.clone());
            recording.trace = Some(trace.map_err(|error| payload.error(error))?);
            Ok(())
        })?;
    }
    recording.flows.resize_with(recording.ranks as usize, Vec::new);
    check::check(&recording, recording.trace.as_ref())?;
    Ok(recording)
}

type Read<'a> = dyn FnMut(&mut Recording, &mut Payload<'_>) -> Result<(), String> + 'a;

fn read_ranks(
    recording: &mut Recording,
    payload: &mut Payload<'_>,
    file_bytes: usize,
) -> Result<(), String> {
    let count = payload.number()?;
    recording.ranks = formats::ranks(count).map_err(|message| payload.error(message))?;
    if count > FEW_RANKS.max(file_bytes as u64) {
        return Err(
            payload.error(format!("{count} ranks are too many for a file of {file_bytes} bytes"))
        );
    }
    let mut rank = 0u32;
    for number in 0..payload.count(2, "exceptions")? {
        let step = payload.small("rank")?;
        rank = match rank.checked_add(step) {
            Some(rank) if number == 0 || step > 0 => rank,
            _ => return Err(payload.error("the exceptions are not by rising rank")),
        };
        let state = match payload.number()? {
            1 => RankState::NeverFinalised,
            2 => RankState::Missing,
            3 => RankState::CutShort,
            other => {
                return Err(payload.error(format!("expected a state 1, 2 or 3, found {other}")));
            }
        };
        recording.incomplete.push((rank, state));
    }
    Ok(())
}

fn read_info(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), String> {
    for _ in 0..payload.count(2, "entries")? {
        recording.info.push((payload.text()?, payload.text()?));
    }
    Ok(())
}

fn read_notes(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), String> {
    for _ in 0..payload.count(1, "notes")? {
        recording.notes.push(payload.text()?);
    }
    Ok(())
}

fn read_hosts(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), String> {
    for _ in 0..payload.count(1, "hosts")? {
        recording.hosts.push(payload.text()?);
    }
    let ranks = recording.ranks as usize;
    let of_rank = &mut recording.host_of_rank;
    while of_rank.len() < ranks {
        let host = payload.small("host")?;
        let run = payload.number()?;
        let left = ranks - of_rank.len();
        match usize::try_from(run) {
            Ok(run) if (1..=left).contains(&run) => of_rank.resize(of_rank.len() + run, host),
            _ => {
                return Err(
                    payload.error(format!("expected 1 to {left} ranks in a row, found {run}"))
                );
            }
        }
    }
    Ok(())
}

fn read_rank_weights(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), String> {
    let weights: Result<Vec<f64>, String> = (0..recording.ranks).map(|_| payload.value()).collect();
    recording.rank_weights = Some(weights?);
    Ok(())
}

fn read_flows(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), String> {
    recording.flows.reserve_exact(recording.ranks as usize);
    for _ in 0..recording.ranks {
        let count = payload.count(4, "flows")?;
        let mut row = Vec::with_capacity(count);
        let mut to = 0u32;
        for _ in 0..count {
            let step = payload.small("receiver")?;
            to = to
                .checked_add(step)
                .ok_or_else(|| payload.error("a receiver has more than 32 bits"))?;
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

fn read_kind(payload: &mut Payload<'_>) -> Result<FlowKind, String> {
    match payload.number()? {
        0 => Ok(FlowKind::PointToPoint),
        1 => Ok(FlowKind::OneSided),
        2 => Ok(FlowKind::Neighbourhood),
        other => Err(payload.error(format!("expected a kind 0, 1 or 2, found {other}"))),
    }
}

fn read_sizes(recording: &mut Recording, payload: &mut Payload<'_>) -> Result<(), String> {
    for _ in 0..payload.count(4, "classes")? {
        let kind = read_kind(payload)?;
        let class = payload.number()?;
        let class = u8::try_from(class).map_err(|_| payload.error(check::no_class(class)))?;
        let (messages, bytes) = (payload.number()?, payload.number()?);
        recording.sizes.push(SizeClass { kind, class, messages, bytes });
    }
    Ok(())
}
