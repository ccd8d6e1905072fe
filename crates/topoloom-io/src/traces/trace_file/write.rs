//! Writes a trace as text.

use std::io::{self, Write};

use topoloom_core::{Event, Trace};

use super::collectives;
use super::label::{FORMAT, VERSION};

/// Writes the trace; neighbouring ranks that do the same share a block, and ranks that do nothing
/// have none.
pub fn write(trace: &Trace, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "{FORMAT} {VERSION}\nranks {}", trace.num_ranks())?;
    for (number, collective) in trace.collectives().iter().enumerate() {
        write!(writer, "collective {number} ")?;
        collectives::write(collective, writer)?;
    }
    let mut rank = 0;
    for programs in trace.programs().chunk_by(|a, b| a == b) {
        let last = rank + programs.len() - 1;
        if !programs[0].is_empty() {
            match last == rank {
                true => writeln!(writer, "rank {rank}")?,
                false => writeln!(writer, "rank {rank}-{last}")?,
            }
            for &event in &programs[0] {
                write_event(event, writer)?;
            }
        }
        rank = last + 1;
    }
    Ok(())
}

fn write_event(event: Event, writer: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::Compute { nanoseconds } => writeln!(writer, "c {nanoseconds}"),
        Event::Send { to, bytes, tag: 0 } => writeln!(writer, "s {to} {bytes}"),
        Event::Send { to, bytes, tag } => writeln!(writer, "s {to} {bytes} {tag}"),
        Event::Receive { from, tag: 0 } => writeln!(writer, "r {from}"),
        Event::Receive { from, tag } => writeln!(writer, "r {from} {tag}"),
        Event::StartSend { to, bytes, tag: 0, request } => {
            writeln!(writer, "S {request} {to} {bytes}")
        }
        Event::StartSend { to, bytes, tag, request } => {
            writeln!(writer, "S {request} {to} {bytes} {tag}")
        }
        Event::StartReceive { from, tag: 0, request } => writeln!(writer, "R {request} {from}"),
        Event::StartReceive { from, tag, request } => writeln!(writer, "R {request} {from} {tag}"),
        Event::Wait { request } => writeln!(writer, "w {request}"),
        Event::WaitAll => writeln!(writer, "W"),
        Event::Collective { number } => writeln!(writer, "x {number}"),
        Event::Repeat { times } => writeln!(writer, "{{ {times}"),
        Event::End => writeln!(writer, "}}"),
    }
}
