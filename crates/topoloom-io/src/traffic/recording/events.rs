//! What every rank does, read and written.

use std::io::{self, Write};

use topoloom_core::traffic::Collective;
use topoloom_core::{Event, Trace};

use super::encoding::{Payload, PayloadWriter};
use super::sections::{StreamedSection, changed};
use crate::text::fault::Fault;

/// Reads the events of all ranks. Partners and collectives are checked later.
pub fn read(payload: &mut Payload<'_>, ranks: u32) -> Result<Vec<Vec<Event>>, Fault> {
    let mut programs = Vec::with_capacity(ranks as usize);
    // One list is reused for all ranks, so the kept lists have exactly the size they need.
    let mut events = Vec::new();
    for rank in 0..ranks {
        events.clear();
        let length = payload.count(1, "bytes of events")?;
        let mut of_rank = payload.part(length)?;
        while !of_rank.is_at_end() {
            events.push(read_event(&mut of_rank, rank, events.len())?);
        }
        programs.push(events.to_vec());
    }
    Ok(programs)
}

fn read_event(payload: &mut Payload<'_>, rank: u32, number: usize) -> Result<Event, Fault> {
    Ok(match payload.number()? {
        0 => Event::Compute { nanoseconds: payload.number()? },
        1 => Event::Send {
            to: payload.small("rank")?,
            bytes: payload.number()?,
            tag: payload.small("tag")?,
        },
        2 => Event::Receive { from: payload.small("rank")?, tag: payload.small("tag")? },
        3 => Event::StartSend {
            to: payload.small("rank")?,
            bytes: payload.number()?,
            tag: payload.small("tag")?,
            request: payload.small("request")?,
        },
        4 => Event::StartReceive {
            from: payload.small("rank")?,
            tag: payload.small("tag")?,
            request: payload.small("request")?,
        },
        5 => Event::Wait { request: payload.small("request")? },
        6 => Event::WaitAll,
        7 => Event::Collective { number: payload.small("collective")? },
        8 => Event::Repeat { times: payload.small("number of times")? },
        9 => Event::End,
        other => {
            let place = format!("rank {rank}, event {number}");
            return Err(payload.error(Fault::expected("a code 0 to 9", other).within(place)));
        }
    })
}

/// What every rank does, wherever it is stored. It can be read several times.
pub trait Programs {
    /// The number of ranks.
    fn num_ranks(&self) -> u32;

    /// The collectives that events name.
    fn collectives(&self) -> &[Collective];

    /// Visits the events of a rank in their order.
    fn for_each(
        &mut self,
        rank: u32,
        visit: &mut dyn FnMut(Event) -> io::Result<()>,
    ) -> io::Result<()>;
}

impl Programs for &Trace {
    fn num_ranks(&self) -> u32 {
        Trace::num_ranks(self) as u32
    }

    fn collectives(&self) -> &[Collective] {
        Trace::collectives(self)
    }

    fn for_each(
        &mut self,
        rank: u32,
        visit: &mut dyn FnMut(Event) -> io::Result<()>,
    ) -> io::Result<()> {
        self.programs()[rank as usize].iter().try_for_each(|&event| visit(event))
    }
}

/// Bytes that are collected before they are written.
const PIECE: usize = 1 << 16;

/// Writes the section of the events of all ranks, piece by piece: one pass measures them, because a
/// length comes before its content, and one pass writes them.
pub fn write(programs: &mut dyn Programs, writer: &mut dyn Write) -> io::Result<()> {
    let mut lengths = Vec::with_capacity(programs.num_ranks() as usize);
    let mut total = 0;
    let mut piece = PayloadWriter::default();
    for rank in 0..programs.num_ranks() {
        let mut length = 0_u64;
        programs.for_each(rank, &mut |event| {
            piece.clear();
            write_event(event, &mut piece);
            length += piece.bytes().len() as u64;
            Ok(())
        })?;
        piece.clear();
        piece.number(length);
        total += length + piece.bytes().len() as u64;
        lengths.push(length);
    }
    let mut section = StreamedSection::begin("evnt", total, writer)?;
    for (rank, length) in (0..).zip(lengths) {
        piece.clear();
        piece.number(length);
        section.write(piece.bytes())?;
        piece.clear();
        let mut left = length;
        programs.for_each(rank, &mut |event| {
            let before = piece.bytes().len();
            write_event(event, &mut piece);
            let written = (piece.bytes().len() - before) as u64;
            left = left.checked_sub(written).ok_or_else(changed)?;
            if piece.bytes().len() >= PIECE {
                section.write(piece.bytes())?;
                piece.clear();
            }
            Ok(())
        })?;
        section.write(piece.bytes())?;
        if left > 0 {
            return Err(changed());
        }
    }
    section.end()
}

fn write_event(event: Event, payload: &mut PayloadWriter) {
    let mut numbers = |numbers: &[u64]| numbers.iter().for_each(|&number| payload.number(number));
    match event {
        Event::Compute { nanoseconds } => numbers(&[0, nanoseconds]),
        Event::Send { to, bytes, tag } => numbers(&[1, to.into(), bytes, tag.into()]),
        Event::Receive { from, tag } => numbers(&[2, from.into(), tag.into()]),
        Event::StartSend { to, bytes, tag, request } => {
            numbers(&[3, to.into(), bytes, tag.into(), request.into()]);
        }
        Event::StartReceive { from, tag, request } => {
            numbers(&[4, from.into(), tag.into(), request.into()]);
        }
        Event::Wait { request } => numbers(&[5, request.into()]),
        Event::WaitAll => numbers(&[6]),
        Event::Collective { number } => numbers(&[7, number.into()]),
        Event::Repeat { times } => numbers(&[8, times.into()]),
        Event::End => numbers(&[9]),
    }
}
