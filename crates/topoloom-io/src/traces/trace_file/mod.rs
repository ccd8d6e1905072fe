//! Traces as text: what every rank does, one event per line.
//!
//! ```text
//! topoloom-trace 1
//! ranks 4
//! collective 0 allreduce bytes=8 members=0+1x4
//! rank 0-3              # these four do exactly the same
//! { 100                 # a hundred times
//! c 250000              # compute, in nanoseconds
//! x 0                   # take part in collective 0
//! }
//! ```
//!
//! `docs/formats.md` has all words. Capital letters begin an operation; small letters wait for it.

mod collectives;
mod label;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;

use crate::text::source::Source;
use crate::traces::format::{TraceEntry, TraceFormat};
use label::FORMAT;

pub(crate) static ENTRY: TraceEntry = TraceEntry {
    name: "topoloom",
    summary: "Topoloom's own trace format: text with one event per line",
    example: "run.trace",
    parameters: &[],
    build: TraceFormat {
        endings: &["trace"],
        looks_like: |start| start.starts_with(FORMAT.as_bytes()),
        has_events: |_| true,
        read: |input, bytes, _| read(&Source::new(input.name(), bytes)),
        write: Some(write),
    },
};
