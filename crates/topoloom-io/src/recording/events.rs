//! What every rank does, both ways.

use topoloom_core::{Event, Trace};

use super::encoding::{Payload, PayloadWriter};

/// Reads the events of all ranks. Partners and collectives are checked later.
pub fn read(payload: &mut Payload<'_>, ranks: u32) -> Result<Vec<Vec<Event>>, String> {
    let mut programs = Vec::with_capacity(ranks as usize);
    // One list for all, so that those that are kept can have the size they need.
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

fn read_event(payload: &mut Payload<'_>, rank: u32, number: usize) -> Result<Event, String> {
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
            return Err(payload.error(format!("{place}: expected a code 0 to 9, found {other}")));
        }
    })
}

/// Writes the events of all ranks.
pub fn write(trace: &Trace) -> PayloadWriter {
    let mut payload = PayloadWriter::default();
    for program in trace.programs() {
        let mut of_rank = PayloadWriter::default();
        for &event in program {
            write_event(event, &mut of_rank);
        }
        payload.part(&of_rank.into_bytes());
    }
    payload
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
